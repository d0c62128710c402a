package mixer

import (
	"time"

	"voicepool/pcm"
)

// Latency is where a call of now, and a sound, spend their time on the way to the
// device; what the device adds it says itself.
type Latency struct {
	Lead    time.Duration // Config.Lead: from a call to the frame at which it acts
	Block   time.Duration // the longest block that Render was asked for until now: without a Lead a call waits for the next one
	Limiter time.Duration // the look-ahead: from the frame at which something acts until it comes out of Render
}

// Latency returns what the mixer adds to the time from a call until it is heard.
// Control side.
func (m *Mixer) Latency() Latency {
	return Latency{
		Lead: pcm.Duration(m.lead.frames, m.rate), Block: pcm.Duration(m.longest.Load(), m.rate), Limiter: pcm.Duration(int64(m.latency), m.rate),
	}
}
