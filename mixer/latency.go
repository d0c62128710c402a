package mixer

import (
	"time"

	"voicepool/pcm"
)

// Latency lists the delays that the mixer adds. The device adds its own latency.
type Latency struct {
	Lead    time.Duration // Config.Lead: from a call to its frame
	Block   time.Duration // the longest block up to now: without a Lead, a call waits for the next block
	Limiter time.Duration // the lookahead: from a frame of the mix to the output of Render
}

// Latency returns the delays that the mixer adds between a call and the output of Render. Control side.
func (m *Mixer) Latency() Latency {
	return Latency{
		Lead: pcm.Duration(m.clock.lead, m.rate), Block: pcm.Duration(m.longest.Load(), m.rate), Limiter: pcm.Duration(int64(m.latency), m.rate),
	}
}
