package null

import (
	"slices"
	"sync"

	"voicepool/device"
	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

// Stepped is a device that pulls when Step is called. Its methods may be
// called by any goroutine, but not from within Render.
type Stepped struct {
	rate      int
	outputs   int
	lifecycle pace.Lifecycle

	mu     sync.Mutex
	src    device.Source // nil before Start and after Close
	block  []pcm.Frame
	frames int64
}

var _ device.Device = (*Stepped)(nil)

// NewStepped returns a device that is ready for Start and then for Step.
func NewStepped(c Config) *Stepped {
	c = c.filled()
	return &Stepped{rate: c.Rate, outputs: c.Outputs}
}

// Start sets the source of Step. It renders no frames.
func (d *Stepped) Start(src device.Source) error {
	return d.lifecycle.Start(src, d.rate, d.outputs, func() { d.set(src) })
}

// set sets the source of Step, which may be nil.
func (d *Stepped) set(src device.Source) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.src = src
}

// Step pulls n frames and returns them; they are valid until the next Step. It pulls them in one block. If
// the source is a device.Preparer, it pulls several blocks and calls Prepare before each. The frames of
// several outputs are interleaved, as Render of a device.MultiOutput returns them. Before Start, after Close,
// and if n is not positive, Step pulls no frames and returns nil.
func (d *Stepped) Step(n int) []pcm.Frame {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.src == nil || n <= 0 {
		return nil
	}
	d.block = slices.Grow(d.block[:0], n*d.outputs)[:n*d.outputs]
	p, waits := d.src.(device.Preparer)
	for rest := d.block; len(rest) > 0; {
		k := len(rest)
		if waits {
			k = min(k/d.outputs, p.Prepare()) * d.outputs
		}
		d.src.Render(rest[:k])
		rest = rest[k:]
	}
	d.frames += int64(n)
	return d.block
}

// Frames returns the number of frames that were pulled.
func (d *Stepped) Frames() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.frames
}

// Outputs returns Config.Outputs, limited to 1..16.
func (d *Stepped) Outputs() int { return d.outputs }

// Rate returns Config.Rate.
func (d *Stepped) Rate() int { return d.rate }

// Latency returns 0: Step returns the frames directly.
func (d *Stepped) Latency() int { return 0 }

// Err returns nil: a Stepped cannot fail.
func (d *Stepped) Err() error { return nil }

// Close ends the device, after a current Step has returned. It returns nil.
func (d *Stepped) Close() error {
	d.lifecycle.Close(func() { d.set(nil) })
	return nil
}
