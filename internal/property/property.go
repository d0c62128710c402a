// Package property is the table of the properties of voices and buses: their names, keys, units and ranges.
//
// The mixer checks values with it. The sheet language, the service and the OSC messages take keys and ranges from it.
// Tests compare openapi.json and the table in docs/cues.md with it. The fields of mixer.Filters are the properties from
// LowPass to HighPass. A new filter has a constant after HighPass, a row in Table, and a field in mixer.Filters.
// NumFilters and NumVoiceFades must then end at it.
package property

// ID is a property of a voice or a bus, and the index of its row in Table.
type ID uint16

// The properties of a mixer.Change come first, in the order of its Fields. Only a mixer.Handle can change the others.
const (
	Gain ID = iota
	Pan
	Pitch
	Speed
	LowPass
	HighPass
	Mute // 1: muted, 0: not; likewise all other booleans
	Solo
	Volume
	Priority
	Protect
	Rounds
	Seek // a frame of the sound
	Paused
	Importance
)

const (
	NumFilters    = HighPass + 1 - LowPass
	NumVoiceFades = HighPass + 1 // the properties below it can fade on a voice
	NumBusFades   = Volume + 1   // the properties below it include all of a bus
	NumChange     = Rounds + 1
	NumPending    = Paused + 1 // the properties below it can change after the start was sent
	Num           = Importance + 1
)

// The limits of the values.
const (
	MinGain       = -120 // decibels
	MaxGain       = 24
	MaxPan        = 1       // the minimum is -MaxPan
	MaxPitch      = 48      // semitones; the minimum is -MaxPitch
	MinSpeed      = 1. / 16 // a ratio
	MaxSpeed      = 16
	MinCutoff     = 20 // Hz
	MaxCutoff     = 20000
	MaxPriority   = 1000000    // the minimum is -MaxPriority
	MaxImportance = 60         // decibels; the minimum is -MaxImportance
	MaxRounds     = 1000000000 // the minimum, -1, is an endless loop
)

// Owner is a set of the things that can have a property.
type Owner uint8

const (
	Start  Owner = 1 << iota // an option of a start
	Voice                    // a voice that plays
	Bus                      // a bus other than the master
	Master                   // the master bus
)

// Curve is the scale of the linear move of a property to a new value.
type Curve uint8

const (
	AtOnce      Curve = iota // it does not fade
	Linear                   // in the unit of the property
	Shaped                   // linear in decibels, or along a sounds.Shape
	InAmplitude              // linear in the factor of the amplitude
	InSemitones              // linear in semitones
	InOctaves                // linear in the logarithm of the frequency
)

// Property is a row of the table.
type Property struct {
	Name     string // in messages of the mixer
	Key      string // in sheets, JSON and OSC messages; may be empty
	Unit     string // "dB", "semitones", "Hz" or ""
	Remark   string // the end of a message about a value out of range
	Min, Max float64
	Default  float64 // the neutral value; for a cutoff 0, which is off
	Curve    Curve
	Owners   Owner
}

// Table has all properties.
var Table = [Num]Property{
	Gain:     {Name: "gain", Key: "gain", Unit: "dB", Min: MinGain, Max: MaxGain, Curve: Shaped, Owners: Start | Voice | Bus | Master},
	Pan:      {Name: "pan", Key: "pan", Min: -MaxPan, Max: MaxPan, Curve: Linear, Owners: Start | Voice | Bus | Master},
	Pitch:    {Name: "pitch", Key: "pitch", Unit: "semitones", Min: -MaxPitch, Max: MaxPitch, Curve: Linear, Owners: Start | Voice | Bus},
	Speed:    {Name: "speed", Key: "speed", Min: MinSpeed, Max: MaxSpeed, Default: 1, Curve: InSemitones, Owners: Start | Voice},
	LowPass:  {Name: "low-pass", Key: "lowpass", Unit: "Hz", Min: MinCutoff, Max: MaxCutoff, Remark: "; 0 is off", Curve: InOctaves, Owners: Start | Voice | Bus | Master},
	HighPass: {Name: "high-pass", Key: "highpass", Unit: "Hz", Min: MinCutoff, Max: MaxCutoff, Remark: "; 0 is off", Curve: InOctaves, Owners: Start | Voice | Bus | Master},
	Mute:     {Name: "mute", Key: "mute", Max: 1, Curve: Linear, Owners: Bus | Master},
	Solo:     {Name: "solo", Key: "solo", Max: 1, Curve: Linear, Owners: Bus | Master},
	Volume:   {Name: "volume", Key: "volume", Unit: "dB", Min: MinGain, Max: MaxGain, Curve: InAmplitude, Owners: Bus | Master},
	Priority: {Name: "priority", Key: "priority", Min: -MaxPriority, Max: MaxPriority, Owners: Start | Voice},
	Protect:  {Name: "protection", Key: "protect", Max: 1, Owners: Start | Voice},
	Rounds: {
		Name: "rounds", Key: "loop", Min: -1, Max: MaxRounds, Remark: "; 1 leaves the loop at its end, Forever (-1) stays in it, 0 is invalid",
		Default: 1, Owners: Start | Voice,
	},
	Seek:       {Name: "place", Max: 1<<63 - 1, Owners: Voice},
	Paused:     {Name: "pause", Max: 1, Owners: Voice},
	Importance: {Name: "importance", Key: "importance", Unit: "dB", Min: -MaxImportance, Max: MaxImportance, Owners: Start},
}

// Filters returns the rows of the filters of a voice, in the order of the fields of mixer.Filters.
func Filters() *[NumFilters]Property { return (*[NumFilters]Property)(Table[LowPass:]) }

// IsFilter reports whether the property is a filter of a voice.
func (p ID) IsFilter() bool { return p-LowPass < NumFilters }

// IsCutoff reports whether the property is a cutoff. A cutoff of 0 is off.
func (p *Property) IsCutoff() bool { return p.Curve == InOctaves }

// InRange reports whether x is a valid value of the property. NaN is not. A cutoff of 0 is valid, and 0 rounds are not.
func (p ID) InRange(x float64) bool {
	s := &Table[p]
	return x >= s.Min && x <= s.Max && !(p == Rounds && x == 0) || s.IsCutoff() && x == 0
}
