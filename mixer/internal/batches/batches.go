// Package batches decides when batches of commands act. A Batch holds commands that wait until it is fired: at once, or
// when a Countdown reaches 0. The commands themselves are stored in a commandqueue.Queue.
//
// Everything except Batch.Base and Batch.Dropped belongs to the audio side of the mixer: one goroutine at a time calls
// it, and it does not allocate.
package batches

import (
	"sync/atomic"

	"voicepool/mixer/internal/commandqueue"
)

// Batch holds commands that act together. The zero value is an empty batch that was not fired.
type Batch struct {
	Commands commandqueue.List // the commands that wait; they stay there when the batch is fired

	firedAt   atomic.Int64 // 1 more than the frame of the firing; 0: it was not fired
	countdown *Countdown   // the countdown it waits for
	next      *Batch       // in a list of the countdown or of Pending
	dropped   atomic.Bool
}

// Base returns whether the batch was fired, and the frame of the firing; -1 before that. Any goroutine may call
// it.
func (b *Batch) Base() (frame int64, fired bool) {
	frame = b.firedAt.Load() - 1
	return frame, frame >= 0
}

// Dropped reports whether the batch was dropped. Any goroutine may call it.
func (b *Batch) Dropped() bool { return b.dropped.Load() }

// Countdown is a number that batches wait for. The zero value is 0.
type Countdown struct {
	Loops bool // it counts starts that leave their loops; constant, and not used by this package

	left    int64
	waiting *Batch // the list of batches that wait for it
}

// IsAwaited reports whether a batch waits for the countdown. A batch counts from the first FireAtZero after Fire on,
// and as long as no call of Add brings the countdown to 0 or less.
func (c *Countdown) IsAwaited() bool { return c.waiting != nil }

// Pending keeps the batches that are fired or may be fired at this frame. The zero value is empty.
type Pending struct {
	zero    *Batch // list of batches whose countdowns may be 0; they fire after all other commands of this frame
	fired   *Batch // list
	waiting int    // the number of batches that wait for a countdown
}

// Waits reports whether any batch waits for a countdown.
func (p *Pending) Waits() bool { return p.waiting > 0 }

// AreDue reports whether NextFired or FireAtZero may find a batch at this frame.
func (p *Pending) AreDue() bool { return p.fired != nil || p.zero != nil }

// Fire fires the batch b at the frame now, and NextFired returns it. If c is not nil, b waits instead until c is 0 or
// less, which FireAtZero checks. A batch that was dropped, was fired or already waits is unchanged.
func (p *Pending) Fire(b *Batch, c *Countdown, now int64) {
	switch {
	case b.dropped.Load() || b.firedAt.Load() > 0 || b.countdown != nil:
	case c == nil:
		p.fire(b, now)
	default:
		b.countdown = c
		b.next, p.zero = p.zero, b
		p.waiting++
	}
}

// fire fires the batch b at the frame now.
func (p *Pending) fire(b *Batch, now int64) {
	b.firedAt.Store(now + 1)
	b.next, p.fired = p.fired, b
}

// NextFired removes a batch that was fired, and returns it; nil without such a batch. The caller makes its commands
// act, and calls NextFired again.
func (p *Pending) NextFired() *Batch {
	b := p.fired
	if b != nil {
		p.fired, b.next = b.next, nil
	}
	return b
}

// Add adds n, which may be negative, to the countdown c. If the result is 0 or less, FireAtZero looks at the batches
// that wait for c.
func (p *Pending) Add(c *Countdown, n int64) {
	if c.left += n; c.left > 0 {
		return
	}
	for b := c.waiting; b != nil; {
		next := b.next
		b.next, p.zero = p.zero, b
		b = next
	}
	c.waiting = nil
}

// FireAtZero looks at the batches that began to wait since its last call, and at the batches whose countdowns Add has
// brought to 0 or less since then. It fires a batch at the frame now if its countdown is still 0 or less. The others
// wait for their countdowns again.
func (p *Pending) FireAtZero(now int64) {
	for b := p.zero; b != nil; {
		next := b.next
		if c := b.countdown; c.left > 0 {
			b.next, c.waiting = c.waiting, b
		} else {
			p.waiting--
			b.countdown = nil
			p.fire(b, now)
		}
		b = next
	}
	p.zero = nil
}

// Drop marks the batch b as dropped, and reports whether it was not dropped before. The batch no longer waits for a
// countdown. The caller discards its commands.
func (p *Pending) Drop(b *Batch) bool {
	if b.dropped.Load() {
		return false
	}
	b.dropped.Store(true)
	if c := b.countdown; c != nil {
		p.zero, c.waiting = remove(p.zero, b), remove(c.waiting, b)
		b.countdown = nil
		p.waiting--
	}
	return true
}

// remove removes the batch b from a linked list of batches, in place, and returns the new head of the list. A list
// without b is unchanged.
func remove(list, b *Batch) *Batch {
	if list == b {
		list, b.next = b.next, nil
		return list
	}
	for at := list; at != nil; at = at.next {
		if at.next == b {
			at.next, b.next = b.next, nil
		}
	}
	return list
}
