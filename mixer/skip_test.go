package mixer_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestSkip compares a mix after a Skip with the end of the complete mix, if the master has no tails.
// Bits, events and counters must be equal from the first frame on.
func TestSkip(t *testing.T) {
	heard := 0
	for seed := range uint64(longtest.Amount(20, 120)) {
		r := rand.New(rand.NewPCG(seed, 4))
		lengths := func() int { return 1 + r.IntN(900) }
		from := 1 + r.IntN(4400)
		// The complete mix skips one frame, so that it has no inserts either.
		sounds := movingSounds(t, seed)
		want, wantEvents, wantStats := movingSceneFrom(t, seed, sounds, false, 1, lengths)
		got, events, stats := movingSceneFrom(t, seed, sounds, false, from, lengths)
		if i := slices.IndexFunc(got[:from], func(f pcm.Frame) bool { return f != pcm.Frame{} }); i >= 0 {
			t.Fatalf("seed %d: frame %d of what was skipped is %v", seed, i, got[i])
		}
		for i := from; i < len(want); i++ {
			if got[i] != want[i] {
				t.Fatalf("seed %d from %d: frame %d is %v, want %v", seed, from, i, got[i], want[i])
			}
			if want[i] != (pcm.Frame{}) {
				heard++
			}
		}
		if !slices.Equal(events, wantEvents) {
			t.Fatalf("seed %d from %d: the events differ", seed, from)
		}
		if stats != wantStats {
			t.Fatalf("seed %d from %d: %+v, want %+v", seed, from, stats, wantStats)
		}
	}
	if heard == 0 {
		t.Error("nothing was heard")
	}
}

// TestSkipIsSilent checks that skipped frames do not count as blocks and are not mixed.
func TestSkipIsSilent(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 10, NoLimiter: true}) // a tail has no frame
	play(t, m.Engine().At(0), level(t, 10, 100, 0.5), mixer.Options{})
	m.Engine().Skip(40)
	if st := m.Stats(); m.Now() != 40 || st.Playing != 1 {
		t.Errorf("at %d with %d voices, want 40 with 1", m.Now(), st.Playing)
	}
	if l := m.Latency(); l.Block != 0 {
		t.Errorf("the longest block lasts %v, want 0", l.Block)
	}
	if allocations := testing.AllocsPerRun(10, func() { m.Engine().Skip(7) }); allocations != 0 {
		t.Errorf("%v allocations", allocations)
	}
	m.Render(make([]pcm.Frame, 1))
	m.StopAll(0)
	m.Render(make([]pcm.Frame, 1))
	asleep := time.Now()
	if !m.Sleep(asleep) {
		t.Error("it does not sleep")
	}
	if n := m.Wake(asleep.Add(time.Second)); n != 10 {
		t.Errorf("%d frames have passed, want 10", n)
	}
}
