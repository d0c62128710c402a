// Package rules holds the contents of a designer's file: sounds, buses and voices as plain data. Banks and
// cue sheets consist of it. Packages [voicepool/bank] and [voicepool/cue] parse it, and docs/banks.md
// describes every key.
//
// Times are exact decimals. Each is rounded to a frame once, half up.
package rules

import (
	"slices"

	"fmt"
	"io/fs"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// Rules holds everything in a bank, and everything except the cues in a cue sheet. Fields may be changed
// after parsing, for command-line flags, before any other use. After that Rules is read-only and safe for
// concurrent use.
type Rules struct {
	File string // name of the file; paths are relative to its folder
	FS   fs.FS  // file system of the paths; nil: the operating system

	// Named lists sounds that can be used by name without a file, such as embedded.Sources().
	Named []library.Source

	Voices        int // slots, 1..65,536; default 32
	Virtual       int // virtual voices, 0..65,536
	Overflow      mixer.Overflow
	Grow          Grow
	Refuse        bool // reject an incoming start that is 6 dB less audible than its victim
	IgnoreFilters bool // victim choices use only gains, for comparison; not a key of a file
	Quality       sounds.Quality
	Rate          int    // frames per second, 1,000..768,000; default 48,000
	Seed          uint64 // of the random choices; default 1
	Master        Master
	Outputs       []Output // pairs of channels of the device; empty: one pair, the master
	Downmix       bool     // mix all outputs down to one; not a key of a file
	Buses         []Bus
	Scenes        []Scene
	Music         []Music
	Preload       bool        // bank.Open also loads the sounds of LoadGroups
	Memory        int64       // memory of the sounds of a bank in bytes, at most; 0: unlimited
	LoadGroups    []LoadGroup // sounds that a game loads and unloads together
	Sounds        []Sound     // the sounds of `sounds`; in a cue sheet also embedded sounds and files that cues play by name
}

// LoadGroup is a group of sounds that a bank loads and unloads together. A sound may be in several groups. It is not
// related to Sound.Group, which shares limits.
type LoadGroup struct {
	Line, Column int
	Name         string
	Sounds       []string // names in Rules.Sounds or Rules.Music
}

// Grow configures the growth of the pool with overflow: grow. Zero fields mean the mixer's defaults.
type Grow struct {
	Step, Max int
	Idle      Time
}

// Output is a pair of channels of the device with a mix of its own.
type Output struct {
	Name    string
	Channel int          // the first of the two, from 1
	Gain    pcm.Decibels // the first output uses Master.Gain instead, and likewise for the fields below

	LowPass, HighPass float64 // cutoffs in Hz; 0: off
	Effects           []effect.Effect
}

// Channels returns the pair of device channels as in a file, from 1, such as "3-4".
func (o *Output) Channels() string { return fmt.Sprintf("%d-%d", o.Channel, o.Channel+1) }

// Pairs returns the number of channel pairs that the device must have, at least 1. It is 1 if Fold downmixes
// the outputs.
func (r *Rules) Pairs() int {
	n := 1
	for i := range r.Outputs {
		if !r.Downmix {
			n = max(n, (r.Outputs[i].Channel+1)/2)
		}
	}
	return n
}

// Master is the final bus.
type Master struct {
	Gain     pcm.Decibels
	Limiter  bool
	SoftClip bool
	DCGuard  bool
	Effects  []effect.Effect

	LowPass, HighPass float64 // cutoffs in Hz; 0: off
}

// Filters reports whether victim choices need the spectra of sounds: because the master, an output, a bus, a scene or
// a sound has filters, equalizers or sends.
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
			return s.Filters != (mixer.Filters{}) || len(s.Sends) > 0 || s.Emitter.Air != 0 || s.Emitter.Cone.LowPass != 0
		})
}

// Config returns the mixer configuration of the rules outside all scenes, with a maximum of voices that fits every
// scene. Its slices of effects and sends share the memory of r.
func (r *Rules) Config() mixer.Config {
	c := mixer.Config{
		Rate: r.Rate, Voices: r.Voices, Virtual: r.Virtual, Overflow: r.Overflow, RejectQuietest: r.Refuse, IgnoreFilters: r.IgnoreFilters,
		Grow:       mixer.Grow{Step: r.Grow.Step, Max: r.Grow.Max, Idle: r.Grow.Idle.Duration(r.Rate)},
		MasterGain: r.Master.Gain, NoLimiter: !r.Master.Limiter, SoftClip: r.Master.SoftClip, DCGuard: r.Master.DCGuard,
		Quality: r.Quality, Fold: r.Downmix, Effects: r.Master.Effects, LowPass: r.Master.LowPass, HighPass: r.Master.HighPass,
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
			Duck: b.Duck.MixerDuck(r.Rate), Effects: b.Effects, Sends: b.Sends, LowPass: b.LowPass, HighPass: b.HighPass,
		}
		c.Buses = append(c.Buses, bus)
	}
	return c
}
