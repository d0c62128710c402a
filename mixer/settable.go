package mixer

import (
	"fmt"
	"math"

	"voicepool/pcm"
	"voicepool/voice"
)

// settable names what can be moved of a voice: first what a Change has too, then what
// only a Handle's record has a word for.
type settable uint16

const (
	setGain settable = iota
	setPan
	setPitch
	setSpeed
	setPriority
	setProtect // 1: protected, 0: not
	setRounds
	numChanges

	setSeek  = numChanges  // frames of the sound
	setPause = setSeek + 1 // 1: paused, 0: not
	numWants = setPause + 1
)

// wants is a set of them.
type wants uint16

// settables says what each takes: its name, its range, and, of a Change, its field and
// what is said of one out of range, with the range.
var settables = [numWants]struct {
	name        string
	least, most float64
	field       Fields
	wrong       string
}{
	setGain:     {"gain", MinGain, MaxGain, FieldGain, "a gain of %v dB is not in %.0f..%.0f"},
	setPan:      {"pan", -1, 1, FieldPan, "a pan of %v is not in %.0f..%.0f"},
	setPitch:    {"pitch", -48, 48, FieldPitch, "a pitch of %v semitones is not in %.0f..%.0f"},
	setSpeed:    {"speed", 1. / 16, 16, FieldSpeed, "a speed of %v is not in 1/16..%.0[3]f"},
	setPriority: {"priority", -MaxPriority, MaxPriority, FieldPriority, "a priority of %.0f is not in %.0f..%.0f"},
	setProtect:  {"protection", 0, 1, FieldProtect, ""},
	setRounds:   {"number of rounds", Forever, MaxRounds, FieldRounds, "%.0f rounds are not in %.0f..%.0f"},
	setSeek:     {"place", 0, math.MaxInt64, 0, ""},
	setPause:    {"pause", 0, 1, 0, ""},
}

// takes reports whether a value is in range. Of the silence that a logarithm of 0 gives it
// makes the least gain.
func (f settable) takes(x *float64) bool {
	if f == setGain && math.IsInf(*x, -1) {
		*x = MinGain
	}
	return inRange(*x, settables[f].least, settables[f].most)
}

// wrong says that a value is out of range.
func (f settable) wrong(x float64) error {
	s := &settables[f]
	return fmt.Errorf("%w: %s", ErrOption, fmt.Sprintf(s.wrong, x, s.least, s.most))
}

// get returns what c sets f to, and whether it does.
func (c *Change) get(f settable) (x float64, ok bool) {
	if c.Fields&settables[f].field == 0 {
		return 0, false
	}
	return [numChanges]float64{
		setGain: float64(c.Gain), setPan: c.Pan, setPitch: float64(c.Pitch), setSpeed: c.Speed,
		setPriority: float64(c.Priority), setProtect: truth(c.Protect), setRounds: float64(c.Rounds),
	}[f], true
}

// put has c set f, which a Change has, to x.
func (c *Change) put(f settable, x float64) {
	c.Fields |= settables[f].field
	switch f {
	case setGain:
		c.Gain = pcm.Decibels(x)
	case setPan:
		c.Pan = x
	case setPitch:
		c.Pitch = pcm.Semitones(x)
	case setSpeed:
		c.Speed = x
	case setPriority:
		c.Priority = int(x)
	case setProtect:
		c.Protect = x != 0
	case setRounds:
		c.Rounds = int(x)
	}
}

// check returns what is wrong with c. Of a silence it makes the least gain.
func (c *Change) check() error {
	for f := range numChanges {
		if x, ok := c.get(f); ok && !f.takes(&x) {
			return f.wrong(x)
		} else if ok {
			c.put(f, x)
		}
	}
	switch {
	case c.Fields&FieldGain != 0 && c.Shape > voice.ConstantPower:
		return fmt.Errorf("%w: there is no shape %d", ErrOption, c.Shape)
	case c.Fields == 0 || c.Fields >= FieldRounds<<1:
		return fmt.Errorf("%w: nothing to set", ErrOption)
	}
	return nil
}

// set moves what a voice has of f to x, which takes some frames.
func (s *slot) set(f settable, x float64, now, over int64, shape voice.Shape) {
	v := &s.voice
	switch f {
	case setGain:
		v.SetGain(now, pcm.Decibels(x), over, shape)
	case setPan:
		v.SetPan(now, x, over)
	case setPitch:
		v.SetPitch(now, pcm.Semitones(x), over)
	case setSpeed:
		v.SetSpeed(now, x, over)
	case setPriority:
		s.prio = int32(x)
	case setProtect:
		s.protect = x != 0
	case setRounds:
		v.SetRounds(int32(x))
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// wanted is the command that does what a want does.
func wanted(h Handle, f settable, x float64) command {
	c := command{kind: cmdSet, frame: Now, target: TargetVoice(h)}
	switch f {
	case setSeek:
		c.kind, c.place = cmdSeek, int64(x)
	case setPause:
		c.kind = cmdResume
		if x != 0 {
			c.kind = cmdPause
		}
	default:
		c.change.put(f, x)
	}
	return c
}
