//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device"
	"voicepool/pcm"
)

// Measure queries the server for the current latency of the stream, in the parts of Latencies. It waits at most
// a second. If the server does not answer, or is gone, it returns the error. Control side.
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
