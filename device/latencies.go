package device

import (
	"time"

	"voicepool/pcm"
)

// Latencies are the parts of what a device adds between Render and the ear, each at the
// most. mixer.Latency has the parts before them.
type Latencies struct {
	Driver time.Duration // what the driver holds, or has the system hold for this stream
	Server time.Duration // what the sound server, or the card, holds for all streams
}

// LatenciesOf returns the parts of d.Latency: those that the device tells by a method
// Latencies, else all of it as the driver's. Control side.
func LatenciesOf(d Device) Latencies {
	if told, ok := d.(interface{ Latencies() Latencies }); ok {
		return told.Latencies()
	}
	return Latencies{Driver: pcm.Duration(int64(d.Latency()), d.Rate())}
}
