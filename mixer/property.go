package mixer

import (
	"fmt"
	"math"
	"math/bits"

	"voicepool/internal/move"
	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// Filters holds the filters of a voice. The zero value is off.
type Filters struct {
	LowPass  float64 // the cutoff of a two-pole low-pass in Hz, 20..20,000; 0: off
	HighPass float64 // the cutoff of a two-pole high-pass in Hz, 20..20,000; 0: off
}

// FilterOverrides replaces filters. A nil field keeps the filter as it is.
type FilterOverrides struct {
	LowPass  *float64 `json:"lowpass,omitempty"`
	HighPass *float64 `json:"highpass,omitempty"`
}

const numFilters = property.NumFilters

// FilterFields returns pointers to the fields, in the order of their declaration, for loops over all filters.
func (f *Filters) FilterFields() [numFilters]*float64 { return [...]*float64{&f.LowPass, &f.HighPass} }

// FilterFields returns pointers to the fields, in the order of their declaration.
func (o *FilterOverrides) FilterFields() [numFilters]**float64 {
	return [...]**float64{&o.LowPass, &o.HighPass}
}

// Override returns filters with the fields of o that are not nil.
func (o FilterOverrides) Override(filters Filters) Filters {
	to := filters.FilterFields()
	for i, x := range o.FilterFields() {
		if *x != nil {
			*to[i] = **x
		}
	}
	return filters
}

// filter returns a pointer to the value of the filter id.
func (f *Filters) filter(id property.ID) *float64 { return f.FilterFields()[id-property.LowPass] }

// checkFilters returns the error for the first value that is out of range, or nil. It wraps ErrOption.
func checkFilters(s *Filters) error {
	for i, x := range s.FilterFields() {
		if f := property.LowPass + property.ID(i); !f.InRange(*x) {
			return optionError(f, *x)
		}
	}
	return nil
}

// Fields selects the properties of a Change.
type Fields uint16

const (
	FieldGain     Fields = 1 << property.Gain
	FieldPan      Fields = 1 << property.Pan
	FieldPitch    Fields = 1 << property.Pitch
	FieldSpeed    Fields = 1 << property.Speed
	FieldLowPass  Fields = 1 << property.LowPass
	FieldHighPass Fields = 1 << property.HighPass
	FieldMute     Fields = 1 << property.Mute
	FieldSolo     Fields = 1 << property.Solo
	FieldVolume   Fields = 1 << property.Volume
	FieldPriority Fields = 1 << property.Priority
	FieldProtect  Fields = 1 << property.Protect
	FieldRounds   Fields = 1 << property.Rounds
)

// Change holds new values of properties of a voice or a bus. Only the properties in Fields are applied. A
// bus has no speed, and the master has no pitch. Only buses have a volume, a mute and a solo. Only voices
// have a priority, protection and rounds.
type Change struct {
	Fields  Fields
	Mute    bool
	Solo    bool
	Protect bool
	Shape   sounds.Shape // of a fade of Gain

	Gain     pcm.Decibels  // -120..+24; -80 or less is silence
	Volume   pcm.Decibels  // -120..+24 dB; -80 or less is silence; fades linearly in amplitude; see Bus.SetVolume
	Pan      float64       // -1..+1
	Pitch    pcm.Semitones // -48..+48
	Speed    float64       // 1/16..16
	Priority int           // -1,000,000..1,000,000
	Rounds   int           // see Handle.SetLoop
	Filters
}

// propertySet is a set of properties.
type propertySet uint16

// filterFields are the filters.
const filterFields = (1<<property.NumFilters - 1) * FieldLowPass

// normalize reports whether *x is in the range of property f, in the unit of the property. It replaces a gain or volume
// of -Inf by the minimum gain.
func normalize(f property.ID, x *float64) bool {
	if (f == property.Gain || f == property.Volume) && math.IsInf(*x, -1) {
		*x = MinGain
	}
	return f.InRange(*x)
}

// optionError returns the error for a value x that is out of the range of property f. It wraps ErrOption and a
// *pcm.RangeError.
func optionError(f property.ID, x float64) error {
	return fmt.Errorf("%w: %w", ErrOption, rangeError(f, x))
}

// rangeError returns the error for a value x that is out of the range of property f. It wraps a *pcm.RangeError.
func rangeError(f property.ID, x float64) error {
	s := &property.Table[f]
	return fmt.Errorf("%w%s", &pcm.RangeError{Name: s.Name, Value: x, Min: s.Min, Max: s.Max, Unit: s.Unit}, s.Remark)
}

// first returns the first property in the set f, in the order of the constants. f must not be empty. The audio side
// iterates with first instead of an iterator, because it must not call function values.
func (f Fields) first() property.ID { return property.ID(bits.TrailingZeros16(uint16(f))) }

// voiceOnly returns the properties in f that fade and that a bus does not have.
func (f Fields) voiceOnly() (only Fields) {
	for id := range property.NumVoiceFades {
		if property.Table[id].Owners&property.Bus == 0 {
			only |= f & (1 << id)
		}
	}
	return only
}

// get returns the value of property f in c, in the unit of the property. Booleans are 1 or 0. The result does not
// depend on c.Fields. f must be a property of a Change, below property.NumChange.
func (c *Change) get(f property.ID) float64 {
	if f.IsFilter() {
		return *c.filter(f)
	}
	return [property.NumChange]float64{
		property.Gain: float64(c.Gain), property.Pan: c.Pan, property.Pitch: float64(c.Pitch), property.Speed: c.Speed, property.Mute: boolFloat(c.Mute), property.Solo: boolFloat(c.Solo), property.Volume: float64(c.Volume),
		property.Priority: float64(c.Priority), property.Protect: boolFloat(c.Protect), property.Rounds: float64(c.Rounds),
	}[f]
}

// put sets property f of c to x, in the unit of the property, and adds f to c.Fields. For a boolean property, 0 is
// false and any other x is true.
func (c *Change) put(f property.ID, x float64) {
	c.Fields |= 1 << f
	if f.IsFilter() {
		*c.filter(f) = x
		return
	}
	switch f {
	case property.Gain:
		c.Gain = pcm.Decibels(x)
	case property.Pan:
		c.Pan = x
	case property.Pitch:
		c.Pitch = pcm.Semitones(x)
	case property.Speed:
		c.Speed = x
	case property.Mute:
		c.Mute = x != 0
	case property.Solo:
		c.Solo = x != 0
	case property.Volume:
		c.Volume = pcm.Decibels(x)
	case property.Priority:
		c.Priority = int(x)
	case property.Protect:
		c.Protect = x != 0
	case property.Rounds:
		c.Rounds = int(x)
	}
}

// check checks the properties of c that c.Fields selects. The error wraps ErrOption: c.Fields is empty or has an
// unknown field, a value is out of range, or the shape of a gain is unknown. check replaces a gain or volume of -Inf
// in c by the minimum gain.
func (c *Change) check() error {
	if c.Fields == 0 || c.Fields >= 1<<property.NumChange {
		return fmt.Errorf("%w: nothing to set", ErrOption)
	}
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		x := c.get(f)
		if !normalize(f, &x) {
			return optionError(f, x)
		}
		c.put(f, x)
	}
	if c.Fields&FieldGain != 0 && c.Shape > sounds.ConstantPower {
		return shapeError(c.Shape)
	}
	return nil
}

// checkVoice returns an error that wraps ErrOption if c has a property that only a bus has.
func (c *Change) checkVoice() error {
	switch {
	case c.Fields&(FieldMute|FieldSolo) != 0:
		return fmt.Errorf("%w: only a bus can be muted or soloed", ErrOption)
	case c.Fields&FieldVolume != 0:
		return fmt.Errorf("%w: only a bus has a volume; set the gain", ErrOption)
	}
	return nil
}

// shapeError returns the error for the unknown shape s. It wraps ErrOption.
func shapeError(s sounds.Shape) error { return fmt.Errorf("%w: there is no shape %d", ErrOption, s) }

// finalValue converts x, the final value of a fade of property f, to the unit that a voice fades in. Cutoffs in Hz
// become log2 Hz, and a speed ratio becomes semitones. A gain is at least pcm.Silence. Other values are unchanged.
// rate is the sample rate in Hz.
func finalValue(f property.ID, x float64, rate int) float64 {
	switch {
	case f.IsFilter():
		return passfilter.At(f, x, rate)
	case f == property.Gain:
		return max(x, float64(pcm.Silence))
	case f == property.Speed:
		return float64(pcm.FromRatio(x))
	}
	return x
}

// journalValues reads property f of a voice from moves, the fades of the voice. current is its value at frame, a
// frame of the mix; target is the value at the end of its fade. Both are in the units of a Change, for the journal:
// cutoffs in Hz, speed as a ratio. f must be a property that can fade.
func journalValues(f property.ID, moves *voice.Moves, frame int64) (current, target float64) {
	if f.IsFilter() {
		c := &moves.Filters[f-property.LowPass]
		return clampCutoff(c.Hz(frame)), clampCutoff(c.Target())
	}
	m := fadesByProperty(moves)[f]
	if current, target = m.At(frame), m.To; f == property.Speed {
		return journalSpeed(current), journalSpeed(target)
	}
	return current, target
}

// journalSpeed converts semitones to a speed ratio within MinSpeed..MaxSpeed.
func journalSpeed(x float64) float64 { return min(max(pcm.Semitones(x).Ratio(), MinSpeed), MaxSpeed) }

// clampCutoff returns hz limited to MinCutoff..MaxCutoff, because rounding of its logarithm may leave that range. 0,
// which is off, stays 0.
func clampCutoff(hz float64) float64 {
	if hz == 0 {
		return 0
	}
	return min(max(hz, MinCutoff), MaxCutoff)
}

// fadesByProperty returns pointers to the fades in m, indexed by property. It has the properties of a voice that can
// fade: gain, pan, pitch, speed and the filters.
func fadesByProperty(m *voice.Moves) [property.NumVoiceFades]*move.Move {
	all := [property.NumVoiceFades]*move.Move{property.Gain: &m.Gain, property.Pan: &m.Pan, property.Pitch: &m.Pitch, property.Speed: &m.Speed}
	for i := range m.Filters {
		all[property.LowPass+property.ID(i)] = &m.Filters[i].Move
	}
	return all
}

// set changes property f of the voice to x, in the unit of the property. Gain, pan, pitch, speed and cutoffs fade for
// fadeFrames frames from now, a frame of the mix; the gain follows the curve shape. Priority, protection and rounds
// change at once. Other properties have no effect. For a cutoff, set first attaches the voice's allocated filter. The
// caller then computes the score of the voice again.
func (s *slot) set(f property.ID, x float64, now, fadeFrames int64, shape sounds.Shape) {
	v := &s.voice
	if f.IsFilter() {
		s.attachFilter(x, now)
		v.SetFilter(f, now, x, fadeFrames)
		return
	}
	switch f {
	case property.Gain:
		v.SetGain(now, pcm.Decibels(x), fadeFrames, shape)
	case property.Pan:
		v.SetPan(now, x, fadeFrames)
	case property.Pitch:
		v.SetPitch(now, pcm.Semitones(x), fadeFrames)
	case property.Speed:
		v.SetSpeed(now, x, fadeFrames)
	case property.Priority:
		s.prio = int32(x)
	case property.Protect:
		s.protect = x != 0
	case property.Rounds:
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
// without a long fade. For property.Seek it is a seek to frame x of the sound. For property.Paused it is a pause, or a resume
// if x is 0. The command is not sent.
func setCommand(h Handle, f property.ID, x float64) command {
	c := command{kind: cmdSet, frame: Now, target: TargetVoice(h)}
	switch f {
	case property.Seek:
		c.kind, c.position = cmdSeek, int64(x)
	case property.Paused:
		c.kind = cmdResume
		if x != 0 {
			c.kind = cmdPause
		}
	default:
		c.change.put(f, x)
	}
	return c
}

// SetLowPass sets the cutoff of the voice's low-pass, ramped over 5 ms. hz is 20..20,000; 0 is off. The error is
// ErrGone or wraps ErrOption; with Config.Lead it may also be ErrBusy.
func (h Handle) SetLowPass(hz float64) error { return h.setProperty(property.LowPass, hz) }

// SetHighPass sets the cutoff of the voice's high-pass, ramped over 5 ms. hz is 20..20,000; 0 is off. The error is
// ErrGone or wraps ErrOption; with Config.Lead it may also be ErrBusy.
func (h Handle) SetHighPass(hz float64) error { return h.setProperty(property.HighPass, hz) }

// SetLowPass sets the cutoff of the low-pass of the voices that t selects, or of the bus t, ramped over 5 ms. hz is
// 20..20,000; 0 is off. The error is ErrBusy or wraps ErrOption.
func (at Moment) SetLowPass(t Target, hz float64) error {
	return at.Set(t, Change{Fields: FieldLowPass, Filters: Filters{LowPass: hz}}, 0)
}

// SetHighPass sets the cutoff of the high-pass of the voices that t selects, or of the bus t, ramped over 5 ms. hz is
// 20..20,000; 0 is off. The error is ErrBusy or wraps ErrOption.
func (at Moment) SetHighPass(t Target, hz float64) error {
	return at.Set(t, Change{Fields: FieldHighPass, Filters: Filters{HighPass: hz}}, 0)
}
