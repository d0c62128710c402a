// Package null has devices that play nothing, for tests and for machines without
// sound.
//
// A Stepped renders when a test says so, and returns the frames:
//
//	d := null.NewStepped(null.Config{})
//	d.Start(src)
//	heard := d.Step(480) // 10 ms
//
// A Paced pulls in real time, as a sound card does. It uses the time package only, so a
// minute passes at once under testing/synctest.
package null

import (
	"sync/atomic"

	"voicepool/device"
	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

// Config says how a device asks. The zero value is 48,000 frames per second in
// blocks of 512.
type Config struct {
	// Rate is in frames per second; 0 or less means 48000.
	Rate int
	// Block is how many frames a Paced asks for at once; 0 or less means 512.
	Block int
	// Outputs is how many stereo outputs the source has, of 1..16; less means 1, more 16.
	Outputs int
}

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

// Paced is a device that pulls in real time, as a sound card does: block k is
// asked for at start + k x block / rate, the first one at once. After a delay
// it catches up: at any moment as many frames were pulled as should have been.
// Its methods may be called by any goroutine, but not from within Render.
type Paced struct {
	config Config
	life   pace.Life
	frames atomic.Int64
}

var _ device.Device = (*Paced)(nil)

// NewPaced returns a device that waits for Start.
func NewPaced(c Config) *Paced {
	return &Paced{config: c.filled()}
}

// Start begins to pull from src, from a goroutine that lives until Close.
func (d *Paced) Start(src device.Source) error {
	keep := func([]pcm.Frame) { d.frames.Add(int64(d.config.Block)) }
	return d.life.Pull(src, d.config.Rate, d.config.Outputs, d.config.Block, keep)
}

// Frames returns how many frames were pulled.
func (d *Paced) Frames() int64 { return d.frames.Load() }

// Outputs returns how many outputs the device asks for.
func (d *Paced) Outputs() int { return d.config.Outputs }

// Rate returns Config.Rate.
func (d *Paced) Rate() int { return d.config.Rate }

// Latency returns Config.Block: a block is pulled when its first frame would
// begin to be heard.
func (d *Paced) Latency() int { return d.config.Block }

// Err returns nil: nothing can fail.
func (d *Paced) Err() error { return nil }

// Close ends the pulling, when a Render under way has ended. It returns nil.
func (d *Paced) Close() error {
	d.life.Close(func() {})
	return nil
}
