package effect

import (
	"slices"
	"strconv"
	"strings"
)

// Kind is a kind of effect, such as "reverb", with its parameters.
type Kind struct {
	Name   string
	Does   string  // a short description
	Params []Param // without the parameters of bands
	Bands  int     // maximum number of bands; 0 for all kinds but the equaliser
	Band   []Param // parameters of each band, with paths such as "bands.1.freq"
	Key    bool    // accepts a sidechain bus, see Effect.Key
}

// Param is a numeric parameter of an effect.
type Param struct {
	Name              string
	Unit              Unit
	From, To, Default float64
	Log               bool     // ramps are linear in the logarithm of the value
	Off               bool     // 0 is allowed too: it turns the filter off and is written "off" in cue sheets
	Choices           []string // names of the values 0, 1, ...; with more than two, changes have no ramp
	Does              string   // a short description
}

// Unit is the unit of a Param.
type Unit string

// The units of parameters.
const (
	None     Unit = ""
	Hertz    Unit = "Hz"
	Seconds  Unit = "s"
	Decibels Unit = "dB"
)

// The values of the parameter "type" of a band of an equaliser. A band of type Flat, the default, has no
// effect.
const (
	Flat float64 = iota
	LowShelf
	Peak
	HighShelf
	LowPass
	HighPass
	Notch
)

var (
	onOff     = []string{"off", "on"}
	bandTypes = []string{"flat", "lowshelf", "peak", "highshelf", "lowpass", "highpass", "notch"}

	mix    = Param{Name: "mix", To: 1, Default: 1, Does: "the share of the effect in the result: 0 is only the input, 1 only the effect"}
	bypass = Param{Name: "bypass", To: 1, Choices: onOff, Does: "on: the input bypasses the effect"}
)

// kinds is the table of all kinds.
var kinds = [...]Kind{
	{
		Name: "eq", Does: "an equaliser of up to 8 bands", Bands: 8,
		Band: []Param{
			{Name: "type", To: Notch, Default: Flat, Choices: bandTypes, Does: "the type of the filter"},
			{Name: "freq", Unit: Hertz, From: 20, To: 20000, Default: 1000, Log: true, Does: "the centre or corner frequency"},
			{Name: "gain", Unit: Decibels, From: -24, To: 24, Does: "the gain of shelves and peaks"},
			{Name: "q", From: 0.1, To: 18, Default: 0.7071, Log: true, Does: "the quality factor: the narrowness or steepness"},
		},
		Params: []Param{bypass},
	},
	{
		Name: "compressor", Does: "reduces loud passages", Key: true,
		Params: []Param{
			{Name: "threshold", Unit: Decibels, From: -60, To: 0, Default: -18, Does: "the level above which it reduces"},
			{Name: "ratio", From: 1, To: 100, Default: 4, Log: true, Does: "the dB above the threshold that become 1 dB"},
			{Name: "attack", Unit: Seconds, From: 0.0001, To: 0.5, Default: 0.005, Log: true, Does: "the time to reduce the level"},
			{Name: "release", Unit: Seconds, From: 0.005, To: 5, Default: 0.12, Log: true, Does: "the time to restore the level"},
			{Name: "knee", Unit: Decibels, To: 24, Default: 6, Does: "the width of the bend around the threshold"},
			{Name: "makeup", Unit: Decibels, From: -24, To: 24, Does: "a gain after the reduction"},
			bypass,
		},
	},
	{
		Name: "delay", Does: "echoes",
		Params: []Param{
			{Name: "time", Unit: Seconds, From: 0.001, To: 4, Default: 0.35, Log: true, Does: "the time to the first echo, and between two echoes"},
			{Name: "feedback", To: 0.95, Default: 0.35, Does: "the gain from one echo to the next"},
			{Name: "lowpass", Unit: Hertz, From: 20, To: 20000, Off: true, Log: true, Does: "a low-pass on each repetition"},
			{Name: "pingpong", To: 1, Choices: onOff, Does: "on: echoes alternate between left and right"},
			mix, bypass,
		},
	},
	{
		Name: "reverb", Does: "a room",
		Params: []Param{
			{Name: "time", Unit: Seconds, From: 0.1, To: 20, Default: 1.8, Log: true, Does: "the decay by 60 dB, at 500 Hz to 1 kHz"},
			{Name: "low", From: 0.25, To: 2.5, Default: 1.1, Log: true, Does: "a factor of time for low frequencies; halfway at 200 Hz"},
			{Name: "high", From: 0.1, To: 1.5, Default: 0.5, Log: true, Does: "a factor of time for high frequencies; halfway at 5 kHz"},
			{Name: "predelay", Unit: Seconds, To: 0.25, Default: 0.01, Does: "the time to the first reflection"},
			{Name: "size", From: 0.2, To: 2, Default: 1, Log: true, Does: "the distance of the walls"},
			{Name: "early", Unit: Decibels, From: -60, To: 12, Default: -6, Does: "the level of the first reflections"},
			{Name: "width", To: 1, Default: 1, Does: "the stereo width; 0 is mono"},
			{Name: "modulation", To: 1, Default: 0.3, Does: "the amount of movement of the walls"},
			mix, bypass,
		},
	},
	{
		Name: "drive", Does: "distortion from warm to broken: an overdriven amplifier",
		Params: []Param{
			{Name: "amount", Unit: Decibels, To: 40, Default: 12, Does: "the gain into the amplifier"},
			{Name: "tone", From: -1, To: 1, Does: "-1 is dark, 1 bright: a tilt around 1 kHz"},
			mix, bypass,
		},
	},
	{
		Name: "width", Does: "narrows or widens the stereo image",
		Params: []Param{
			{Name: "width", To: 2, Default: 1, Does: "0: mono, 2: twice as wide"},
			bypass,
		},
	},
}

// Kinds returns all kinds of effects. The caller must not change them.
func Kinds() []*Kind {
	all := make([]*Kind, len(kinds))
	for i := range kinds {
		all[i] = &kinds[i]
	}
	return all
}

// KindOf returns the kind with the given name, or nil for an unknown name.
func KindOf(name string) *Kind {
	if i := slices.Index(Names(), name); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// Names returns the names of all kinds.
func Names() []string {
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].Name
	}
	return names
}

// Len returns the number of values of an effect of the kind. An index 0..Len()-1 counts the values of
// Params, then the values of each band.
func (k *Kind) Len() int { return len(k.Params) + k.Bands*len(k.Band) }

// Param returns the parameter at an index, 0..Len()-1.
func (k *Kind) Param(i int) *Param {
	if i < len(k.Params) {
		return &k.Params[i]
	}
	return &k.Band[(i-len(k.Params))%len(k.Band)]
}

// Path returns the name of the value at an index, 0..Len()-1: "time", "bands.2.freq".
func (k *Kind) Path(i int) string {
	if i < len(k.Params) {
		return k.Params[i].Name
	}
	i -= len(k.Params)
	return "bands." + strconv.Itoa(i/len(k.Band)+1) + "." + k.Band[i%len(k.Band)].Name
}

// Find returns the index of the value with the given name, as returned by Path, or -1 for an unknown name.
func (k *Kind) Find(name string) int {
	if i := slices.IndexFunc(k.Params, func(p Param) bool { return p.Name == name }); i >= 0 {
		return i
	}
	rest, ok := strings.CutPrefix(name, "bands.")
	number, of, found := strings.Cut(rest, ".")
	band, err := strconv.Atoi(number)
	if !ok || !found || err != nil || band < 1 || band > k.Bands || number != strconv.Itoa(band) {
		return -1
	}
	if i := slices.IndexFunc(k.Band, func(p Param) bool { return p.Name == of }); i >= 0 {
		return k.At(band-1, i)
	}
	return -1
}

// At returns the index of the value of parameter Band[param] in a band. Bands count from 0 here, but from 1 in names:
// At(0, 1) is the index of "bands.1.freq". The kind must have bands.
func (k *Kind) At(band, param int) int { return len(k.Params) + band*len(k.Band) + param }

// paths returns the names of all values.
func (k *Kind) paths() []string {
	names := make([]string, k.Len())
	for i := range names {
		names[i] = k.Path(i)
	}
	return names
}
