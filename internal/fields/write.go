package fields

import (
	"fmt"
	"slices"
	"strconv"

	"voicepool/pcm"
)

// Line is what stands between the braces of a mapping.
type Line struct{ body []byte }

// Raw writes a value as it is.
func (l *Line) Raw(key, value string) {
	if len(l.body) > 0 {
		l.body = append(l.body, ", "...)
	}
	l.body = append(append(append(l.body, key...), ": "...), value...)
}

// String returns what has been written.
func (l *Line) String() string { return string(l.body) }

// Fields writes those that are not zero, and some always.
func (l *Line) Fields(fields []Field, always ...string) {
	for i := range fields {
		f := &fields[i]
		if text, some := f.text(); some || text != "" && slices.Contains(always, f.Key) {
			l.Raw(f.Key, text)
		}
	}
}

// text returns a value as a file has it, and whether it is another than zero.
func (f *Field) text() (text string, some bool) {
	switch to := f.To.(type) {
	case *float64:
		return Shortest(*to), *to != 0
	case *pcm.Decibels:
		return Shortest(float64(*to)), *to != 0
	case *pcm.Semitones:
		return Shortest(float64(*to)), *to != 0
	case *pcm.LUFS:
		return Shortest(float64(*to)), *to != 0
	case *int:
		return strconv.Itoa(*to), *to != 0
	case *bool:
		return strconv.FormatBool(*to), *to
	case *string:
		return Quoted(*to), *to != ""
	case Value:
		return to.Text()
	case interface {
		fmt.Stringer
		IsZero() bool
	}:
		return to.String(), !to.IsZero()
	}
	return "", false
}

// Shortest writes a number that is read as the same one.
func Shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Quoted writes a text in double quotes, as Go and YAML read it. Invalid UTF-8 bytes become U+FFFD.
func Quoted(text string) string { return strconv.Quote(string([]rune(text))) }
