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

// LatenciesOf returns the parts of d.Latency. If d has no method Latencies, the result holds the whole latency
// in Driver and zero in the other parts.
func LatenciesOf(d Device) Latencies {
	if reporter, ok := d.(interface{ Latencies() Latencies }); ok {
		return reporter.Latencies()
	}
	return Latencies{Driver: pcm.Duration(int64(d.Latency()), d.Rate())}
}
