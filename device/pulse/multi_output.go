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

// channels returns the number of channels of the stream.
func (c *Config) channels() int { return 2 * c.Outputs }

// channelMap returns the channel map: left and right for one output, auxiliary channels for several outputs,
// because they have no positions in a room.
func (c *Config) channelMap() proto.ChannelMap {
	if c.Outputs == 1 {
		return proto.ChannelMap{proto.ChannelLeft, proto.ChannelRight}
	}
	places := make(proto.ChannelMap, c.channels())
	for i := range places {
		places[i] = byte(proto.ChannelAux0 + i)
	}
	return places
}

// checkSink returns an error if the sink with the given index and name has too few channels for several
// outputs, or is gone. It returns nil for one output.
func (d *Device) checkSink(sink uint32, name string) error {
	if d.config.Outputs == 1 {
		return nil // the server remixes stereo to the channels of the sink
	}
	var info proto.GetSinkInfoReply
	if err := d.conn.Request(&proto.GetSinkInfo{SinkIndex: sink}, &info); err != nil {
		err = d.conn.Explain(err)
		if errors.Is(err, native.ErrNoSink) {
			err = goneError(name)
		}
		return unavailable(err)
	}
	err := d.config.checkChannels(&info)
	if errors.Is(err, native.ErrNoSink) {
		return unavailable(d.conn.Explain(err))
	}
	if err != nil {
		return fmt.Errorf("pulse: %w", err)
	}
	return nil
}

// checkChannels returns nil if sink s has enough channels, and always for one output. Otherwise it returns a
// tooFewChannelsError, or ErrNoSink for the silent sink that a server creates for itself.
func (c *Config) checkChannels(s *proto.GetSinkInfoReply) error {
	switch {
	case c.Outputs == 1 || int(s.Channels) >= c.channels():
		return nil
	case s.SinkName == "auto_null":
		return native.ErrNoSink
	}
	return &tooFewChannelsError{sink: s.SinkName, channels: int(s.Channels), outputs: c.Outputs}
}

// tooFewChannelsError reports that a sink has too few channels. Without it the server would silently downmix the
// outputs.
type tooFewChannelsError struct {
	sink              string
	channels, outputs int
}

// Error returns a message with the sink, its channels and the needed ones.
func (e *tooFewChannelsError) Error() string {
	return fmt.Sprintf("the sink %q plays %s, %d outputs need %d; choose another sink, or fold the outputs into one (--fold)",
		words.OneLine(e.sink), words.Count(e.channels, "channel"), e.outputs, 2*e.outputs)
}

// Unwrap returns device.ErrOutputs.
func (e *tooFewChannelsError) Unwrap() error { return device.ErrOutputs }
