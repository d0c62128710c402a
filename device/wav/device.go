package wav

import (
	"cmp"
	"fmt"
	"sync"

	"voicepool/device"
	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

// Sink receives the frames of a Device: a Writer or a File. A Sink for several outputs has a method Outputs
// that returns their number, as Writer and File do.
type Sink interface {
	Rate() int
	Write(frames []pcm.Frame) error
	Close() error
}

// deviceBlock is the number of frames per Render of a Device.
const deviceBlock = 512

// Device records a source in real time: it pulls as a sound card does. To write faster than real time, render
// into a Writer without a device. Its methods may be called by any goroutine, but not from within Render.
type Device struct {
	sink      Sink
	lifecycle pace.Lifecycle

	mu  sync.Mutex
	err error
}

var _ device.Device = (*Device)(nil)

// NewDevice returns a device that is ready for Start. It takes the sink over, and Close closes it.
func NewDevice(sink Sink) *Device {
	return &Device{sink: sink}
}

// Start begins to pull from src, from a goroutine that lives until Close.
func (d *Device) Start(src device.Source) error {
	return d.lifecycle.Pull(src, d.sink.Rate(), d.Outputs(), deviceBlock, d.write)
}

// write passes frames to the sink, and stores its first error for Err. A panic of the sink becomes an error.
func (d *Device) write(frames []pcm.Frame) {
	defer func() {
		if p := recover(); p != nil {
			d.fail(fmt.Errorf("wav: the sink panics: %v", p))
		}
	}()
	d.fail(d.sink.Write(frames))
}

// Outputs returns the number of outputs of the sink.
func (d *Device) Outputs() int {
	if s, ok := d.sink.(interface{ Outputs() int }); ok {
		return s.Outputs()
	}
	return 1
}

// Rate returns the sink's rate.
func (d *Device) Rate() int { return d.sink.Rate() }

// Latency returns 0: frames are recorded immediately.
func (d *Device) Latency() int { return 0 }

// Err returns the first error of the sink. The device still pulls from the source in time.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Close stops pulling, closes the sink and returns its first error. Further calls return nil.
func (d *Device) Close() (err error) {
	d.lifecycle.Close(func() {
		d.fail(d.sink.Close())
		err = d.Err()
	})
	return err
}

// fail stores err for Err, unless an error is already stored. nil is ignored.
func (d *Device) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = cmp.Or(d.err, err)
}
