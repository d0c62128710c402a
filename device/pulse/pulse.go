// Package pulse plays through a sound server: PulseAudio, or PipeWire with its
// pipewire-pulse. It needs no C compiler and no library of the system.
//
// A process can open as many devices as it likes, each on a sink of its own choice, and
// again after a loss. A machine without a sound server is a normal situation: Open then
// returns an error that wraps device.ErrUnavailable. No wait is without a limit.
//
// It is for Linux and the BSDs; elsewhere Open always returns that error.
package pulse

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"voicepool/device"
)

// Config says how a device is opened. The zero value is 48,000 frames per second with
// 40 ms in the server, on its default sink.
type Config struct {
	// Rate is in frames per second, 1000..384000; 0 means 48000. The server converts
	// where the sink has another one.
	Rate int
	// Buffer is how much the server is asked to hold, with what the sink holds,
	// 5ms..1s; 0 means 40ms.
	Buffer time.Duration
	// Sink is the name of a sink, as Sinks lists them; "" means that of PULSE_SINK, and
	// without one the server's default. When a sink that is named here is unloaded, the
	// device is lost, even where the server moves the stream to another sink. A user may
	// move it all the same.
	Sink string
	// Outputs is how many stereo outputs the stream has, 1..16; 0 means 1. The channels of
	// output k are channels 2k and 2k+1 of the sink, counted from 0, whatever it calls them.
	// A sink that has fewer channels is refused, and the device is lost when it is moved to one.
	Outputs int
	// Name, Title and Icon are what the mixers of the desktop show of the program and of
	// what it plays. "" means the name of the program, Name, and audio-x-generic.
	Name, Title, Icon string
}

const (
	defaultRate   = 48000
	defaultBuffer = 40 * time.Millisecond
)

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

// sink returns the sink that is asked for, and by whom.
func (c Config) sink() (name, by string) {
	if c.Sink != "" {
		return c.Sink, ""
	}
	return os.Getenv("PULSE_SINK"), "PULSE_SINK: "
}

// Sink is something that a server plays on: a card, a loudspeaker, or nothing at all.
type Sink struct {
	Name        string `json:"name"` // as Config.Sink takes it
	Description string `json:"description"`
	Rate        int    `json:"rate"` // frames per second
	Channels    int    `json:"channels"`
	Default     bool   `json:"default"` // the server's default
	Suspended   bool   `json:"suspended"`
	Muted       bool   `json:"muted"` // by the user: it plays, and nothing is heard
}

// unavailable makes the error for a machine without a sound server.
func unavailable(err error) error {
	return fmt.Errorf("pulse: %w: %w", err, device.ErrUnavailable)
}
