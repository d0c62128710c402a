package auto

import (
	"context"
	"runtime"
	"slices"

	"voicepool/device"
	"voicepool/device/oto"
	"voicepool/device/pulse"
)

// drivers returns the drivers of this system, in the order of trial.
func drivers() []*driver {
	all := []*driver{{name: "oto", openOnce: true, open: openOto}}
	switch runtime.GOOS {
	case "linux", "freebsd", "netbsd", "openbsd", "dragonfly":
		all = slices.Insert(all, 0, &driver{name: "pulse", sinks: true, multiOutput: true, open: openPulse})
	}
	return all
}

// openPulse opens the sound server for c. It returns a nil interface if it fails.
func openPulse(ctx context.Context, c *Config) (device.Device, error) {
	card, err := pulse.Open(ctx, pulse.Config{
		Rate: c.Rate, Buffer: c.Buffer, Sink: c.Sink, Outputs: c.Outputs, Name: c.Name, Title: c.Title, Icon: c.Icon,
	})
	if err != nil {
		return nil, err // a nil *pulse.Device would make a non-nil interface
	}
	return card, nil
}

// openOto opens the sound card with oto for c. It ignores Sink and Outputs, and returns a nil interface if it
// fails.
func openOto(_ context.Context, c *Config) (device.Device, error) {
	card, err := oto.Open(oto.Config{Rate: c.Rate, Buffer: c.Buffer, Name: c.Name})
	if err != nil {
		return nil, err
	}
	return card, nil
}
