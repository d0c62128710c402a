package rules

import (
	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Bus is a named sub-mix.
type Bus struct {
	Name   string
	Parent string // the bus that it goes into; empty: its output, or the master
	Output string // empty: that of its parent
	Gain   pcm.Decibels
	Pan    float64
	Pitch  pcm.Semitones
	Voices int // at most so many; 0: as many as the pool has
	Mute   bool
	Solo   bool
	Duck   *Duck

	LowPass  float64 // the cutoff in Hz, of all that it gives; 0: off
	HighPass float64

	Effects []effect.Effect
	Sends   []mixer.Send
}

// EffectMove is where values of an effect of a bus go. Nobody may change its Values.
type EffectMove struct {
	Effect string // what it is called
	Values effect.Values
}

// Duck lowers a bus while a voice on another one is loud enough, see mixer.Duck.
type Duck struct {
	When                  string
	By                    pcm.Decibels // 0..120
	Above                 pcm.Decibels // -120..-1; 0: mixer.DuckAbove
	Attack, Hold, Release Time
}

// Of returns the duck of a mixer of a rate; nil does not duck.
func (d *Duck) Of(rate int) mixer.Duck {
	if d == nil {
		return mixer.Duck{}
	}
	return mixer.Duck{
		When: d.When, By: d.By, Above: d.Above,
		Attack: d.Attack.Duration(rate), Hold: d.Hold.Duration(rate), Release: d.Release.Duration(rate),
	}
}

// Scene is a state of the game that has a pool size and buses of its own. What it does not name is
// as the file says.
type Scene struct {
	Name   string
	Voices int // 0: as the file says
	Buses  []SceneBus
}

// SceneBus is a bus, or the master, in a scene.
type SceneBus struct {
	Name string
	Gain *pcm.Decibels // nil, of all three: as the file says
	Mute *bool
	Duck *Duck

	LowPass, HighPass *float64 // Hz; 0: off; nil: as the file says

	Effects []EffectMove // what is not named is as the file says
	Sends   []mixer.Send // the same: their gains
}

// Parents returns the bus that each bus goes into, by their names; empty: the master. The master
// bus of an output has the name of the output.
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

// EffectsOf returns the effects of a bus, the master and the buses of outputs too.
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
