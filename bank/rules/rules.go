// Package rules is what a designer's file says of sounds, buses and voices: pure data. A bank
// and a cue sheet are made of it; [voicepool/bank] and [voicepool/cue] read it, and docs/banks.md
// lists every key.
//
// Times are exact decimals. Each becomes a frame by one rounding, half up.
package rules

import (
	"slices"

	"fmt"
	"io/fs"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// Rules is all that a bank says, and all of a cue sheet but its cues. Whoever reads one may
// change its fields before anything else is done with it, as for a flag of a command. After
// that any goroutine may use it, and nobody may change it.
type Rules struct {
	File string // the name that it was read under; paths are relative to its folder
	FS   fs.FS  // where paths are; nil: the operating system

	// Named are the sounds that a name means without a file, such as embedded.Sources().
	Named []sounds.Source

	Voices   int // slots, 1..65,536; 32 where the file does not say
	Virtual  int // virtual voices, 0..65,536
	Overflow mixer.Overflow
	Grow     Grow
	Refuse   bool // a newcomer that is itself the least audible is rejected
	Blind    bool // choices know gains alone, to compare with; no key of a sheet
	Quality  voice.Quality
	Rate     int    // frames per second, 1,000..768,000; 48,000 where the file does not say
	Seed     uint64 // of the random choices; 1 where the file does not say
	Master   Master
	Outputs  []Output // pairs of channels of the device; none: one, which is the master
	Fold     bool     // mixes all outputs into one; no file says so
	Buses    []Bus
	Scenes   []Scene
	Sounds   []Sound // those of `sounds`; of a cue sheet also embedded sounds and files that cues play by name
}

// Grow is how the pool grows with overflow: grow. A field of 0 means the
// mixer's default.
type Grow struct {
	Step, Max int
	Idle      Time
}

// Output is a pair of channels of the device, with a mix of its own.
type Output struct {
	Name    string
	Channel int          // the first of the two, from 1
	Gain    pcm.Decibels // 0 of the first, which has that of the master, as of what follows

	LowPass, HighPass float64 // cutoffs in Hz; 0: off
	Effects           []effect.Effect
}

// Channels returns the pair as a file has it: 3-4.
func (o *Output) Channels() string { return fmt.Sprintf("%d-%d", o.Channel, o.Channel+1) }

// Pairs returns how many pairs of channels a device has to have: up to that of the last output.
func (r *Rules) Pairs() int {
	n := 1
	for i := range r.Outputs {
		if !r.Fold {
			n = max(n, (r.Outputs[i].Channel+1)/2)
		}
	}
	return n
}

// Master is the last bus.
type Master struct {
	Gain     pcm.Decibels
	Limiter  bool
	SoftClip bool
	DCGuard  bool
	Effects  []effect.Effect

	LowPass, HighPass float64 // cutoffs in Hz; 0: off
}

// Filters reports whether sounds or buses have filters, equalisers or sends, so that choices look at the
// spectra of sounds.
func (r *Rules) Filters() bool {
	equalises := func(effects []effect.Effect) bool {
		return slices.ContainsFunc(effects, func(e effect.Effect) bool { return e.Filters() })
	}
	return equalises(r.Master.Effects) || r.Master.LowPass != 0 || r.Master.HighPass != 0 ||
		slices.ContainsFunc(r.Outputs, func(o Output) bool { return o.LowPass != 0 || o.HighPass != 0 || equalises(o.Effects) }) ||
		slices.ContainsFunc(r.Buses, func(b Bus) bool {
			return len(b.Sends) > 0 || b.LowPass != 0 || b.HighPass != 0 || equalises(b.Effects)
		}) ||
		slices.ContainsFunc(r.Scenes, func(s Scene) bool {
			return slices.ContainsFunc(s.Buses, func(b SceneBus) bool { return b.LowPass != nil || b.HighPass != nil })
		}) ||
		slices.ContainsFunc(r.Sounds, func(s Sound) bool {
			return s.LowPass != 0 || s.HighPass != 0 || len(s.Sends) > 0 || s.Emitter.Air != 0 || s.Emitter.Cone.LowPass != 0
		})
}

// Config returns the mixer that the rules describe.
func (r *Rules) Config() mixer.Config {
	c := mixer.Config{
		Rate: r.Rate, Voices: r.Voices, Virtual: r.Virtual, Overflow: r.Overflow, RejectQuietest: r.Refuse, Blind: r.Blind,
		Grow:       mixer.Grow{Step: r.Grow.Step, Max: r.Grow.Max, Idle: r.Grow.Idle.Duration(r.Rate)},
		MasterGain: r.Master.Gain, NoLimiter: !r.Master.Limiter, SoftClip: r.Master.SoftClip, DCGuard: r.Master.DCGuard,
		Quality: r.Quality, Fold: r.Fold, Effects: r.Master.Effects, LowPass: r.Master.LowPass, HighPass: r.Master.HighPass,
	}
	for i := range r.Outputs {
		o := &r.Outputs[i]
		c.Outputs = append(c.Outputs, mixer.Output{Name: o.Name, Channel: o.Channel, Gain: o.Gain, Effects: o.Effects, LowPass: o.LowPass, HighPass: o.HighPass})
	}
	for i := range r.Scenes {
		c.MaxVoices = max(c.MaxVoices, c.Voices, r.Scenes[i].Voices)
	}
	for i := range r.Buses {
		b := &r.Buses[i]
		bus := mixer.BusConfig{
			Name: b.Name, Parent: b.Parent, Output: b.Output, Solo: b.Solo, Gain: b.Gain, Pan: b.Pan, Pitch: b.Pitch, Voices: b.Voices, Mute: b.Mute,
			Duck: b.Duck.Of(r.Rate), Effects: b.Effects, Sends: b.Sends, LowPass: b.LowPass, HighPass: b.HighPass,
		}
		c.Buses = append(c.Buses, bus)
	}
	return c
}
