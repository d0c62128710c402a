package bank

import (
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/internal/parse"
	"voicepool/mixer"
	"voicepool/pcm"
)

// play is what is known of a play of several sounds, or with parameters. The bank's mutex guards it.
type play struct {
	bank   *Bank  // for ever: handles read it without the mutex
	age    uint64 // of the handle that may use it
	number uint64 // of all plays that have several voices, of any bank: two may play on one mixer
	begins bool   // its voices are not all there yet
	rules  *rules.Sound
	voices []mixer.Handle // of the layers, each with what follows it
	sounds []*sound       // of the voices
	gain   pcm.Decibels
	pitch  pcm.Semitones // the game's, without the parameters
	values []float64     // of the parameters, in their order
}

// add keeps a voice.
func (p *play) add(s *sound, h mixer.Handle) {
	p.voices, p.sounds = append(p.voices, h), append(p.sounds, s)
}

// undo stops what was begun, before it has sounded, and takes its draws back.
func (p *play) undo() {
	for i, h := range p.voices {
		_ = h.Stop()
		p.sounds[i].undo()
	}
}

// over reports whether all voices have ended.
func (p *play) over() bool {
	if p.begins {
		return false
	}
	for _, h := range p.voices {
		if !h.State().Over() {
			return false
		}
	}
	return true
}

// plays are those of sounds with layers, parameters or something that follows them. Those that are
// over are used again.
type plays struct {
	all    []*play
	cursor int
}

// numbered is how many plays have numbers.
var numbered atomic.Uint64

// ofBanks is in the numbers of all plays of banks: a game has the smaller ones, see mixer.Options.Play.
const ofBanks = 1 << 63

const (
	glance = 8  // how many plays are looked at for one that is over
	first  = 64 // plays that are made at first
)

// free returns a play of a bank that is over. It makes as many again as there are if more than three of four
// go on.
func (ps *plays) free(b *Bank) *play {
	for range min(len(ps.all), glance) {
		ps.cursor = (ps.cursor + 1) % len(ps.all)
		if p := ps.all[ps.cursor]; p.over() {
			return p
		}
	}
	over := 0
	for i, p := range ps.all {
		if p.over() {
			ps.cursor = i
			over++
		}
	}
	if over > len(ps.all)/4 {
		return ps.all[ps.cursor]
	}
	ps.cursor = len(ps.all)
	n := max(len(ps.all), first)
	made, voices, sounds := make([]play, n), make([]mixer.Handle, n*parse.MaxLayers), make([]*sound, n*parse.MaxLayers)
	for i := range made {
		from, to := i*parse.MaxLayers, (i+1)*parse.MaxLayers
		made[i].bank, made[i].voices, made[i].sounds = b, voices[from:from:to], sounds[from:from:to]
		ps.all = append(ps.all, &made[i])
	}
	return ps.all[ps.cursor]
}
