package pace

import (
	"sync"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

// Puller calls a function with one block after the other in real time, from
// Start until Close. The zero value is ready. Its methods may be called by any
// goroutine.
type Puller struct {
	mu      sync.Mutex
	stop    chan struct{}
	done    chan struct{}
	started bool
	closed  bool
}

// Start begins to call pull, at rate frames per second and block frames at a
// time, the first one at once. It returns device.ErrStarted or
// device.ErrClosed where it is too late for that.
func (p *Puller) Start(rate, block int, pull func([]pcm.Frame)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return device.ErrClosed
	case p.started:
		return device.ErrStarted
	}
	p.started = true
	p.stop, p.done = make(chan struct{}), make(chan struct{})
	go func(stop, done chan struct{}) {
		defer close(done)
		buf := make([]pcm.Frame, block)
		for c := NewClock(time.Now(), rate, block); c.Wait(stop); {
			pull(buf)
		}
	}(p.stop, p.done)
	return nil
}

// Close waits until no call is under way; after it there is none. It reports
// whether this was the first Close.
func (p *Puller) Close() bool {
	p.mu.Lock()
	first := !p.closed
	if first && p.started {
		close(p.stop)
	}
	p.closed = true
	done := p.done
	p.mu.Unlock()
	if done != nil {
		<-done
	}
	return first
}
