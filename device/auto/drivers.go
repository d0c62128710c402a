package auto

import (
	"context"

	"voicepool/device"
	"voicepool/device/oto"
	"voicepool/device/pulse"
)

// drivers returns them all, in the order in which they are tried.
func drivers() []*driver {
	return []*driver{{name: "pulse", sinks: true, open: openPulse}, {name: "oto", once: true, open: openOto}}
}

func openPulse(ctx context.Context, c *Config) (device.Device, error) {
	card, err := pulse.Open(ctx, pulse.Config{Rate: c.Rate, Buffer: c.Buffer, Sink: c.Sink, Name: c.Name, Title: c.Title, Icon: c.Icon})
	if err != nil {
		return nil, err // not a nil card in an interface
	}
	return card, nil
}

func openOto(_ context.Context, c *Config) (device.Device, error) {
	card, err := oto.Open(oto.Config{Rate: c.Rate, Buffer: c.Buffer, Name: c.Name})
	if err != nil {
		return nil, err
	}
	return card, nil
}
