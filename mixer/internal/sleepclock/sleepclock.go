// Package sleepclock counts the frames of a mixer that is not rendered while it is silent.
package sleepclock

import (
	"math"
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// Clock is the clock of a mixer that is not rendered: frames advance with the system clock. Call Init before its first
// use. Both sides use it.
type Clock struct {
	rate      int
	createdAt time.Time
	offset    atomic.Int64  // added to the frames since createdAt; awake: the mixer does not sleep
	lastFrame atomic.Int64  // the last result of Frame in a sleep, a lower bound for later calls
	requests  chan struct{} // see Requests
}

// awake is the offset of a mixer that does not sleep.
const awake = math.MinInt64

// Init sets the time of creation to the present; the mixer is awake. rate is in Hz.
func (c *Clock) Init(rate int) {
	c.rate, c.createdAt, c.requests = rate, time.Now(), make(chan struct{}, 1)
	c.offset.Store(awake)
}

// Due returns the frames that have passed from the creation of the mixer to the time at. A time before the creation
// counts as the creation. Any goroutine may call it.
func (c *Clock) Due(at time.Time) int64 { return pcm.Frames(at.Sub(c.createdAt), c.rate) }

// Begin begins a sleep: from now on offset is added to the frames of Due. Audio side.
func (c *Clock) Begin(offset int64) { c.offset.Store(offset) }

// End ends the sleep, if any. Audio side.
func (c *Clock) End() {
	if c.offset.Load() != awake {
		c.offset.Store(awake)
	}
}

// Offset returns the offset of Begin, and whether the mixer sleeps. Any goroutine may call it.
func (c *Clock) Offset() (offset int64, asleep bool) {
	offset = c.offset.Load()
	return offset, offset != awake
}

// Frame returns the first frame that is not mixed. rendered is the number of frames mixed up to now. While the mixer
// sleeps, the result advances with the system clock instead. Results never decrease. Any goroutine of the control side
// may call it.
func (c *Clock) Frame(rendered int64) int64 {
	if offset, asleep := c.Offset(); asleep {
		rendered = max(rendered, offset+c.Due(time.Now()))
		for {
			last := c.lastFrame.Load()
			if last >= rendered || c.lastFrame.CompareAndSwap(last, rendered) {
				return max(last, rendered)
			}
		}
	}
	return max(rendered, c.lastFrame.Load())
}

// RequestWake sends a value to Requests if the mixer sleeps. It never blocks: if the channel already holds a value, it
// does not send. Call it after a command was sent. Control side.
func (c *Clock) RequestWake() {
	if _, asleep := c.Offset(); asleep {
		select {
		case c.requests <- struct{}{}:
		default:
		}
	}
}

// Requests returns the channel of RequestWake.
func (c *Clock) Requests() <-chan struct{} { return c.requests }

// DropRequest empties the channel of RequestWake.
func (c *Clock) DropRequest() {
	select {
	case <-c.requests:
	default:
	}
}
