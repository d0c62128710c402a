package pace

import (
	"sync"

	"voicepool/device"
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
