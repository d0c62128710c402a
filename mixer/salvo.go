package mixer

import (
	"fmt"
	"sync/atomic"
)

// Salvo is a group of commands that are armed ahead of time: they wait on the audio side until the
// salvo is fired, and then each acts so many frames after that. So all of them act at one frame,
// also one that nobody knows beforehand: that at which a voice ends, see Count. Made by NewSalvo.
//
// Armed commands count as commands under way, see Config.Commands. A salvo is fired once; what is
// given to it later acts as many frames after that, or at once where it is late.
type Salvo struct {
	mixer *Mixer
	base  atomic.Int64 // -1 until it is fired; the audio side's

	salvoState
}

// salvoState is what waits in a salvo: the audio side's.
type salvoState struct {
	first, last int32  // places in the queue, from 1; 0: none
	count       *Count // for which it waits
	next        *Salvo // that waits for the same, or is fired at the same frame
	dropped     bool
}

// Count counts starts that are not over, as a sync.WaitGroup does: Moment.Add adds some, and each
// start with the count in its Options.Counts takes one off when it is over: ended, stopped, stolen
// for good, refused, or coalesced. Salvos wait for it, see Moment.FireAt. Made by NewCount.
type Count struct {
	mixer *Mixer
	self  *Count // see Group.self
	loops bool   // a start that leaves its loop is over for it

	countState
}

// countState is how far a count is: the audio side's.
type countState struct {
	left    int64
	waiting *Salvo // the first that waits for it
}

// NewSalvo returns a salvo without commands. Control side.
func (m *Mixer) NewSalvo() *Salvo {
	s := &Salvo{mixer: m}
	s.base.Store(-1)
	return s
}

// NewCount returns a count of 0. Control side.
func (m *Mixer) NewCount() *Count { return m.newCount(false) }

// NewLoopCount returns a count of 0, for which a start that loops is over where it leaves its loop: at
// the end of its last round, if it goes on behind that. Control side.
func (m *Mixer) NewLoopCount() *Count { return m.newCount(true) }

func (m *Mixer) newCount(loops bool) *Count {
	c := &Count{mixer: m, loops: loops}
	c.self = c
	return c
}

// At returns the moment so many frames after the salvo is fired. Control side.
func (s *Salvo) At(offset int64) Moment {
	at := s.mixer.At(max(offset, 0))
	at.salvo = s
	return at
}

// Base returns the frame at which the salvo was fired, and whether it was. Control side.
func (s *Salvo) Base() (frame int64, fired bool) {
	frame = s.base.Load()
	return frame, frame >= 0
}

// Fire fires a salvo: its commands act from this frame on, before what follows on here. One that was
// fired, or dropped, stays so.
func (at Moment) Fire(s *Salvo) error { return at.arm(cmdFire, s, nil, 0) }

// FireAt fires a salvo at the frame at which a count comes to 0, or at this one if it is 0 then: after
// everything else that acts there. It may be a command of another salvo, so that one follows the next.
// A salvo waits for one count.
func (at Moment) FireAt(s *Salvo, c *Count) error {
	if c == nil {
		return fmt.Errorf("%w: no count", ErrOption)
	}
	return at.arm(cmdFire, s, c, 0)
}

// Drop drops the commands of a salvo that have not acted, and those that are still given to it. Starts
// among them count as stopped.
func (at Moment) Drop(s *Salvo) error { return at.arm(cmdDrop, s, nil, 0) }

// Add adds starts to a count, or takes some off that will not be asked for: a negative number.
func (at Moment) Add(c *Count, starts int) error {
	if c == nil {
		return fmt.Errorf("%w: no count", ErrOption)
	}
	return at.arm(cmdAdd, nil, c, int64(starts))
}

// arm sends a command for a salvo or a count.
func (at Moment) arm(kind commandKind, s *Salvo, c *Count, n int64) error {
	switch {
	case at.mixer == nil:
		return errNoMixer
	case kind != cmdAdd && s == nil:
		return fmt.Errorf("%w: no salvo", ErrOption)
	case s != nil && s.mixer != at.mixer || c != nil && c.mixer != at.mixer:
		return fmt.Errorf("%w: the salvo or the count is another mixer's", ErrOption)
	case s != nil && s == at.salvo:
		return fmt.Errorf("%w: a salvo cannot fire or drop itself", ErrOption)
	}
	return at.mixer.send(command{
		kind: kind, frame: at.frame, salvo: at.salvo, rank: at.rank,
		target: TargetAll(), place: n, part: &part{salvo: s, count: c},
	})
}

// counts reports whether the counts are those of a mixer.
func (o *Options) counts(m *Mixer) bool {
	for _, c := range o.Counts {
		if c != nil && c.mixer != m {
			return false
		}
	}
	return true
}
