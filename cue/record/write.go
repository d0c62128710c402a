package record

import (
	"fmt"
	"io"
	"strings"

	"voicepool/bank/rules"
	"voicepool/cue"
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
	s := r.head
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

// writeOutputs writes the key `outputs` of a sheet with all outputs to b. Without outputs it writes no key.
func writeOutputs(b *strings.Builder, outputs []rules.Output) {
	if len(outputs) > 0 {
		b.WriteString("outputs:\n")
	}
	for i := range outputs {
		var l fields.Line
		l.Fields(parse.Output(&outputs[i]))
		writeEffects(&l, outputs[i].Effects)
		fmt.Fprintf(b, "  %s: {%s}\n", fields.Quoted(outputs[i].Name), &l)
	}
}

// write appends the action a, at frame, to the recorded cues as a line of YAML. sound is the name of the sound of a
// start.
func (r *Recorder) write(frame int64, a cue.Action, sound string) {
	c := cue.Cue{At: rules.FrameTime(frame, r.head.Rate), Action: a}
	r.cueLines = fmt.Appendf(r.cueLines, "  - {%s}\n", r.formatter.Format(&c, r.head, sound, r.loops[sound]))
	r.count++
}
