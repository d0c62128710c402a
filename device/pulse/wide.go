//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"errors"
	"fmt"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device"
	"voicepool/device/internal/native"
	"voicepool/internal/words"
)

// channels returns how many channels the stream has.
func (c *Config) channels() int { return 2 * c.Outputs }

// places returns where the channels of the stream belong: left and right, or, of several outputs,
// at no place that a room has. The server counts those.
func (c *Config) places() proto.ChannelMap {
	if c.Outputs == 1 {
		return proto.ChannelMap{proto.ChannelLeft, proto.ChannelRight}
	}
	places := make(proto.ChannelMap, c.channels())
	for i := range places {
		places[i] = byte(proto.ChannelAux0 + i)
	}
	return places
}

// wideEnough returns an error where the stream is on a sink that has too few channels.
func (d *Device) wideEnough(sink uint32, name string) error {
	if d.config.Outputs == 1 {
		return nil // the server makes a sink of any number of channels play stereo
	}
	var info proto.GetSinkInfoReply
	if err := d.conn.Request(&proto.GetSinkInfo{SinkIndex: sink}, &info); err != nil {
		err = d.conn.Explain(err)
		if errors.Is(err, native.ErrNoSink) {
			err = goneError(name)
		}
		return unavailable(err)
	}
	err := d.config.fits(&info)
	if errors.Is(err, native.ErrNoSink) {
		return unavailable(d.conn.Explain(err))
	}
	if err != nil {
		return fmt.Errorf("pulse: %w", err)
	}
	return nil
}

// fits returns an error where several outputs have more channels than a sink. That which a server
// makes for itself when it has no other is none.
func (c *Config) fits(s *proto.GetSinkInfoReply) error {
	switch {
	case c.Outputs == 1 || int(s.Channels) >= c.channels():
		return nil
	case s.SinkName == "auto_null":
		return native.ErrNoSink
	}
	return &narrowError{sink: s.SinkName, channels: int(s.Channels), outputs: c.Outputs}
}

// narrowError says that a sink has too few channels. The server would mix them down and say
// nothing.
type narrowError struct {
	sink              string
	channels, outputs int
}

func (e *narrowError) Error() string {
	return fmt.Sprintf("the sink %q plays %s, %d outputs need %d; choose another sink, or fold the outputs into one (--fold)",
		words.OneLine(e.sink), words.Count(e.channels, "channel"), e.outputs, 2*e.outputs)
}

func (e *narrowError) Unwrap() error { return device.ErrOutputs }
