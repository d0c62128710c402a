// Package pulse plays through a sound server: PulseAudio, or PipeWire with its pipewire-pulse. It needs no C
// compiler and no system library.
//
// A process can open any number of devices, each on its own sink, and reopen them after a loss. Programs should
// expect machines without a sound server: Open then returns an error that wraps device.ErrUnavailable. Every
// wait has a time limit.
//
// It supports Linux and the BSDs; on other systems Open always returns that error.
package pulse

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"voicepool/device"
)

// Config configures a device. The zero value means 48,000 frames per second with 40 ms buffered by the server,
// on its default sink.
type Config struct {
	// Rate is in frames per second, 1000..384000; 0 means 48000. The server converts if the sink has another
	// rate.
	Rate int
	// Buffer is the latency that the server should have, including its sink, 5ms..1s; 0 means 40ms.
	Buffer time.Duration
	// Sink is the name of a sink, as listed by Sinks; "" means the sink in PULSE_SINK, or otherwise the
	// server's default. If a sink that is named here is removed, the device is lost, even if the server moves
	// the stream to another sink. The user may still move the stream.
	Sink string
	// Outputs is the number of stereo outputs of the stream, 1..16; 0 means 1. Output k plays on channels 2k
	// and 2k+1 of the sink, counted from 0, whatever the positions of these channels. Open rejects a sink with
	// fewer channels, and the device is lost if it is moved to one.
	Outputs int
	// Name, Title and Icon are shown by the mixers of the desktop: the program, the audio that it plays, and an
	// icon. "" means the name of the program, Name, and audio-x-generic.
	Name, Title, Icon string
}

const (
	defaultRate   = 48000
	defaultBuffer = 40 * time.Millisecond
)

// filled returns c with the defaults for zero values, or an error if the rate, buffer or outputs are out of
// range.
func (c Config) filled() (Config, error) {
	c.Rate = cmp.Or(c.Rate, defaultRate)
	c.Buffer = cmp.Or(c.Buffer, defaultBuffer)
	c.Outputs = cmp.Or(c.Outputs, 1)
	switch {
	case c.Rate < 1000 || c.Rate > 384_000:
		return c, fmt.Errorf("pulse: a rate of %d, want 1000..384000", c.Rate)
	case c.Buffer < 5*time.Millisecond || c.Buffer > time.Second:
		return c, fmt.Errorf("pulse: a buffer of %v, want 5ms..1s", c.Buffer)
	case c.Outputs < 1 || c.Outputs > device.MaxOutputs:
		return c, fmt.Errorf("pulse: %d outputs, want 1..%d", c.Outputs, device.MaxOutputs)
	}
	return c, nil
}

// sink returns the configured sink, or else PULSE_SINK; "" for the default sink. by is a prefix for errors,
// which names the variable if it was used.
func (c Config) sink() (name, by string) {
	if c.Sink != "" {
		return c.Sink, ""
	}
	return os.Getenv("PULSE_SINK"), "PULSE_SINK: "
}

// Sink is an output of a server: a card, a loudspeaker, or a null sink.
type Sink struct {
	Name        string `json:"name"` // the value for Config.Sink
	Description string `json:"description"`
	Rate        int    `json:"rate"` // frames per second
	Channels    int    `json:"channels"`
	Default     bool   `json:"default"` // the server's default
	Suspended   bool   `json:"suspended"`
	Muted       bool   `json:"muted"` // by the user: it plays silently
}

// unavailable returns an error that wraps err and device.ErrUnavailable.
func unavailable(err error) error {
	return fmt.Errorf("pulse: %w: %w", err, device.ErrUnavailable)
}
