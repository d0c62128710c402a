package auto

import (
	"context"

	"voicepool/device"
	"voicepool/device/oto"
)

// drivers returns those of this system, in the order in which they are tried.
func drivers() []*driver { return []*driver{{name: "oto", once: true, open: openOto}} }

func openOto(_ context.Context, c *Config) (device.Device, error) {
	card, err := oto.Open(oto.Config{Rate: c.Rate, Buffer: c.Buffer, Name: c.Name})
	if err != nil {
		return nil, err // not a nil card in an interface
	}
	return card, nil
}
