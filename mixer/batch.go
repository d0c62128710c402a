package mixer

import (
	"fmt"
	"sync/atomic"

	"voicepool/mixer/internal/commandqueue"
)

// Batch holds commands that wait on the audio side until the batch is fired. Each command has an offset:
// it is executed that many frames after the firing. So several commands can share a frame that is not
// known in advance, such as the end of a voice (see Countdown). Create it with NewBatch.
//
// Waiting commands count as commands under way, see Config.Commands. A Batch fires once. Commands added
// after the firing keep their offset from it, or are executed immediately if they are late.
type Batch struct {
	mixer *Mixer
	base  atomic.Int64 // -1 until it is fired; written by the audio side

	batchState
}

// batchState is the audio-side state of a Batch.
type batchState struct {
	commands  commandqueue.List // waiting
	countdown *Countdown        // the countdown it waits for
	next      *Batch            // in a list of the countdown, or of the batches fired at this frame
	dropped   bool
}

// Countdown counts starts that are not over, as a sync.WaitGroup counts goroutines. Moment.Add increments
// it. Each start with the countdown in Options.Countdowns decrements it when it has ended, or was
// stopped, stolen for good, refused or coalesced. A Batch can wait until it is 0, see Moment.FireAt.
// Create it with NewCountdown.
type Countdown struct {
	mixer *Mixer
	self  *Countdown // see Group.self
	loops bool       // a start counts as over when it leaves its loop

	countdownState
}

// countdownState is the audio-side state of a Countdown.
type countdownState struct {
	left    int64
	waiting *Batch // the list of batches that wait for it
}

// NewBatch returns an empty Batch. Control side.
func (m *Mixer) NewBatch() *Batch {
	s := &Batch{mixer: m}
	s.base.Store(-1)
	return s
}

// NewCountdown returns a Countdown with the value 0. Control side.
func (m *Mixer) NewCountdown() *Countdown { return m.newCountdown(false) }

// NewLoopCountdown returns a Countdown with the value 0. A start with this Countdown counts as over when it leaves its
// loop, at the end of its last round. If the sound does not continue after the loop, it counts as over when it ends.
// Control side.
func (m *Mixer) NewLoopCountdown() *Countdown { return m.newCountdown(true) }

// newCountdown returns a Countdown with the value 0. If loops is true, a start counts as over when it leaves its loop,
// otherwise when it has ended, was stopped, stolen, refused or coalesced.
func (m *Mixer) newCountdown(loops bool) *Countdown {
	c := &Countdown{mixer: m, loops: loops}
	c.self = c
	return c
}

// At returns a moment for commands that join the Batch s. They are executed offset frames after s is fired. A negative
// offset counts as 0. Control side.
func (s *Batch) At(offset int64) Moment {
	at := s.mixer.At(max(offset, 0))
	at.batch = s
	return at
}

// Base returns whether the Batch was fired, and the frame of the mix when it was fired. Before that the frame is -1.
// Control side.
func (s *Batch) Base() (frame int64, fired bool) {
	frame = s.base.Load()
	return frame, frame >= 0
}

// Fire fires the Batch s at the moment: the offsets of its commands count from that frame. Commands of s for that
// frame are executed before successors (see Handle.Then) start there. Fire has no effect on a Batch that was fired or
// dropped, or that waits for a countdown of FireAt. The error is ErrBusy, or wraps ErrOption if s is nil, belongs to
// another mixer, or is the Batch of this moment.
func (at Moment) Fire(s *Batch) error { return at.sendBatch(cmdFire, s, nil, 0) }

// FireAt fires the Batch s at the frame when the countdown c reaches 0. If c is 0 or less at this moment, s fires in
// this frame, after all its other commands. FireAt may itself be a command of another Batch, so that batches follow
// each other. A Batch waits for one countdown; a second FireAt has no effect. The error is ErrBusy, or wraps ErrOption
// if c is nil or another mixer's, or for the reasons of Fire.
func (at Moment) FireAt(s *Batch, c *Countdown) error {
	if c == nil {
		return fmt.Errorf("%w: no countdown", ErrOption)
	}
	return at.sendBatch(cmdFire, s, c, 0)
}

// Drop cancels the commands of s that have not been executed, and all commands that are added to s later. Starts among
// these commands count as stopped. The error is ErrBusy, or wraps ErrOption as in Fire.
func (at Moment) Drop(s *Batch) error { return at.sendBatch(cmdDrop, s, nil, 0) }

// Add adds the number starts to the value of c. A negative number removes starts that will not be requested. The error
// is ErrBusy, or wraps ErrOption if c is nil or another mixer's.
func (at Moment) Add(c *Countdown, starts int) error {
	if c == nil {
		return fmt.Errorf("%w: no countdown", ErrOption)
	}
	return at.sendBatch(cmdAdd, nil, c, int64(starts))
}

// sendBatch sends a command of the given kind for the Batch s or the Countdown c at the moment. An argument that the
// kind does not use may be nil. n is the number that cmdAdd adds. The error is ErrBusy, or wraps ErrOption. The latter
// happens if a needed s is missing, if s or c belongs to another mixer, or if s is the Batch of this moment.
func (at Moment) sendBatch(kind commandKind, s *Batch, c *Countdown, n int64) error {
	switch {
	case at.mixer == nil:
		return errNoMixer
	case kind != cmdAdd && s == nil:
		return fmt.Errorf("%w: no batch", ErrOption)
	case s != nil && s.mixer != at.mixer || c != nil && c.mixer != at.mixer:
		return fmt.Errorf("%w: the batch or the countdown is another mixer's", ErrOption)
	case s != nil && s == at.batch:
		return fmt.Errorf("%w: a batch cannot fire or drop itself", ErrOption)
	}
	return at.mixer.send(command{
		kind: kind, frame: at.frame, batch: at.batch, rank: at.rank,
		target: TargetAll(), position: n, payload: &payload{batch: s, countdown: c},
	})
}

// ownCountdowns reports whether all countdowns in o that are not nil belong to m.
func (o *Options) ownCountdowns(m *Mixer) bool {
	for _, c := range o.Countdowns {
		if c != nil && c.mixer != m {
			return false
		}
	}
	return true
}
