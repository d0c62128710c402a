package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
)

// TestLatency checks the configured values and the longest block.
func TestLatency(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 48000, Lead: 30 * time.Millisecond})
	left(m, 480)
	left(m, 96)
	l := m.Latency()
	if l.Lead != 30*time.Millisecond || l.Block != 10*time.Millisecond || l.Limiter.Round(time.Microsecond) != 2167*time.Microsecond {
		t.Errorf("the latencies are %+v", l)
	}
}
