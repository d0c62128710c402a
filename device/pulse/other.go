//go:build !(linux || freebsd || netbsd || openbsd || dragonfly) || android

package pulse

import (
	"context"
	"errors"

	"voicepool/device"
)

// errElsewhere is the error of all functions on unsupported systems.
var errElsewhere = errors.New("PulseAudio is played to on Linux and the BSDs alone")

// Open returns an error that wraps device.ErrUnavailable, or the error of an invalid configuration: this system
// has no sound server.
func Open(_ context.Context, c Config) (*Device, error) {
	if _, err := c.filled(); err != nil {
		return nil, err
	}
	return nil, unavailable(errElsewhere)
}

// Sinks returns an error that wraps device.ErrUnavailable.
func Sinks(context.Context) ([]Sink, error) { return nil, unavailable(errElsewhere) }

// Server returns false: this system has no sound server.
func Server() (found bool, detail string) { return false, errElsewhere.Error() }

// Device is a stream of a sound server. On this system Open always fails.
type Device struct{ device.Device }

// Latencies returns the parts of Latency.
func (d *Device) Latencies() device.Latencies { return device.Latencies{} }

// Measure returns an error that wraps device.ErrUnavailable.
func (d *Device) Measure() (device.Latencies, error) {
	return device.Latencies{}, unavailable(errElsewhere)
}

// Sink returns the name of the sink that the stream currently plays on.
func (d *Device) Sink() string { return "" }

// Outputs returns the number of outputs of the stream.
func (d *Device) Outputs() int { return 1 }

// Frames returns the number of frames that the server has received.
func (d *Device) Frames() int64 { return 0 }

// Underflows returns the number of times that the server ran out of frames.
func (d *Device) Underflows() int64 { return 0 }

// Suspended reports whether the server has suspended the sink.
func (d *Device) Suspended() bool { return false }

// Lost is closed when the server or the stream is gone.
func (d *Device) Lost() <-chan struct{} { return nil }
