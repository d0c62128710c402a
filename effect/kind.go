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

	mix    = Param{Name: "mix", To: 1, Default: 1, Does: "how much of the effect is heard: 0 none of it, 1 it alone"}
	bypass = Param{Name: "bypass", To: 1, Choices: onOff, Does: "on: nothing goes into the effect any more, all goes past it"}
)

// kinds is the table of all kinds.
var kinds = [...]Kind{
	{
		Name: "eq", Does: "an equaliser of up to 8 bands", Bands: 8,
		Band: []Param{
			{Name: "type", To: Notch, Default: Flat, Choices: bandTypes, Does: "what the band does"},
			{Name: "freq", Unit: Hertz, From: 20, To: 20000, Default: 1000, Log: true, Does: "its middle, or its corner"},
			{Name: "gain", Unit: Decibels, From: -24, To: 24, Does: "of shelves and peaks"},
			{Name: "q", From: 0.1, To: 18, Default: 0.7071, Log: true, Does: "how narrow, or how steep, it is"},
		},
		Params: []Param{bypass},
	},
	{
		Name: "compressor", Does: "takes down what is loud", Key: true,
		Params: []Param{
			{Name: "threshold", Unit: Decibels, From: -60, To: 0, Default: -18, Does: "what is louder is taken down"},
			{Name: "ratio", From: 1, To: 100, Default: 4, Log: true, Does: "so many dB above the threshold become one"},
			{Name: "attack", Unit: Seconds, From: 0.0001, To: 0.5, Default: 0.005, Log: true, Does: "the time that it takes to go down"},
			{Name: "release", Unit: Seconds, From: 0.005, To: 5, Default: 0.12, Log: true, Does: "the time that it takes to come up"},
			{Name: "knee", Unit: Decibels, To: 24, Default: 6, Does: "how wide the bend around the threshold is"},
			{Name: "makeup", Unit: Decibels, From: -24, To: 24, Does: "a gain after it"},
			bypass,
		},
	},
	{
		Name: "delay", Does: "echoes",
		Params: []Param{
			{Name: "time", Unit: Seconds, From: 0.001, To: 4, Default: 0.35, Log: true, Does: "until the first echo, and between two"},
			{Name: "feedback", To: 0.95, Default: 0.35, Does: "how much of an echo is in the next one"},
			{Name: "lowpass", Unit: Hertz, From: 20, To: 20000, Off: true, Log: true, Does: "takes the heights from each echo once more"},
			{Name: "pingpong", To: 1, Choices: onOff, Does: "echoes come from the left and the right by turns"},
			mix, bypass,
		},
	},
	{
		Name: "reverb", Does: "a room",
		Params: []Param{
			{Name: "time", Unit: Seconds, From: 0.1, To: 20, Default: 1.8, Log: true, Does: "until 500 Hz to 1 kHz are 60 dB down"},
			{Name: "low", From: 0.25, To: 2.5, Default: 1.1, Log: true, Does: "a factor of time for what is deep: half way to it at 200 Hz"},
			{Name: "high", From: 0.1, To: 1.5, Default: 0.5, Log: true, Does: "a factor of time for what is high: half way to it at 5 kHz"},
			{Name: "predelay", Unit: Seconds, To: 0.25, Default: 0.01, Does: "until the room answers"},
			{Name: "size", From: 0.2, To: 2, Default: 1, Log: true, Does: "how far apart the walls are"},
			{Name: "early", Unit: Decibels, From: -60, To: 12, Default: -6, Does: "the first reflections beside the rest"},
			{Name: "width", To: 1, Default: 1, Does: "0: the same left and right"},
			{Name: "modulation", To: 1, Default: 0.3, Does: "how much the walls move"},
			mix, bypass,
		},
	},
	{
		Name: "drive", Does: "warm to broken: an amplifier that is driven too far",
		Params: []Param{
			{Name: "amount", Unit: Decibels, To: 40, Default: 12, Does: "how far"},
			{Name: "tone", From: -1, To: 1, Does: "-1 is dark, 1 bright: a tilt around 1 kHz"},
			mix, bypass,
		},
	},
	{
		Name: "width", Does: "moves left and right together or apart",
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

// KindOf returns the kind with the given name, or nil if there is none.
func KindOf(name string) *Kind {
	for i := range kinds {
		if kinds[i].Name == name {
			return &kinds[i]
		}
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

// Path returns the name of the value at an index: "time", "bands.2.freq".
func (k *Kind) Path(i int) string {
	if i < len(k.Params) {
		return k.Params[i].Name
	}
	i -= len(k.Params)
	return "bands." + strconv.Itoa(i/len(k.Band)+1) + "." + k.Band[i%len(k.Band)].Name
}

// Find returns the index of the value with the given name, as returned by Path, or -1 if there is none.
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

// At returns the index of the value of parameter Band[param] in a band. Bands count from 0 here, but from 1
// in names: At(0, 1) is the index of "bands.1.freq".
func (k *Kind) At(band, param int) int { return len(k.Params) + band*len(k.Band) + param }

// paths returns the names of all values.
func (k *Kind) paths() []string {
	names := make([]string, k.Len())
	for i := range names {
		names[i] = k.Path(i)
	}
	return names
}
