package mixer

import (
	"fmt"
	"math"
	"math/bits"

	"voicepool/pcm"
	"voicepool/voice"
)

// settable is a property of a voice or a bus. The properties of a Change come first, in the order of its
// Fields; only a Handle can change the others.
type settable uint16

const (
	setGain settable = iota
	setPan
	setPitch
	setSpeed
	setLowPass  // Hz; 0: off
	setHighPass // Hz; 0: off
	setMute     // 1: muted, 0: not; likewise all other booleans
	setSolo
	setPriority
	setProtect
	setRounds
	numChanges

	setSeek  = numChanges // a frame of the sound
	setPause = setSeek + 1
	numWants = setPause + 1
)

// wants is a set of properties.
type wants uint16

// settables holds the name and the range of each property. wrong is the message for a value out of range,
// if a Change has the property.
var settables = [numWants]struct {
	name        string
	least, most float64
	wrong       string
}{
	setGain:     {"gain", MinGain, MaxGain, "a gain of %v dB is not in %.0f..%.0f"},
	setPan:      {"pan", -MaxPan, MaxPan, "a pan of %v is not in %.0f..%.0f"},
	setPitch:    {"pitch", -MaxPitch, MaxPitch, "a pitch of %v semitones is not in %.0f..%.0f"},
	setSpeed:    {"speed", MinSpeed, MaxSpeed, "a speed of %v is not in 1/16..%.0[3]f"},
	setLowPass:  {"low-pass", MinCutoff, MaxCutoff, "a low-pass of %v Hz is not in %.0f..%.0f; 0 is off"},
	setHighPass: {"high-pass", MinCutoff, MaxCutoff, "a high-pass of %v Hz is not in %.0f..%.0f; 0 is off"},
	setMute:     {"mute", 0, 1, ""},
	setSolo:     {"solo", 0, 1, ""},
	setPriority: {"priority", -MaxPriority, MaxPriority, "a priority of %.0f is not in %.0f..%.0f"},
	setProtect:  {"protection", 0, 1, ""},
	setRounds:   {"number of rounds", Forever, MaxRounds, "%.0f rounds are not in 1..%.0[3]f: 1 leaves the loop at its end, Forever (-1) stays in it"},
	setSeek:     {"place", 0, math.MaxInt64, ""},
	setPause:    {"pause", 0, 1, ""},
}

// takes reports whether a value is in range. It replaces a gain of -Inf by the minimum gain.
func (f settable) takes(x *float64) bool {
	if f == setGain && math.IsInf(*x, -1) {
		*x = MinGain
	}
	if f.filters() && *x == 0 {
		return true
	}
	return inRange(*x, settables[f].least, settables[f].most) && !(f == setRounds && *x == 0)
}

// filters reports whether the property is a cutoff.
func (f settable) filters() bool { return f == setLowPass || f == setHighPass }

// fieldsFilter are the cutoffs.
const fieldsFilter = FieldLowPass | FieldHighPass

// wrong returns the error for a value out of range.
func (f settable) wrong(x float64) error { return fmt.Errorf("%w: %s", ErrOption, f.outside(x)) }

// outside returns the message for a value out of range.
func (f settable) outside(x float64) string {
	s := &settables[f]
	return fmt.Sprintf(s.wrong, x, s.least, s.most)
}

// first returns the first property of a set. The audio side iterates with it, because it must not call
// function values.
func (f Fields) first() settable { return settable(bits.TrailingZeros16(uint16(f))) }

func (c *Change) get(f settable) float64 {
	return [numChanges]float64{
		setGain: float64(c.Gain), setPan: c.Pan, setPitch: float64(c.Pitch), setSpeed: c.Speed,
		setLowPass: c.LowPass, setHighPass: c.HighPass, setMute: truth(c.Mute), setSolo: truth(c.Solo),
		setPriority: float64(c.Priority), setProtect: truth(c.Protect), setRounds: float64(c.Rounds),
	}[f]
}

// put sets property f of c to x.
func (c *Change) put(f settable, x float64) {
	c.Fields |= 1 << f
	switch f {
	case setGain:
		c.Gain = pcm.Decibels(x)
	case setPan:
		c.Pan = x
	case setPitch:
		c.Pitch = pcm.Semitones(x)
	case setSpeed:
		c.Speed = x
	case setLowPass:
		c.LowPass = x
	case setHighPass:
		c.HighPass = x
	case setMute:
		c.Mute = x != 0
	case setSolo:
		c.Solo = x != 0
	case setPriority:
		c.Priority = int(x)
	case setProtect:
		c.Protect = x != 0
	case setRounds:
		c.Rounds = int(x)
	}
}

// check validates c. It replaces a gain of -Inf by the minimum gain.
func (c *Change) check() error {
	if c.Fields == 0 || c.Fields >= 1<<numChanges {
		return fmt.Errorf("%w: nothing to set", ErrOption)
	}
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		x := c.get(f)
		if !f.takes(&x) {
			return f.wrong(x)
		}
		c.put(f, x)
	}
	if c.Fields&FieldGain != 0 && c.Shape > voice.ConstantPower {
		return noShape(c.Shape)
	}
	return nil
}

func noShape(s voice.Shape) error { return fmt.Errorf("%w: there is no shape %d", ErrOption, s) }

// rests returns the final value of a fade of f to x, in the unit of the fade.
func (f settable) rests(x float64, rate int) float64 {
	switch f {
	case setLowPass:
		return voice.LowPassAt(x, rate)
	case setHighPass:
		return voice.HighPassAt(x, rate)
	case setGain:
		return max(x, float64(pcm.Silence))
	case setSpeed:
		return float64(pcm.FromRatio(x))
	}
	return x
}

// told returns the value of f at a frame and the target of its fade, for the journal.
func (f settable) told(moves *voice.Moves, frame int64) (is, goes float64) {
	switch f {
	case setLowPass:
		return toldCutoff(&moves.LowPass, frame)
	case setHighPass:
		return toldCutoff(&moves.HighPass, frame)
	}
	m := movesOf(moves)[f]
	if is, goes = m.At(frame), m.To; f == setSpeed {
		return toldSpeed(is), toldSpeed(goes)
	}
	return is, goes
}

func toldSpeed(x float64) float64 { return min(max(pcm.Semitones(x).Ratio(), MinSpeed), MaxSpeed) }

func toldCutoff(c *voice.Cutoff, frame int64) (is, goes float64) {
	return withinCutoffs(c.Hz(frame)), withinCutoffs(c.Target())
}

// withinCutoffs clamps a cutoff to the valid range, because rounding of its logarithm may leave it.
func withinCutoffs(hz float64) float64 {
	if hz == 0 {
		return 0
	}
	return min(max(hz, MinCutoff), MaxCutoff)
}

// movesOf returns the fades of a voice by property.
func movesOf(m *voice.Moves) [voiceMoves]*voice.Move {
	return [voiceMoves]*voice.Move{
		setGain: &m.Gain, setPan: &m.Pan, setPitch: &m.Pitch, setSpeed: &m.Speed,
		setLowPass: &m.LowPass.Move, setHighPass: &m.HighPass.Move,
	}
}

// set fades property f of a voice to x within over frames.
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
	case setLowPass:
		s.filter(x, now)
		v.SetLowPass(now, x, over)
	case setHighPass:
		s.filter(x, now)
		v.SetHighPass(now, x, over)
	case setPriority:
		s.prio = int32(x)
	case setProtect:
		s.protect = x != 0
	case setRounds:
		v.SetRounds(int32(x))
	}
}

// set fades property f of a bus to x within over frames.
func (b *bus) set(f settable, x float64, now, over int64, shape voice.Shape) {
	switch f {
	case setGain:
		b.gain.RampGain(now, pcm.Decibels(x), over, shape)
	case setPan:
		b.pan.Ramp(now, x, over)
	case setPitch:
		b.pitch.Ramp(now, x, over)
	case setLowPass:
		b.filter.RampLowPass(now, x, over)
	case setHighPass:
		b.filter.RampHighPass(now, x, over)
	case setMute:
		b.muted = x != 0
		b.mute.Ramp(now, 1-x, over)
	case setSolo:
		b.soloed = x != 0
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// wanted returns the command equivalent to a pending set of one property.
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
