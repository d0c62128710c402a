package cue

import (
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"voicepool/mixer"
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
		l := line{rate: s.Rate}
		l.number("step", float64(s.Grow.Step), 0)
		l.number("max", float64(s.Grow.Max), 0)
		l.frames("idle", s.Grow.Idle.Frames(s.Rate))
		fmt.Fprintf(b, "grow: {%s}\n", l.body)
	}
	if s.Refuse {
		b.WriteString("refuse: true\n")
	}
	fmt.Fprintf(b, "quality: %v\nrate: %d\n", s.Quality, s.Rate)
	if r.last > 0 {
		fmt.Fprintf(b, "length: %s\n", frameTime(r.last, s.Rate))
	}
	m := line{rate: s.Rate}
	m.number("gain", float64(s.Master.Gain), 0)
	m.raw("limiter", strconv.FormatBool(s.Master.Limiter))
	m.flag("soft_clip", s.Master.SoftClip)
	m.flag("dc_guard", s.Master.DCGuard)
	fmt.Fprintf(b, "master: {%s}\n", m.body)
	if len(s.Buses) > 0 {
		b.WriteString("buses:\n")
	}
	for i := range s.Buses {
		fmt.Fprintf(b, "  %s: {%s}\n", quoted(s.Buses[i].Name), busLine(&s.Buses[i], s.Rate))
	}
}

func busLine(bus *Bus, rate int) []byte {
	l := line{rate: rate}
	if bus.Parent != "" {
		l.text("parent", bus.Parent)
	}
	l.number("gain", float64(bus.Gain), 0)
	l.number("pan", bus.Pan, 0)
	l.number("pitch", float64(bus.Pitch), 0)
	l.number("voices", float64(bus.Voices), 0)
	l.flag("mute", bus.Mute)
	l.flag("solo", bus.Solo)
	if d := bus.Duck; d != nil {
		k := line{rate: rate}
		k.text("when", d.When)
		k.raw("by", shortest(float64(d.By)))
		k.raw("attack", frameTime(d.Attack.Frames(rate), rate))
		k.raw("hold", frameTime(d.Hold.Frames(rate), rate))
		k.raw("release", frameTime(d.Release.Frames(rate), rate))
		l.raw("duck", "{"+string(k.body)+"}")
	}
	return l.body
}

// line is what stands between the braces of a mapping.
type line struct {
	body []byte
	rate int
}

func (r *Recorder) begin(frame int64) *line {
	l := &line{rate: r.sheet.Rate}
	l.raw("at", frameTime(frame, l.rate))
	return l
}

func (r *Recorder) end(l *line) {
	r.cues = fmt.Appendf(r.cues, "  - {%s}\n", l.body)
	r.count++
}

func (l *line) raw(key, value string) {
	if len(l.body) > 0 {
		l.body = append(l.body, ", "...)
	}
	l.body = append(append(append(l.body, key...), ": "...), value...)
}

func (l *line) text(key, value string) { l.raw(key, quoted(value)) }

// number writes a value, unless it is what a sheet means without it.
func (l *line) number(key string, x, without float64) {
	if x != without {
		l.raw(key, shortest(x))
	}
}

func (l *line) frames(key string, n int64) {
	if n > 0 {
		l.raw(key, frameTime(n, l.rate))
	}
}

func (l *line) flag(key string, on bool) {
	if on {
		l.raw(key, "true")
	}
}

// change writes what a set moves to.
func (l *line) change(c *mixer.Change) {
	has := func(f mixer.Fields) bool { return c.Fields&f != 0 }
	if has(mixer.FieldGain) {
		l.raw("gain", shortest(float64(c.Gain)))
		if c.Shape != voice.InDecibels {
			l.text("shape", c.Shape.String())
		}
	}
	if has(mixer.FieldPan) {
		l.raw("pan", shortest(c.Pan))
	}
	if has(mixer.FieldPitch) {
		l.raw("pitch", shortest(float64(c.Pitch)))
	}
	if has(mixer.FieldSpeed) {
		l.raw("speed", shortest(c.Speed))
	}
	if has(mixer.FieldMute) {
		l.raw("mute", strconv.FormatBool(c.Mute))
	}
	if has(mixer.FieldSolo) {
		l.raw("solo", strconv.FormatBool(c.Solo))
	}
	if has(mixer.FieldPriority) {
		l.raw("priority", strconv.Itoa(c.Priority))
	}
	if has(mixer.FieldProtect) {
		l.raw("protect", strconv.FormatBool(c.Protect))
	}
	if has(mixer.FieldRounds) {
		switch {
		case c.Rounds < 0:
			l.raw("loop", "true")
		case c.Rounds == 0:
			l.raw("loop", "false")
		default:
			l.raw("loop", strconv.Itoa(c.Rounds))
		}
	}
}

// frameTime writes a time that is rounded to so many frames: in seconds, with as
// many decimals as it needs, at most 18.
func frameTime(frames int64, rate int) string {
	n, d := uint64(max(frames, 0)), uint64(rate)
	hi, lo := bits.Mul64(n%d, attos)
	lo, carry := bits.Add64(lo, d/2, 0)
	rest, _ := bits.Div64(hi+carry, lo, d)
	return (seconds(n / d)).add(Time{lo: rest}).String()
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
