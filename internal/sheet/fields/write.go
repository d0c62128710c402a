package fields

import (
	"fmt"
	"slices"
	"strconv"

	"voicepool/pcm"
)

// Line is the text between the braces of a mapping.
type Line struct{ body []byte }

// Raw appends "key: value", after a comma if there is a pair before. Both must be in the format of a file already.
func (l *Line) Raw(key, value string) {
	if len(l.body) > 0 {
		l.body = append(l.body, ", "...)
	}
	l.body = append(append(append(l.body, key...), ": "...), value...)
}

// String returns the pairs, without the braces.
func (l *Line) String() string { return string(l.body) }

// Fields appends a pair for each of fields whose value is not zero or whose key is in always. A value without a text
// format is left out.
func (l *Line) Fields(fields []Field, always ...string) {
	for i := range fields {
		f := &fields[i]
		if text, some := f.text(); some || text != "" && slices.Contains(always, f.Key) {
			l.Raw(f.Key, text)
		}
	}
}

// text returns the value at f.To in the format of a file. some reports whether it is not zero. A type without a text
// format gives "" and false.
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

// Shortest formats a number with the fewest digits that parse to the same number.
func Shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Quoted returns text in double quotes, with escapes that both Go and YAML can parse. Invalid UTF-8 bytes become
// U+FFFD.
func Quoted(text string) string { return strconv.Quote(string([]rune(text))) }
