package mixer

import (
	"fmt"

	"voicepool/mixer/internal/batches"
)

// Batch holds commands that wait on the audio side until the batch is fired. Each command has an offset:
// it is executed that many frames after the firing. So several commands can share a frame that is not
// known in advance, such as the end of a voice (see Countdown). Create it with NewBatch.
//
// Waiting commands count as commands under way, see Config.Commands. A Batch fires once. Commands added
// after the firing keep their offset from it, or are executed immediately if they are late.
type Batch struct {
	mixer *Mixer
	state batches.Batch
}

// Countdown counts starts that are not over, as a sync.WaitGroup counts goroutines. Moment.Add increments
// it. Each start with the countdown in Options.Countdowns decrements it when it has ended, or was
// stopped, stolen for good, refused or coalesced. A Batch can wait until it is 0, see Moment.FireAt.
// Create it with NewCountdown.
type Countdown struct {
	mixer *Mixer
	state *batches.Countdown // a pointer for the reason of Group.self
}

// NewBatch returns an empty Batch. Control side.
func (e Engine) NewBatch() *Batch { return &Batch{mixer: e.mixer} }

// NewCountdown returns a Countdown with the value 0. Control side.
func (e Engine) NewCountdown() *Countdown { return &Countdown{e.mixer, &batches.Countdown{}} }

// NewLoopCountdown returns a Countdown with the value 0. A start with this Countdown counts as over when it leaves its
// loop, at the end of its last round. If the sound does not continue after the loop, it counts as over when it ends.
// Control side.
func (e Engine) NewLoopCountdown() *Countdown {
	return &Countdown{e.mixer, &batches.Countdown{Loops: true}}
}

// At returns a moment for commands that join the Batch s. They are executed offset frames after s is fired. A negative
// offset counts as 0. Control side.
func (s *Batch) At(offset int64) Moment {
	at := s.mixer.Engine().At(max(offset, 0))
	at.batch = &s.state
	return at
}

// Base returns whether the Batch was fired, and the frame of the mix when it was fired. Before that the frame is -1.
// Control side.
func (s *Batch) Base() (frame int64, fired bool) {
	return s.state.Base()
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
	case s != nil && &s.state == at.batch:
		return fmt.Errorf("%w: a batch cannot fire or drop itself", ErrOption)
	}
	p := &payload{}
	if s != nil {
		p.batch = &s.state
	}
	if c != nil {
		p.countdown = c.state
	}
	return at.mixer.send(command{kind: kind, frame: at.frame, batch: at.batch, rank: at.rank, target: TargetAll(), position: n, payload: p})
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

// batchRunner makes the commands of batches wait and act.
type batchRunner struct {
	batches.Pending
	a          *audio
	cancelling *batches.Batch // dropped by the present command
}

// queueInBatch lets c wait with its batch c.batch, a set of commands that act together once the batch is fired.
// c.batch must not be nil. A copy of c joins the batch, and the result is true. If the batch was dropped, c is
// discarded and counted as complete, and the result is true, too. If the batch was already fired, the result is false.
// Then c.frame becomes an absolute frame, and the caller must queue or execute c.
func (p *batchRunner) queueInBatch(c *command) bool {
	a := p.a
	switch base, fired := c.batch.Base(); {
	case c.batch.Dropped():
		p.discardCommand(c)
		a.inFlight.Complete()
	case !fired:
		a.queue.Append(&c.batch.Commands, c)
	default:
		c.frame += base
		return false
	}
	return true
}

// discardCommand discards c without executing it. If c requests a start, the start ends at once without a voice: it
// counts as stopped, and its events are emitted. Otherwise the stream buffer of c, if any, is dropped. The caller then
// counts c as complete.
func (p *batchRunner) discardCommand(c *command) {
	a := p.a
	switch {
	case c.kind == cmdPlay:
		a.record(c.record).cancelled = c.record
		a.start(c.record, nil)
	case c.feed != nil:
		c.feed.Drop()
	}
}

// scheduleFired moves the commands of all batches that were fired into the command queue, and reports whether there
// were any. In a batch the frame of a command counts from the firing; scheduleFired adds a.now, so that it becomes
// absolute.
func (p *batchRunner) scheduleFired() (fired bool) {
	a := p.a
	for b := p.NextFired(); b != nil; b = p.NextFired() {
		fired = true
		for place := a.queue.Unlink(&b.Commands); place >= 0; place = a.queue.Unlink(&b.Commands) {
			c := a.queue.At(place)
			c.frame += a.now
			a.queue.Insert(place, c.order())
		}
	}
	return fired
}

// countDown counts the end of the start r: it subtracts 1 from each countdown in r, and removes the countdowns from r,
// so that a second call has no effect. r.extra must be set.
func (p *batchRunner) countDown(r *record) {
	counts := &r.extra.Load().countdowns
	for i, c := range counts {
		if c == nil {
			continue
		}
		counts[i] = nil
		p.Add(c, -1)
	}
	r.hasCountdowns = false
}

// cancelBatch drops p.cancelling, a batch of commands, and sets p.cancelling to nil. All commands of the batch that
// were not executed yet are discarded and counted as complete. The batch no longer waits for a countdown, and commands
// that join it later are discarded, too. A batch that was dropped before is unchanged. The caller has removed the
// command that drops the batch from the queue.
func (p *batchRunner) cancelBatch() {
	a := p.a
	b := p.cancelling
	if p.cancelling = nil; !p.Drop(b) {
		return
	}
	for place := a.queue.Unlink(&b.Commands); place >= 0; place = a.queue.Unlink(&b.Commands) {
		p.discardCommand(a.queue.At(place))
		a.queue.Release(place)
		a.inFlight.Complete()
	}
	a.queue.DeleteFunc(func(c *command) bool {
		if c.batch != b {
			return false
		}
		p.discardCommand(c)
		a.inFlight.Complete()
		return true
	})
}

// countDownLoops decrements the loop countdowns of each voice that has left its loop for good. A loop countdown has
// its field Loops set: it does not wait for the end of the voice. Each voice counts once, because countDownLoops then
// removes the countdown from the record of the voice.
func (p *batchRunner) countDownLoops() {
	a := p.a
	for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) {
		r := a.voices.At(i).record
		if !r.hasCountdowns {
			continue
		}
		s := a.current(i)
		counts := &r.extra.Load().countdowns
		for j, c := range counts {
			if c != nil && c.Loops && s.voice.PastLoop() {
				counts[j] = nil
				p.Add(c, -1)
			}
		}
	}
}

// untilCountdown returns how many of the next n frames can be mixed before a countdown may change. Only countdowns
// that a batch of commands waits for are considered. A countdown changes when a voice with this countdown ends or, for
// a loop countdown, leaves its loop. Paused voices do not count. The result is at least 1, and n if no countdown
// changes.
func (p *batchRunner) untilCountdown(n int64) int64 {
	a := p.a
	for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) {
		s := a.voices.At(i)
		if r := s.record; !r.hasCountdowns || s.paused != 0 || !r.isAwaited() {
			continue
		}
		a.current(i)
		counts := &s.record.extra.Load().countdowns
		n = a.untilEndOf(s, n, countsLoops(counts[0]) || countsLoops(counts[1]))
	}
	return n
}

// countsLoops reports whether a countdown counts voices that leave their loops; false for nil.
func countsLoops(c *batches.Countdown) bool { return c != nil && c.Loops }

// untilEndOf returns how many of the next n frames can be mixed before voice s may end. If loop is true, the frame
// where s may leave its loop counts as an end, too. The result is at least 1, and n if neither happens.
func (a *audio) untilEndOf(s *slot, n int64, loop bool) int64 {
	left, _ := s.voice.RemainingFrames(n, a.now, loop && !s.voice.Endless() && !s.voice.PastLoop())
	return min(n, max(left, 1), max(s.endAt-a.now, 1))
}

// isAwaited reports whether a batch waits for any countdown of the start of r. r.extra must be set.
func (r *record) isAwaited() bool {
	for _, c := range r.extra.Load().countdowns {
		if c != nil && c.IsAwaited() {
			return true
		}
	}
	return false
}
