package wav

import (
	"fmt"
	"sync"

	"voicepool/device"
	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

// Sink is where a Device puts its frames: a Writer or a File. One that takes the frames of
// several outputs, as those two may, has a method Outputs that returns how many.
type Sink interface {
	Rate() int
	Write(frames []pcm.Frame) error
	Close() error
}

// deviceBlock is how many frames a Device asks for at once.
const deviceBlock = 512

// Device records what a source plays, in real time: it pulls as a sound card
// does. To write faster than that, render into a Writer without a device. Its
// methods may be called by any goroutine, but not from within Render.
type Device struct {
	sink Sink
	life pace.Life

	mu  sync.Mutex
	err error
}

var _ device.Device = (*Device)(nil)

// NewDevice returns a device that waits for Start. The sink is the device's
// own from here on; Close closes it.
func NewDevice(sink Sink) *Device {
	return &Device{sink: sink}
}

// Start begins to pull from src, from a goroutine that lives until Close.
func (d *Device) Start(src device.Source) error {
	return d.life.Pull(src, d.sink.Rate(), d.Outputs(), deviceBlock, d.write)
}

// write gives frames to the sink. One that panics has failed.
func (d *Device) write(frames []pcm.Frame) {
	defer func() {
		if p := recover(); p != nil {
			d.fail(fmt.Errorf("wav: the sink panics: %v", p))
		}
	}()
	d.fail(d.sink.Write(frames))
}

// Outputs returns how many outputs the sink takes.
func (d *Device) Outputs() int {
	if s, ok := d.sink.(interface{ Outputs() int }); ok {
		return s.Outputs()
	}
	return 1
}

// Rate returns the sink's rate.
func (d *Device) Rate() int { return d.sink.Rate() }

// Latency returns 0: what is rendered is recorded at once.
func (d *Device) Latency() int { return 0 }

// Err returns the first error of the sink. The source is still pulled from, in
// time.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Close ends the pulling, closes the sink and returns its first error; again,
// it returns nil.
func (d *Device) Close() (err error) {
	d.life.Close(func() {
		d.fail(d.sink.Close())
		err = d.Err()
	})
	return err
}

// fail keeps the first error.
func (d *Device) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
	}
}
