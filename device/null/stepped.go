package null

import (
	"sync"

	"voicepool/device"
	"voicepool/pcm"
)

// Stepped is a device that pulls when Step is called. Its methods may be
// called by any goroutine, but not from within Render.
type Stepped struct {
	rate int

	mu     sync.Mutex
	src    device.Source
	closed bool
	block  []pcm.Frame
	frames int64
}

var _ device.Device = (*Stepped)(nil)

// NewStepped returns a device that waits for Start and then for Step.
func NewStepped(c Config) *Stepped {
	return &Stepped{rate: c.filled().Rate}
}

// Start sets what Step pulls from. It renders nothing.
func (d *Stepped) Start(src device.Source) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return device.ErrClosed
	case d.src != nil:
		return device.ErrStarted
	case src == nil:
		return device.ErrNoSource
	}
	d.src = src
	return nil
}

// Step pulls n frames and returns them; they are valid until the next Step. It
// pulls them in one block, or, when the source is a device.Preparer, in several,
// having it prepared for each. It returns nil, and pulls nothing, before Start, after Close, and
// when n is not positive.
func (d *Stepped) Step(n int) []pcm.Frame {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.src == nil || d.closed || n <= 0 {
		return nil
	}
	if cap(d.block) < n {
		d.block = make([]pcm.Frame, n)
	}
	d.block = d.block[:n]
	if p, ok := d.src.(device.Preparer); ok {
		for rest := d.block; len(rest) > 0; {
			k := min(len(rest), p.Prepare())
			d.src.Render(rest[:k])
			rest = rest[k:]
		}
	} else {
		d.src.Render(d.block)
	}
	d.frames += int64(n)
	return d.block
}

// Frames returns how many frames were pulled.
func (d *Stepped) Frames() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.frames
}

// Rate returns Config.Rate.
func (d *Stepped) Rate() int { return d.rate }

// Latency returns 0: Step returns what would be heard.
func (d *Stepped) Latency() int { return 0 }

// Err returns nil: nothing can fail.
func (d *Stepped) Err() error { return nil }

// Close ends the device, when a Step under way has ended. It returns nil.
func (d *Stepped) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	return nil
}
