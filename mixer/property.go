package mixer

import (
	"fmt"
	"math"
	"math/bits"

	"voicepool/internal/move"
	"voicepool/internal/passfilter"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// property is a property of a voice or a bus. The properties of a Change come first, in the order of its
// Fields; only a Handle can change the others.
type property uint16

const (
	propGain property = iota
	propPan
	propPitch
	propSpeed
	propLowPass  // Hz; 0: off
	propHighPass // Hz; 0: off
	propMute     // 1: muted, 0: not; likewise all other booleans
	propSolo
	propPriority
	propProtect
	propRounds
	numChangeProps

	propSeek   = numChangeProps // a frame of the sound
	propPaused = propSeek + 1
	numProps   = propPaused + 1
)

// propertySet is a set of properties.
type propertySet uint16

// properties holds the name, the range and the unit of each property, and a remark for the error of a value out of
// range.
var properties = [numProps]struct {
	name        string
	least, most float64
	unit        string
	remark      string
}{
	propGain:     {"gain", MinGain, MaxGain, "dB", ""},
	propPan:      {"pan", -MaxPan, MaxPan, "", ""},
	propPitch:    {"pitch", -MaxPitch, MaxPitch, "semitones", ""},
	propSpeed:    {"speed", MinSpeed, MaxSpeed, "", ""},
	propLowPass:  {"low-pass", MinCutoff, MaxCutoff, "Hz", "; 0 is off"},
	propHighPass: {"high-pass", MinCutoff, MaxCutoff, "Hz", "; 0 is off"},
	propMute:     {"mute", 0, 1, "", ""},
	propSolo:     {"solo", 0, 1, "", ""},
	propPriority: {"priority", -MaxPriority, MaxPriority, "", ""},
	propProtect:  {"protection", 0, 1, "", ""},
	propRounds:   {"rounds", Forever, MaxRounds, "", "; 1 leaves the loop at its end, Forever (-1) stays in it, 0 is invalid"},
	propSeek:     {"place", 0, math.MaxInt64, "", ""},
	propPaused:   {"pause", 0, 1, "", ""},
}

// normalize reports whether *x is in the range of property f, in the unit of the property. It replaces a gain of -Inf
// by the minimum gain. A cutoff of 0, which is off, is in range; rounds of 0 are not.
func (f property) normalize(x *float64) bool {
	if f == propGain && math.IsInf(*x, -1) {
		*x = MinGain
	}
	if f.isCutoff() && *x == 0 {
		return true
	}
	return inRange(*x, properties[f].least, properties[f].most) && !(f == propRounds && *x == 0)
}

// isCutoff reports whether the property is a cutoff.
func (f property) isCutoff() bool { return f == propLowPass || f == propHighPass }

// cutoffFields are the cutoffs.
const cutoffFields = FieldLowPass | FieldHighPass

// optionError returns the error for a value x that is out of the range of the property. It wraps ErrOption and a
// *pcm.RangeError.
func (f property) optionError(x float64) error {
	return fmt.Errorf("%w: %w", ErrOption, f.rangeError(x))
}

// rangeError returns the error for a value x that is out of the range of the property. It wraps a *pcm.RangeError.
func (f property) rangeError(x float64) error {
	s := &properties[f]
	return fmt.Errorf("%w%s", &pcm.RangeError{Name: s.name, Value: x, Min: s.least, Max: s.most, Unit: s.unit}, s.remark)
}

// first returns the first property in the set f, in the order of the constants. f must not be empty. The audio side
// iterates with first instead of an iterator, because it must not call function values.
func (f Fields) first() property { return property(bits.TrailingZeros16(uint16(f))) }

// get returns the value of property f in c, in the unit of the property. Booleans are 1 or 0. The result does not
// depend on c.Fields. f must be a property of a Change, below numChangeProps.
func (c *Change) get(f property) float64 {
	return [numChangeProps]float64{
		propGain: float64(c.Gain), propPan: c.Pan, propPitch: float64(c.Pitch), propSpeed: c.Speed,
		propLowPass: c.LowPass, propHighPass: c.HighPass, propMute: boolFloat(c.Mute), propSolo: boolFloat(c.Solo),
		propPriority: float64(c.Priority), propProtect: boolFloat(c.Protect), propRounds: float64(c.Rounds),
	}[f]
}

// put sets property f of c to x, in the unit of the property, and adds f to c.Fields. For a boolean property, 0 is
// false and any other x is true.
func (c *Change) put(f property, x float64) {
	c.Fields |= 1 << f
	switch f {
	case propGain:
		c.Gain = pcm.Decibels(x)
	case propPan:
		c.Pan = x
	case propPitch:
		c.Pitch = pcm.Semitones(x)
	case propSpeed:
		c.Speed = x
	case propLowPass:
		c.LowPass = x
	case propHighPass:
		c.HighPass = x
	case propMute:
		c.Mute = x != 0
	case propSolo:
		c.Solo = x != 0
	case propPriority:
		c.Priority = int(x)
	case propProtect:
		c.Protect = x != 0
	case propRounds:
		c.Rounds = int(x)
	}
}

// check checks the properties of c that c.Fields selects. The error wraps ErrOption: c.Fields is empty or has an
// unknown field, a value is out of range, or the shape of a gain is unknown. check replaces a gain of -Inf in c by
// the minimum gain.
func (c *Change) check() error {
	if c.Fields == 0 || c.Fields >= 1<<numChangeProps {
		return fmt.Errorf("%w: nothing to set", ErrOption)
	}
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		x := c.get(f)
		if !f.normalize(&x) {
			return f.optionError(x)
		}
		c.put(f, x)
	}
	if c.Fields&FieldGain != 0 && c.Shape > sounds.ConstantPower {
		return shapeError(c.Shape)
	}
	return nil
}

// shapeError returns the error for the unknown shape s. It wraps ErrOption.
func shapeError(s sounds.Shape) error { return fmt.Errorf("%w: there is no shape %d", ErrOption, s) }

// finalValue converts x, the final value of a fade of property f, to the unit that a voice fades in. Cutoffs in Hz
// become log2 Hz, and a speed ratio becomes semitones. A gain is at least pcm.Silence. Other values are unchanged.
// rate is the sample rate in Hz.
func (f property) finalValue(x float64, rate int) float64 {
	switch f {
	case propLowPass:
		return passfilter.LowPassAt(x, rate)
	case propHighPass:
		return passfilter.HighPassAt(x, rate)
	case propGain:
		return max(x, float64(pcm.Silence))
	case propSpeed:
		return float64(pcm.FromRatio(x))
	}
	return x
}

// journalValues reads property f of a voice from moves, the fades of the voice. current is its value at frame, a
// frame of the mix; target is the value at the end of its fade. Both are in the units of a Change, for the journal:
// cutoffs in Hz, speed as a ratio. f must be a property that can fade.
func (f property) journalValues(moves *voice.Moves, frame int64) (current, target float64) {
	switch f {
	case propLowPass:
		return journalCutoff(&moves.LowPass, frame)
	case propHighPass:
		return journalCutoff(&moves.HighPass, frame)
	}
	m := fadesByProperty(moves)[f]
	if current, target = m.At(frame), m.To; f == propSpeed {
		return journalSpeed(current), journalSpeed(target)
	}
	return current, target
}

// journalSpeed converts semitones to a speed ratio within MinSpeed..MaxSpeed.
func journalSpeed(x float64) float64 { return min(max(pcm.Semitones(x).Ratio(), MinSpeed), MaxSpeed) }

// journalCutoff returns the cutoff c at frame, a frame of the mix, and the final value of its fade. Both are in Hz,
// limited to MinCutoff..MaxCutoff; 0 is off.
func journalCutoff(c *passfilter.Cutoff, frame int64) (current, target float64) {
	return clampCutoff(c.Hz(frame)), clampCutoff(c.Target())
}

// clampCutoff returns hz limited to MinCutoff..MaxCutoff, because rounding of its logarithm may leave that range. 0,
// which is off, stays 0.
func clampCutoff(hz float64) float64 {
	if hz == 0 {
		return 0
	}
	return min(max(hz, MinCutoff), MaxCutoff)
}

// fadesByProperty returns pointers to the fades in m, indexed by property. It has the properties of a voice that can
// fade: gain, pan, pitch, speed and both cutoffs.
func fadesByProperty(m *voice.Moves) [numVoiceFades]*move.Move {
	return [numVoiceFades]*move.Move{
		propGain: &m.Gain, propPan: &m.Pan, propPitch: &m.Pitch, propSpeed: &m.Speed,
		propLowPass: &m.LowPass.Move, propHighPass: &m.HighPass.Move,
	}
}

// set changes property f of the voice to x, in the unit of the property. Gain, pan, pitch, speed and cutoffs fade for
// fadeFrames frames from now, a frame of the mix; the gain follows the curve shape. Priority, protection and rounds
// change at once. Other properties have no effect. For a cutoff, set first attaches the voice's allocated filter. The
// caller then computes the score of the voice again.
func (s *slot) set(f property, x float64, now, fadeFrames int64, shape sounds.Shape) {
	v := &s.voice
	switch f {
	case propGain:
		v.SetGain(now, pcm.Decibels(x), fadeFrames, shape)
	case propPan:
		v.SetPan(now, x, fadeFrames)
	case propPitch:
		v.SetPitch(now, pcm.Semitones(x), fadeFrames)
	case propSpeed:
		v.SetSpeed(now, x, fadeFrames)
	case propLowPass:
		s.attachFilter(x, now)
		v.SetLowPass(now, x, fadeFrames)
	case propHighPass:
		s.attachFilter(x, now)
		v.SetHighPass(now, x, fadeFrames)
	case propPriority:
		s.prio = int32(x)
	case propProtect:
		s.protect = x != 0
	case propRounds:
		v.SetRounds(int32(x))
	}
}

// boolFloat returns 1 for true and 0 for false.
func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// setCommand returns a command that sets property f of the voice h to x, in the unit of the property, at Now and
// without a long fade. For propSeek it is a seek to frame x of the sound. For propPaused it is a pause, or a resume
// if x is 0. The command is not sent.
func setCommand(h Handle, f property, x float64) command {
	c := command{kind: cmdSet, frame: Now, target: TargetVoice(h)}
	switch f {
	case propSeek:
		c.kind, c.position = cmdSeek, int64(x)
	case propPaused:
		c.kind = cmdResume
		if x != 0 {
			c.kind = cmdPause
		}
	default:
		c.change.put(f, x)
	}
	return c
}
