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
	stop            chan struct{}
	running         sync.WaitGroup
}

// Start calls begin the first time. It returns what device.CheckOutputs says of src, rate and
// outputs, ErrClosed or ErrStarted, and calls nothing, where src cannot be played or it is too late.
func (l *Life) Start(src device.Source, rate, outputs int, begin func()) error {
	if err := device.CheckOutputs(src, rate, outputs); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return device.ErrClosed
	case l.started:
		return device.ErrStarted
	}
	l.started = true
	l.stop = make(chan struct{})
	begin()
	return nil
}

// Go runs what a device does until stop is closed. It is for begin.
func (l *Life) Go(run func(stop <-chan struct{})) { l.running.Go(func() { run(l.stop) }) }

// Pull starts to render src, at rate frames per second and block frames at a time, the first
// one at once, and gives each block of all outputs to keep. Its errors are those of Start.
func (l *Life) Pull(src device.Source, rate, outputs, block int, keep func([]pcm.Frame)) error {
	return l.Start(src, rate, outputs, func() {
		l.Go(func(stop <-chan struct{}) {
			frames := make([]pcm.Frame, block*outputs)
			for c := NewClock(time.Now(), rate, block); c.Wait(stop); {
				src.Render(frames)
				keep(frames)
			}
		})
	})
}

// Close stops what Go runs, waits for it and calls end, the first time. Whoever else calls
// meanwhile waits until it has ended.
func (l *Life) Close(end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	if l.started {
		close(l.stop)
		l.running.Wait()
	}
	end()
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

// Due returns when the next block is due.
func (c *Clock) Due() time.Time { return c.start.Add(pcm.Duration(c.next, c.rate)) }

// Wait returns true when the next block is due, or false as soon as stop is
// closed.
func (c *Clock) Wait(stop <-chan struct{}) bool {
	due := c.Due()
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
