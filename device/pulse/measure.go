//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device"
	"voicepool/pcm"
)

// Measure asks the server how long a frame that it is given now takes to be heard, in the
// parts of Latencies. It waits for a second at the most; of a server that does not answer, or
// is gone, it returns the error. Control side.
func (d *Device) Measure() (device.Latencies, error) {
	var reply proto.GetPlaybackLatencyReply
	if err := d.conn.Request(&proto.GetPlaybackLatency{StreamIndex: d.stream}, &reply); err != nil {
		return device.Latencies{}, unavailable(d.conn.Explain(err))
	}
	held := max(reply.WriteIndex-reply.ReadIndex, 0) / d.size
	return device.Latencies{
		Driver: pcm.Duration(held, d.config.Rate),
		Server: time.Duration(reply.Latency) * time.Microsecond,
	}, nil
}
