package cue

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/effect"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/mixer"
)

// WriteTo writes the recorded sheet to w as YAML. It returns the number of bytes written and the error of w. The
// recording may continue afterwards. A render of the sheet ends by itself, unless voices keep looping or stay paused;
// in this case, call End before, which gives the sheet a length.
func (r *Recorder) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	r.writeHead(&b)
	if len(r.soundLines) > 0 {
		fmt.Fprintf(&b, "sounds:\n%s", r.soundLines)
	}
	if r.count == 0 {
		b.WriteString("cues: []\n")
	} else {
		fmt.Fprintf(&b, "cues:\n%s", r.cueLines)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// End sets the length of the recorded sheet to frame; 0, the default, means no length.
func (r *Recorder) End(frame int64) { r.length = frame }

// writeHead writes the first part of the sheet to b: the configuration of the mixer, and the length if there is one.
func (r *Recorder) writeHead(b *strings.Builder) {
	s := r.sheet
	fmt.Fprintf(b, "voices: %d\n", s.Voices)
	if s.Virtual > 0 {
		fmt.Fprintf(b, "virtual: %d\n", s.Virtual)
	}
	fmt.Fprintf(b, "overflow: %v\n", s.Overflow)
	if s.Overflow == mixer.GrowPool && s.Grow != (rules.Grow{}) {
		var l fields.Line
		l.Fields(parse.Grow(&s.Grow))
		fmt.Fprintf(b, "grow: {%s}\n", &l)
	}
	if s.Refuse {
		b.WriteString("refuse: true\n")
	}
	fmt.Fprintf(b, "quality: %v\nrate: %d\n", s.Quality, s.Rate)
	if r.length > 0 {
		fmt.Fprintf(b, "length: %v\n", rules.FrameTime(r.length, s.Rate))
	}
	var m fields.Line
	m.Fields(parse.Master(&s.Master), "limiter")
	writeEffects(&m, s.Master.Effects)
	fmt.Fprintf(b, "master: {%s}\n", &m)
	writeOutputs(b, s.Outputs)
	if len(s.Buses) > 0 {
		b.WriteString("buses:\n")
	}
	for i := range s.Buses {
		var l, duck fields.Line
		l.Fields(parse.Bus(&s.Buses[i], nil, nil))
		if d := s.Buses[i].Duck; d != nil {
			duck.Fields(parse.Duck(d, nil), "by", "attack", "hold", "release")
			l.Raw("duck", "{"+duck.String()+"}")
		}
		writeEffects(&l, s.Buses[i].Effects)
		writeSends(&l, s.Buses[i].Sends)
		fmt.Fprintf(b, "  %s: {%s}\n", fields.Quoted(s.Buses[i].Name), &l)
	}
}

// writeEffects writes the key `effects` to l if there are effects.
func writeEffects(l *fields.Line, effects []effect.Effect) {
	if len(effects) > 0 {
		l.Raw("effects", parse.WriteEffects(effects))
	}
}

// writeSends writes the key `sends` to l if there are sends.
func writeSends(l *fields.Line, sends []mixer.Send) {
	if len(sends) > 0 {
		l.Raw("sends", parse.WriteSends(sends))
	}
}

// kind returns the kind of the effect called name on the given bus or output, or on "master". It panics if the bus does
// not have the effect.
func (s *Sheet) kind(bus, name string) *effect.Kind {
	all := s.EffectsOf(bus)
	return all[slices.IndexFunc(all, func(e effect.Effect) bool { return e.Name() == name })].Kind()
}

// write appends the cue c, at frame, to the recorded cues as a line of YAML. c.Target is written as the value of the
// verb, also for Play, but not for Resize and SetListener. Keys with their default values are left out, except `at`,
// `id`, `to`, `by` and the keys that a set changes.
func (r *Recorder) write(frame int64, c Cue) {
	d := r.draft
	d.Cue, d.duck = c, rules.Duck{}
	if c.Duck != nil {
		d.duck = *c.Duck
	}
	d.At = rules.FrameTime(frame, r.sheet.Rate)
	var l fields.Line
	for i := range d.table {
		switch f := &d.table[i]; {
		case !slices.Contains(f.verbs, c.Verb):
		case f.Key == c.Verb.String() && c.Verb != Resize && c.Verb != SetListener:
			l.Raw(f.Key, fields.Quoted(c.Target))
		case f.Key == "id":
			l.Raw(f.Key, fields.Quoted(c.ID))
		case f.Key == "sends":
			writeSends(&l, c.Sends)
		case f.Key == "effects":
			if c.Effects != nil {
				l.Raw(f.Key, parse.WriteMoves(c.Effects, func(name string) *effect.Kind { return r.sheet.kind(c.Target, name) }))
			}
		case f.Key == "loop" && c.Verb == Play && r.loops[c.Target]: // override the loop region
			l.Fields([]fields.Field{f.Field}, f.Key)
		case c.Verb != Set || f.property == 0:
			l.Fields([]fields.Field{f.Field}, "at", "to", "by")
		case c.Change.Fields&f.property != 0:
			l.Fields([]fields.Field{f.Field}, f.Key)
		}
	}
	r.cueLines = fmt.Appendf(r.cueLines, "  - {%s}\n", &l)
	r.count++
}
