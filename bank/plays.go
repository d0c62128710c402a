package bank

import (
	"slices"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/parse"
	"voicepool/mixer"
	"voicepool/pcm"
)

// play is the state of a play with several voices or with parameters. Bank.mu guards it.
type play struct {
	bank     *Bank  // never changes: handles read it without the mutex
	age      uint64 // age of the handle that may use it
	number   uint64 // unique among all banks, because two banks may share a mixer
	starting bool   // its voices are still being started
	stopped  bool   // Bank.Stop has ended it while it was starting
	rules    *rules.Sound
	voices   []mixer.Handle // each layer followed by its followers
	sounds   []*sound       // by voice
	gain     pcm.Decibels
	pitch    pcm.Semitones // the game's values, without parameters
	values   []float64     // by parameter
	changes  []gameChange  // future changes of gain and pitch, in the order of their frames
}

// gameChange is a change of the game's gain or pitch at a future frame.
type gameChange struct {
	frame int64
	mixer.Change
}

// store stores the gain and pitch of c, which the mixer has accepted, as the game's values from frame on. The caller
// holds Bank.mu.
func (p *play) store(frame int64, c mixer.Change) {
	if frame <= p.adopt() {
		p.setGame(&c)
		return
	}
	i := len(p.changes)
	for i > 0 && p.changes[i-1].frame > frame {
		i--
	}
	p.changes = slices.Insert(p.changes, i, gameChange{frame, c})
}

// adopt sets the game's values to the stored changes up to the frame where a command without a frame takes effect, and
// returns that frame. p must have a voice. The caller holds Bank.mu.
func (p *play) adopt() int64 {
	next, n := p.voices[0].Mixer().Engine().Next(), 0
	for n < len(p.changes) && p.changes[n].frame <= next {
		p.setGame(&p.changes[n].Change)
		n++
	}
	p.changes = slices.Delete(p.changes, 0, n)
	return next
}

// setGame sets the game's gain and pitch to the values in c.
func (p *play) setGame(c *mixer.Change) {
	if c.Fields&mixer.FieldGain != 0 {
		p.gain = c.Gain
	}
	if c.Fields&mixer.FieldPitch != 0 {
		p.pitch = c.Pitch
	}
}

// add adds the voice h, a start of the sound s, to the play. If Bank.Stop has ended the play, add stops h and returns
// mixer.ErrGone.
func (p *play) add(s *sound, h mixer.Handle) error {
	p.voices, p.sounds = append(p.voices, h), append(p.sounds, s)
	if !p.stopped {
		return nil
	}
	_ = h.Stop(0)
	return mixer.ErrGone
}

// undo stops the voices of p, a play that could not start completely, and takes back their random choices. Voices that
// Bank.Stop has stopped continue to fade out. The play is reused once the voices have ended. The caller holds Bank.mu.
func (p *play) undo() {
	for i, h := range p.voices {
		if !p.stopped {
			_ = h.Stop(0)
		}
		p.sounds[i].undo()
	}
}

// ended reports whether all voices of p have ended. A play that is still starting is not over. The caller holds
// Bank.mu.
func (p *play) ended() bool {
	return !p.starting && !slices.ContainsFunc(p.voices, func(h mixer.Handle) bool { return !h.State().Over() })
}

// playPool is a pool of plays. Plays that have ended are reused.
type playPool struct {
	all    []*play
	cursor int
}

// lastPlayNumber is the last play number given.
var lastPlayNumber atomic.Uint64

// bankNumberBit is set in the numbers of plays of banks. Games use smaller numbers; see mixer.Options.Play.
const bankNumberBit = 1 << 63

const (
	quickChecks  = 8  // number of plays checked before a full search
	initialPlays = 64 // initial size of the pool
)

// acquire returns a play of the bank b that has ended, for reuse; the caller sets all fields except the bank. If the
// first plays that it looks at are in use, and at least three quarters of all plays, it doubles the pool. The caller
// holds Bank.mu.
func (ps *playPool) acquire(b *Bank) *play {
	for range min(len(ps.all), quickChecks) {
		ps.cursor = (ps.cursor + 1) % len(ps.all)
		if p := ps.all[ps.cursor]; p.ended() {
			return p
		}
	}
	free := 0
	for i, p := range ps.all {
		if p.ended() {
			ps.cursor = i
			free++
		}
	}
	if free > len(ps.all)/4 {
		return ps.all[ps.cursor]
	}
	ps.cursor = len(ps.all)
	n := max(len(ps.all), initialPlays)
	chunk, voices, sounds := make([]play, n), make([]mixer.Handle, n*parse.MaxLayers), make([]*sound, n*parse.MaxLayers)
	for i := range chunk {
		from, to := i*parse.MaxLayers, (i+1)*parse.MaxLayers
		chunk[i].bank, chunk[i].voices, chunk[i].sounds = b, voices[from:from:to], sounds[from:from:to]
		ps.all = append(ps.all, &chunk[i])
	}
	return ps.all[ps.cursor]
}
