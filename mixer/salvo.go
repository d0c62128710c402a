package mixer

import (
	"fmt"
	"sync/atomic"
)

// Salvo is a batch of commands that wait on the audio side until the batch is fired. Each command is
// executed at its offset in frames from the firing. So all of them can share a frame that is not known in
// advance, such as the frame at which a voice ends (see Count). Create it with NewSalvo.
//
// Waiting commands count as commands under way, see Config.Commands. A Salvo fires once. Commands added
// after the firing keep their offset from it, or are executed immediately if they are late.
type Salvo struct {
	mixer *Mixer
	base  atomic.Int64 // -1 until it is fired; written by the audio side

	salvoState
}

// salvoState is the audio-side state of a Salvo.
type salvoState struct {
	first, last int32  // the list of waiting commands: places in the queue, from 1; 0: empty
	count       *Count // the count it waits for
	next        *Salvo // in a list of the count, or of the salvos fired at this frame
	dropped     bool
}

// Count counts starts that are not over, as a sync.WaitGroup does. Moment.Add increments it. Each start
// with the count in Options.Counts decrements it when it has ended, or was stopped, stolen for good,
// refused or coalesced. A Salvo can wait until it is 0, see Moment.FireAt. Create it with NewCount.
type Count struct {
	mixer *Mixer
	self  *Count // see Group.self
	loops bool   // a start counts as over when it leaves its loop

	countState
}

// countState is the audio-side state of a Count.
type countState struct {
	left    int64
	waiting *Salvo // the list of salvos that wait for it
}

// NewSalvo returns an empty Salvo. Control side.
func (m *Mixer) NewSalvo() *Salvo {
	s := &Salvo{mixer: m}
	s.base.Store(-1)
	return s
}

// NewCount returns a Count of 0. Control side.
func (m *Mixer) NewCount() *Count { return m.newCount(false) }

// NewLoopCount returns a Count of 0 for which a looping start is over when it leaves its loop: at the end
// of its last round, if the sound continues after the loop. Control side.
func (m *Mixer) NewLoopCount() *Count { return m.newCount(true) }

func (m *Mixer) newCount(loops bool) *Count {
	c := &Count{mixer: m, loops: loops}
	c.self = c
	return c
}

// At returns the moment at an offset in frames from the firing. Control side.
func (s *Salvo) At(offset int64) Moment {
	at := s.mixer.At(max(offset, 0))
	at.salvo = s
	return at
}

// Base returns the frame at which the Salvo was fired, and whether it was fired. Control side.
func (s *Salvo) Base() (frame int64, fired bool) {
	frame = s.base.Load()
	return frame, frame >= 0
}

// Fire fires a Salvo: its commands are executed from this frame on, before successors that start at this
// frame. It has no effect on a Salvo that was fired or dropped.
func (at Moment) Fire(s *Salvo) error { return at.arm(cmdFire, s, nil, 0) }

// FireAt fires a Salvo at the frame at which a count reaches 0. If the count is 0 at this moment, the
// Salvo fires at this moment's frame, after all other commands of the frame. FireAt may itself be a
// command of another Salvo, so that batches follow each other. A Salvo waits for one count.
func (at Moment) FireAt(s *Salvo, c *Count) error {
	if c == nil {
		return fmt.Errorf("%w: no count", ErrOption)
	}
	return at.arm(cmdFire, s, c, 0)
}

// Drop cancels the commands of a Salvo that have not been executed, and all commands that are added
// later. Their starts count as stopped.
func (at Moment) Drop(s *Salvo) error { return at.arm(cmdDrop, s, nil, 0) }

// Add adds starts to a count. A negative number removes starts that will not be requested.
func (at Moment) Add(c *Count, starts int) error {
	if c == nil {
		return fmt.Errorf("%w: no count", ErrOption)
	}
	return at.arm(cmdAdd, nil, c, int64(starts))
}

// arm sends a command for a Salvo or a Count.
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

// counts reports whether all counts belong to m.
func (o *Options) counts(m *Mixer) bool {
	for _, c := range o.Counts {
		if c != nil && c.mixer != m {
			return false
		}
	}
	return true
}
