package cue

import (
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// WriteTo writes the sheet as it is up to now. It ends by itself, unless something
// is left looping or paused; End gives it a length.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	r.head(&b)
	if len(r.listed) > 0 {
		fmt.Fprintf(&b, "sounds:\n%s", r.listed)
	}
	if r.count == 0 {
		b.WriteString("cues: []\n")
	} else {
		fmt.Fprintf(&b, "cues:\n%s", r.cues)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// End cuts the sheet at a frame.
func (r *Recorder) End(frame int64) { r.last = frame }

// head writes what the mixer is made from.
func (r *Recorder) head(b *strings.Builder) {
	s := r.sheet
	fmt.Fprintf(b, "voices: %d\n", s.Voices)
	if s.Virtual > 0 {
		fmt.Fprintf(b, "virtual: %d\n", s.Virtual)
	}
	fmt.Fprintf(b, "overflow: %v\n", s.Overflow)
	if s.Overflow == mixer.GrowPool && s.Grow != (Grow{}) {
		var l line
		l.fields(s.Grow.fields())
		fmt.Fprintf(b, "grow: {%s}\n", l.body)
	}
	if s.Refuse {
		b.WriteString("refuse: true\n")
	}
	fmt.Fprintf(b, "quality: %v\nrate: %d\n", s.Quality, s.Rate)
	if r.last > 0 {
		fmt.Fprintf(b, "length: %v\n", timeOf(r.last, s.Rate))
	}
	var m line
	m.fields(s.Master.fields(), "limiter")
	fmt.Fprintf(b, "master: {%s}\n", m.body)
	if len(s.Buses) > 0 {
		b.WriteString("buses:\n")
	}
	for i := range s.Buses {
		var l, duck line
		l.fields(s.Buses[i].fields())
		if d := s.Buses[i].Duck; d != nil {
			duck.fields(d.fields(), "by", "attack", "hold", "release")
			l.raw("duck", "{"+string(duck.body)+"}")
		}
		fmt.Fprintf(b, "  %s: {%s}\n", quoted(s.Buses[i].Name), l.body)
	}
}

// write writes a cue. Its Target is what its verb names, of Play too.
func (r *Recorder) write(frame int64, c Cue) {
	d := r.draft
	d.Cue = c
	d.At = timeOf(frame, r.sheet.Rate)
	var l line
	for i := range d.table {
		switch f := &d.table[i]; {
		case !slices.Contains(f.verbs, c.Verb):
		case f.key == c.Verb.String():
			l.raw(f.key, quoted(c.Target))
		case f.key == "id":
			l.raw(f.key, quoted(c.ID))
		case c.Verb != Set || f.part == 0:
			l.fields([]field{f.field}, "at", "to")
		case c.Change.Fields&f.part != 0:
			l.fields([]field{f.field}, f.key)
		}
	}
	r.cues = fmt.Appendf(r.cues, "  - {%s}\n", l.body)
	r.count++
}

// line is what stands between the braces of a mapping.
type line struct{ body []byte }

func (l *line) raw(key, value string) {
	if len(l.body) > 0 {
		l.body = append(l.body, ", "...)
	}
	l.body = append(append(append(l.body, key...), ": "...), value...)
}

// fields writes those that are not zero, and some always.
func (l *line) fields(fields []field, always ...string) {
	for i := range fields {
		f := &fields[i]
		if text, some := f.text(); some || text != "" && slices.Contains(always, f.key) {
			l.raw(f.key, text)
		}
	}
}

// text returns a value as a sheet has it, and whether it is another than zero.
func (f *field) text() (text string, some bool) {
	switch dst := f.dst.(type) {
	case *float64:
		return shortest(*dst), *dst != 0
	case *pcm.Decibels:
		return shortest(float64(*dst)), *dst != 0
	case *pcm.Semitones:
		return shortest(float64(*dst)), *dst != 0
	case *Range: // nothing is left to chance
		return shortest(dst.From), dst.From != 0
	case *int:
		return strconv.Itoa(*dst), *dst != 0
	case *bool:
		return strconv.FormatBool(*dst), *dst
	case *Time:
		return dst.String(), *dst != Time{}
	case **Time:
		if *dst != nil {
			return (*dst).String(), true
		}
	case *string:
		return quoted(*dst), *dst != ""
	case busName:
		return quoted(*dst.name), *dst.name != ""
	case loops:
		on := *dst.rounds != 0
		if dst.on != nil {
			on = *dst.on
		}
		if on && *dst.rounds > 0 {
			return strconv.Itoa(*dst.rounds), true
		}
		return strconv.FormatBool(on), on
	case **voice.Quality:
		if *dst != nil {
			return quoted((*dst).String()), true
		}
	case *voice.Shape:
		return quoted(dst.String()), *dst != voice.InDecibels
	}
	return "", false
}

// timeOf returns a time that is rounded to so many frames, with at most 18 decimals.
func timeOf(frames int64, rate int) Time {
	n, d := uint64(max(frames, 0)), uint64(rate)
	hi, lo := bits.Mul64(n%d, attos)
	lo, carry := bits.Add64(lo, d/2, 0)
	rest, _ := bits.Div64(hi+carry, lo, d)
	return (seconds(n / d)).add(Time{lo: rest})
}

// shortest writes a number that is read as the same one.
func shortest(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// quoted writes a text as JSON does, which is YAML as well.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic("cue: a text is no JSON: " + err.Error()) // json replaces what is no UTF-8
	}
	return string(b)
}
