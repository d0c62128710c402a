package evidence

import (
	"context"
	"time"

	"voicepool/cmd/internal/cli/doctor"
	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/device/pulse"
	"voicepool/internal/loopback"
)

// Device is a device that survives the loss of its output and reports it, as auto.Device.
type Device interface {
	device.Device
	Driver() string
	Sink() string
	Reason() string
	Unheard() time.Duration
	Underflows() int64
	Events(dst []auto.Event) int
}

// Listener records a source, as loopback.Listener.
type Listener interface {
	Calibrate(ctx context.Context, d time.Duration) error
	Measure(ctx context.Context, starts int, rest time.Duration, play func() error) (loopback.Result, error)
	Close()
}

// Machine is the machine whose sound is tested.
type Machine struct {
	System  doctor.System
	Secrets []string // names that a report must not contain
	// Open opens the best output, and does not start it.
	Open func() (Device, error)
	// Server describes the sound server.
	Server func(ctx context.Context) (loopback.Server, error)
	// Listen records a source of the sound server.
	Listen func(ctx context.Context, source string) (Listener, error)
	// Sinks lists the sinks of the sound server.
	Sinks func(ctx context.Context) ([]pulse.Sink, error)
	// Wall returns the time of the clock on the wall, which continues while the machine sleeps.
	Wall func() time.Time
}

// LocalMachine returns the machine of this process.
func LocalMachine() Machine {
	return Machine{
		System: doctor.LocalSystem(), Secrets: secretsHere(),
		Open: func() (Device, error) {
			d, err := auto.Find(auto.Config{Name: "voicepool", Title: "voicepool doctor"})
			if err != nil {
				return nil, err // not a nil device in an interface
			}
			return d, nil
		},
		Server: loopback.Find,
		Listen: func(ctx context.Context, source string) (Listener, error) {
			l, err := loopback.Listen(ctx, source)
			if err != nil {
				return nil, err
			}
			return l, nil
		},
		Sinks: pulse.Sinks,
		Wall:  func() time.Time { return time.Now().Round(0) },
	}
}
