// Package pace has what devices share: a life from Start to Close, and, for those without a
// clock of their own, blocks in real time, each at its own deadline.
package pace

import (
	"sync"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// Life keeps what the contract of a device says of Start and Close. The zero value is
// that of a device which waits for Start. Its methods may be called by any goroutine.
type Life struct {
	mu              sync.Mutex
	started, closed bool
}

// Start calls begin the first time. It returns device.ErrNoSource, ErrClosed or
// ErrStarted, and calls nothing, where there is no source or it is too late.
func (l *Life) Start(src device.Source, begin func()) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case src == nil:
		return device.ErrNoSource
	case l.closed:
		return device.ErrClosed
	case l.started:
		return device.ErrStarted
	}
	l.started = true
	begin()
	return nil
}

// Close calls end the first time, which is told whether there was a Start. Whoever else
// calls meanwhile waits until it has ended.
func (l *Life) Close(end func(started bool)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		end(l.started)
	}
}

// Puller renders one block after the other in real time, from Start until Close. The zero
// value is ready. Its methods may be called by any goroutine.
type Puller struct {
	life    Life
	stop    chan struct{}
	pulling sync.WaitGroup
}

// Start begins to render src, at rate frames per second and block frames at a time, the
// first one at once, and gives each block to keep. Its errors are those of Life.
func (p *Puller) Start(src device.Source, rate, block int, keep func([]pcm.Frame)) error {
	return p.life.Start(src, func() {
		p.stop = make(chan struct{})
		p.pulling.Go(func() {
			frames := make([]pcm.Frame, block)
			for c := NewClock(time.Now(), rate, block); c.Wait(p.stop); {
				src.Render(frames)
				keep(frames)
			}
		})
	})
}

// Close waits until no call is under way; after it there is none. It calls end the first
// time.
func (p *Puller) Close(end func()) {
	p.life.Close(func(started bool) {
		if started {
			close(p.stop)
			p.pulling.Wait()
		}
		end()
	})
}

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
