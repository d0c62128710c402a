package rules

import (
	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Bus is a named sub-mix.
type Bus struct {
	Name   string
	Parent string // the bus that it feeds into; empty: its output, or the master
	Output string // empty: the output of its parent
	Gain   pcm.Decibels
	Pan    float64
	Pitch  pcm.Semitones
	Voices int // limit on voices; 0: no limit
	Mute   bool
	Solo   bool
	Duck   *Duck

	LowPass  float64 // cutoff in Hz of the output of the bus; 0: off
	HighPass float64

	Effects []effect.Effect
	Sends   []mixer.Send
}

// EffectMove sets target values of an effect of a bus. Values is read-only.
type EffectMove struct {
	Effect string // name of the effect
	Values effect.Values
}

// Duck lowers a bus while a voice on another one is loud enough, see mixer.Duck.
type Duck struct {
	When                  string
	By                    pcm.Decibels // 0..120
	Above                 pcm.Decibels // -120..-1; 0: mixer.DuckAbove
	Attack, Hold, Release Time
}

// MixerDuck converts the duck for a mixer with the sample rate rate, in Hz. A nil d gives a zero Duck, which is off.
func (d *Duck) MixerDuck(rate int) mixer.Duck {
	if d == nil {
		return mixer.Duck{}
	}
	return mixer.Duck{
		When: d.When, By: d.By, Above: d.Above,
		Attack: d.Attack.Duration(rate), Hold: d.Hold.Duration(rate), Release: d.Release.Duration(rate),
	}
}

// Scene is a state of the game with its own pool size and bus values. Values that it leaves open are the
// file's.
type Scene struct {
	Name   string
	Voices int // 0: the file's
	Buses  []SceneBus

	Priority int // of its effect values, where several active scenes set one
}

// SceneBus holds the values of a bus, or of the master, in a scene.
type SceneBus struct {
	Name string
	Gain *pcm.Decibels // nil for Gain, Mute or Duck: the file's
	Mute *bool
	Duck *Duck

	LowPass, HighPass *float64 // Hz; 0: off; nil: the file's

	Effects []EffectMove // other effects have the file's values
	Sends   []mixer.Send // gains; other sends have the file's
}

// Parents returns a map from the name of each bus and output to the bus that it feeds into; "" is the master. A bus
// without a parent feeds into its output, and an output into the master.
func (r *Rules) Parents() map[string]string {
	parents := make(map[string]string, len(r.Outputs)+len(r.Buses))
	for i := range r.Outputs {
		parents[r.Outputs[i].Name] = ""
	}
	for i := range r.Buses {
		b := &r.Buses[i]
		if parents[b.Name] = b.Parent; b.Parent == "" {
			parents[b.Name] = b.Output
		}
	}
	return parents
}

// EffectsOf returns the effects of the bus called bus: of a bus, the "master", or an output. It returns nil for an
// unknown name, and for the first output, whose effects the master has.
func (r *Rules) EffectsOf(bus string) []effect.Effect {
	for i := range r.Buses {
		if r.Buses[i].Name == bus {
			return r.Buses[i].Effects
		}
	}
	for i := 1; i < len(r.Outputs); i++ {
		if r.Outputs[i].Name == bus {
			return r.Outputs[i].Effects
		}
	}
	if bus == "master" {
		return r.Master.Effects
	}
	return nil
}
