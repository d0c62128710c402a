package play_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"voicepool/cue/play"
	"voicepool/pcm"
)

// TestEveryBetween checks random intervals: they cover their range, depend only on the seed, and their number
// respects `times` and `until`.
func TestEveryBetween(t *testing.T) {
	s := parse(t, "cues: [{at: 1s, play: coin, every: [300ms, 900ms], times: 2000}]")
	var last int64
	least, most, differ := int64(math.MaxInt64), int64(0), 0
	a, b, c := play.NewSchedule(s, 48000, 1), play.NewSchedule(s, 48000, 1), play.NewSchedule(s, 48000, 2)
	n := 0
	for ; ; n++ {
		x, ok := a.Next()
		if !ok {
			break
		}
		same, _ := b.Next()
		other, _ := c.Next()
		if x.Frame != same.Frame {
			t.Fatalf("repetition %d: frames %d and %d by one seed", n, x.Frame, same.Frame)
		}
		if other.Frame != x.Frame {
			differ++
		}
		if n == 0 && x.Frame != 48000 {
			t.Errorf("the first is at frame %d", x.Frame)
		} else if n > 0 {
			least, most = min(least, x.Frame-last), max(most, x.Frame-last)
		}
		last = x.Frame
	}
	if n != 2000 || least < 14399 || least > 14500 || most > 43201 || most < 43100 || differ < 1900 {
		t.Errorf("%d repetitions, %d to %d frames apart, %d others by another seed", n, least, most, differ)
	}
	s = parse(t, "cues: [{at: 1s, play: coin, every: [300ms, 900ms], until: 60s}]")
	sc := play.NewSchedule(s, 48000, 1)
	for n, last = 0, 0; ; n++ {
		x, ok := sc.Next()
		if !ok {
			break
		}
		last = x.Frame
	}
	if n < 80 || n > 120 || last >= 60*48000 || last < 59*48000 || sc.Plays() != 0 {
		t.Errorf("until 60s: %d repetitions, the last at frame %d, %d to come", n, last, sc.Plays())
	}
}

// TestChanceInTime checks that the given share of repetitions acts, depending only on the seed, and that
// skipped repetitions are not counted.
func TestChanceInTime(t *testing.T) {
	for _, share := range []float64{0.001, 0.3, 0.5, 0.999, 1} {
		s := parse(t, fmt.Sprintf("cues: [{at: 0, play: coin, every: 1ms, times: 20000, chance: %v}]", share))
		sc := play.NewSchedule(s, 48000, 5)
		acts := 0
		for {
			a, ok := sc.Next()
			if !ok {
				break
			}
			if !a.Skipped {
				acts++
			}
		}
		if got := float64(acts) / 20000; math.Abs(got-share) > 0.015 || share == 1 && acts != 20000 || acts == 0 {
			t.Errorf("chance %v: a share of %v acts", share, got)
		}
	}
}

// TestChanceIsLazy checks that a billion repetitions take no memory.
func TestChanceIsLazy(t *testing.T) {
	s := parse(t, "cues: [{at: 0, set: master, gain: 0, every: [1ms, 3ms], times: 1000000000, chance: 0.5}]")
	sc := play.NewSchedule(s, 48000, 1)
	sc.Next()
	if n := testing.AllocsPerRun(10000, func() { sc.Next() }); n > 0 {
		t.Errorf("%v allocations for a repetition", n)
	}
}

// TestChanceInAChain checks that a list cue ends after its remaining random repetitions, with the same output
// for all block lengths.
func TestChanceInAChain(t *testing.T) {
	f := newFolder(t)
	for seed := range 8 {
		for _, key := range []string{"every: 50ms, times: 4, chance: 0.5",
			"every: [10ms, 200ms], until: 500ms", "chance: 0.1"} {
			sheet := fmt.Sprintf("seed: %d\nlist:\n  - {cue: 1, play: short.wav, id: a, %s, then: follow}\n"+
				"  - {cue: 2, do: [{play: half.wav}, {at: end of a, play: quiet.wav}]}\ngoes: [100ms]\n", seed, key)
			var want []pcm.Frame
			for _, block := range []int{512, 7, 64} {
				p := f.player(sheet, play.Options{Events: true})
				out := readAll(t, p, block)
				r := p.Report()
				f.identities(r)
				if got := events(r); strings.Count(got, "started half.wav/1") != 1 || strings.Count(got, "started quiet.wav/2") != 1 {
					t.Fatalf("seed %d, %s: %s", seed, key, got)
				}
				if want == nil {
					want = out
				}
				if !slices.Equal(out, want) {
					t.Errorf("seed %d, %s: blocks of %d give other frames", seed, key, block)
				}
			}
		}
	}
}
