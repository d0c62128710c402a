package device

import (
	"time"

	"voicepool/pcm"
)

// Latencies are the parts of the maximum delay that a device adds between Render and the audible output.
// mixer.Latency has the earlier parts.
type Latencies struct {
	Driver time.Duration // buffered by the driver, or by the system for this stream
	Server time.Duration // buffered by the sound server or the card for all streams
}

// LatenciesOf returns the parts of d.Latency: from the device's method Latencies if it has one, otherwise all
// as Driver. Control side.
func LatenciesOf(d Device) Latencies {
	if told, ok := d.(interface{ Latencies() Latencies }); ok {
		return told.Latencies()
	}
	return Latencies{Driver: pcm.Duration(int64(d.Latency()), d.Rate())}
}
