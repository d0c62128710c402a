package mixer_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/mixer"
)

// TestEventChannel: all events come, in their order, until the context ends.
func TestEventChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
		c := m.EventChannel(ctx)
		s := level(t, 1000, 5, 0.5)
		for at := range 100 {
			play(t, m.At(int64(10*at)), s, mixer.Options{Ref: int64(at)})
		}
		left(m, 1010)
		begin := time.Now()
		for i := range 200 {
			e := <-c
			if want := []mixer.EventKind{mixer.EventStarted, mixer.EventEnded}[i%2]; e.Kind != want || e.Ref != int64(i/2) {
				t.Fatalf("event %d is %v of %d", i, e.Kind, e.Ref)
			}
		}
		if took := time.Since(begin); took > 20*time.Millisecond {
			t.Errorf("they took %v", took)
		}
		cancel()
		synctest.Wait()
		if e, ok := <-c; ok {
			t.Errorf("after the end comes %v", e.Kind)
		}
	})
}

// TestLatencies: what was configured, and the longest block.
func TestLatencies(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 48000, Lead: 30 * time.Millisecond})
	left(m, 480)
	left(m, 96)
	l := m.Latencies()
	if l.Lead != 30*time.Millisecond || l.Block != 10*time.Millisecond || l.Limiter.Round(time.Microsecond) != 2167*time.Microsecond {
		t.Errorf("the latencies are %+v", l)
	}
}
