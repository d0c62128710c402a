// Package pace has what devices share: a life from Start to Close, and, for those without a
// clock of their own, blocks in real time, each at its own deadline.
package pace

import (
	"time"

	"voicepool/pcm"
)

// Clock says when blocks are due: block k at start + k x block / rate. Every
// deadline is computed from the start, so that no error adds up, and a caller
// who was late is not made to wait before having caught up.
type Clock struct {
	start time.Time
	rate  int
	block int64
	next  int64 // frames before the next block
	timer *time.Timer
}

// NewClock returns a clock whose first block is due at start. rate (frames per
// second) and block (frames) are at least 1.
func NewClock(start time.Time, rate, block int) *Clock {
	timer := time.NewTimer(0)
	timer.Stop()
	return &Clock{start: start, rate: rate, block: int64(block), timer: timer}
}

// Wait returns true when the next block is due, or false as soon as stop is
// closed.
func (c *Clock) Wait(stop <-chan struct{}) bool {
	due := c.start.Add(pcm.Duration(c.next, c.rate))
	c.next += c.block
	if wait := time.Until(due); wait > 0 {
		c.timer.Reset(wait)
		select {
		case <-c.timer.C:
		case <-stop:
			c.timer.Stop()
			return false
		}
	}
	select {
	case <-stop:
		return false
	default:
		return true
	}
}
