// Package pace has the shared parts of devices: a life cycle from Start to Close, and, for devices without
// their own clock, a real-time clock for blocks.
package pace

import (
	"sync"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// Lifecycle implements the contract of Start and Close for a device. The zero value is ready for Start. Its methods
// may be called by any goroutine.
type Lifecycle struct {
	mu              sync.Mutex
	started, closed bool
	stop            chan struct{}
	running         sync.WaitGroup
}

// Start calls setup at the first call. It returns the error of device.CheckOutputs for src, rate and outputs,
// ErrClosed or ErrStarted; in these cases it does not call setup.
func (l *Lifecycle) Start(src device.Source, rate, outputs int, setup func()) error {
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
	setup()
	return nil
}

// Go starts run in a goroutine. Close closes stop and waits until run has returned. Go is called from the setup
// function of Start.
func (l *Lifecycle) Go(run func(stop <-chan struct{})) { l.running.Go(func() { run(l.stop) }) }

// Pull starts to render src in real time, at rate frames per second and block frames at a time, the first block
// immediately. It passes each block, with all outputs, to consume. It returns the errors of Start.
func (l *Lifecycle) Pull(src device.Source, rate, outputs, block int, consume func([]pcm.Frame)) error {
	return l.Start(src, rate, outputs, func() {
		l.Go(func(stop <-chan struct{}) {
			frames := make([]pcm.Frame, block*outputs)
			for c := NewClock(time.Now(), rate, block); c.Wait(stop); {
				src.Render(frames)
				consume(frames)
			}
		})
	})
}

// Close stops the goroutines of Go, waits for them and calls teardown, once. Concurrent calls wait until it has
// returned.
func (l *Lifecycle) Close(teardown func()) {
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
	teardown()
}

// Clock schedules blocks: block k is due at start + k x block / rate. Every deadline is computed from the
// start, so errors do not accumulate. A late caller does not wait until it has caught up.
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

// NextTime returns the time of the next block.
func (c *Clock) NextTime() time.Time { return c.start.Add(pcm.Duration(c.next, c.rate)) }

// Wait returns true when the next block is due, or false when stop is closed.
func (c *Clock) Wait(stop <-chan struct{}) bool {
	due := c.NextTime()
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
