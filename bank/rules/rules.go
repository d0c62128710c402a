// Package rules is what a designer's file says of sounds, buses and voices: pure data. A bank
// and a cue sheet are made of it; [voicepool/bank] and [voicepool/cue] read it, and docs/banks.md
// lists every key.
//
// Times are exact decimals. Each becomes a frame by one rounding, half up.
package rules

import (
	"io/fs"

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
	Quality  voice.Quality
	Rate     int    // frames per second, 1,000..768,000; 48,000 where the file does not say
	Seed     uint64 // of the random choices; 1 where the file does not say
	Master   Master
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

// Master is the last bus.
type Master struct {
	Gain     pcm.Decibels
	Limiter  bool
	SoftClip bool
	DCGuard  bool
}

// Config returns the mixer that the rules describe.
func (r *Rules) Config() mixer.Config {
	c := mixer.Config{
		Rate: r.Rate, Voices: r.Voices, Virtual: r.Virtual, Overflow: r.Overflow, RejectQuietest: r.Refuse,
		Grow:       mixer.Grow{Step: r.Grow.Step, Max: r.Grow.Max, Idle: r.Grow.Idle.Duration(r.Rate)},
		MasterGain: r.Master.Gain, NoLimiter: !r.Master.Limiter, SoftClip: r.Master.SoftClip, DCGuard: r.Master.DCGuard,
		Quality: r.Quality,
	}
	for i := range r.Scenes {
		c.MaxVoices = max(c.MaxVoices, c.Voices, r.Scenes[i].Voices)
	}
	for i := range r.Buses {
		b := &r.Buses[i]
		bus := mixer.BusConfig{
			Name: b.Name, Parent: b.Parent, Solo: b.Solo, Gain: b.Gain, Pan: b.Pan, Pitch: b.Pitch, Voices: b.Voices, Mute: b.Mute,
			Duck: b.Duck.Of(r.Rate),
		}
		c.Buses = append(c.Buses, bus)
	}
	return c
}
