// Package null provides devices without audio output, for tests and for machines without sound.
//
// A Stepped renders when a test calls Step, and returns the frames:
//
//	d := null.NewStepped(null.Config{})
//	d.Start(src)
//	heard := d.Step(480) // 10 ms
//
// A Paced pulls in real time, as a sound card does. It uses the clock of package time, so under
// testing/synctest a minute passes instantly.
package null

import (
	"sync/atomic"

	"voicepool/device"
	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

// Config configures a device. The zero value means 48,000 frames per second in blocks of 512.
type Config struct {
	// Rate is in frames per second; 0 or less means 48000.
	Rate int
	// Block is the number of frames per Render of a Paced; 0 or less means 512.
	Block int
	// Outputs is the number of stereo outputs of the source, 1..16; less means 1, more means 16.
	Outputs int
}

// filled returns c with the defaults for zero and negative values. Outputs is limited to 1..MaxOutputs.
func (c Config) filled() Config {
	if c.Rate <= 0 {
		c.Rate = 48000
	}
	if c.Block <= 0 {
		c.Block = 512
	}
	c.Outputs = min(max(c.Outputs, 1), device.MaxOutputs)
	return c
}

// Paced is a device that pulls in real time, as a sound card does: block k is pulled at start + k x block /
// rate, the first block immediately. After a delay it catches up with the clock. Its methods may be called by
// any goroutine, but not from within Render.
type Paced struct {
	config    Config
	lifecycle pace.Lifecycle
	frames    atomic.Int64
}

var _ device.Device = (*Paced)(nil)

// NewPaced returns a device that is ready for Start.
func NewPaced(c Config) *Paced {
	return &Paced{config: c.filled()}
}

// Start begins to pull from src, from a goroutine that lives until Close.
func (d *Paced) Start(src device.Source) error {
	keep := func([]pcm.Frame) { d.frames.Add(int64(d.config.Block)) }
	return d.lifecycle.Pull(src, d.config.Rate, d.config.Outputs, d.config.Block, keep)
}

// Frames returns the number of frames that were pulled.
func (d *Paced) Frames() int64 { return d.frames.Load() }

// Outputs returns Config.Outputs, limited to 1..16.
func (d *Paced) Outputs() int { return d.config.Outputs }

// Rate returns Config.Rate.
func (d *Paced) Rate() int { return d.config.Rate }

// Latency returns Config.Block: a sound card would begin to play a block when it is pulled.
func (d *Paced) Latency() int { return d.config.Block }

// Err returns nil: a Paced cannot fail.
func (d *Paced) Err() error { return nil }

// Close stops pulling, after a current Render has returned. It returns nil.
func (d *Paced) Close() error {
	d.lifecycle.Close(func() {})
	return nil
}
