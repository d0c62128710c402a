package library

import (
	"math"
	"testing"

	"voicepool/internal/loudness"
	"voicepool/internal/stretch"
)

// unrolledIndex computes the reference for loops. It unrolls the sound and its loop, filters the result from
// rest, splits it into hops and takes the best average over a bounded number of hops.
func unrolledIndex(x []float32, rate int, loop [2]int64) []float64 {
	hop := int(hopFrames(rate))
	ahead := max((2*rate+hop-1)/hop, 3)
	hops := (int(loop[1]) + hop - 1) / hop
	f := loudness.NewFilter(rate)
	k := make([]float64, hops+ahead)
	for i := range len(k) * hop {
		p := int64(i)
		if p >= loop[1] {
			p = loop[0] + (p-loop[1])%(loop[1]-loop[0])
		}
		y := f.Next(float64(x[p]))
		k[i/hop] += y * y / float64(hop)
	}
	g := make([]float64, hops)
	for i := range g {
		for n := 3; n <= ahead; n++ {
			sum := 0.0
			for _, e := range k[i : i+n] {
				sum += e
			}
			g[i] = max(g[i], sum/float64(n))
		}
	}
	return g
}

func TestEnvelope(t *testing.T) {
	for _, c := range []struct {
		rate, frames int
		loop         [2]int64
	}{
		{rate: 48000, frames: 30000, loop: [2]int64{0, 30000}},
		{rate: 48000, frames: 30000, loop: [2]int64{1000, 20500}},
		{rate: 44100, frames: 5000, loop: [2]int64{4990, 5000}},
		{rate: 8000, frames: 20000, loop: [2]int64{0, 20000}},
		{rate: 1000, frames: 500, loop: [2]int64{100, 101}},
		{rate: 8, frames: 20, loop: [2]int64{0, 20}},
		{rate: 1, frames: 5, loop: [2]int64{2, 5}},
		{rate: 48000, frames: 1, loop: [2]int64{0, 1}},
	} {
		x := make([]float32, c.frames)
		state := uint32(7)
		for i := range x {
			state = state*1664525 + 1013904223
			x[i] = float32(int32(state)) / (1 << 31) * float32(1-i%(1+c.frames/3)*2/c.frames)
		}
		e := measureEnvelope(x, 1, c.rate, c.loop)
		if e.Hop != hopFrames(c.rate) {
			t.Fatalf("a hop of %d", e.Hop)
		}
		hops := (c.frames + int(e.Hop) - 1) / int(e.Hop)
		if len(e.Once) != hops {
			t.Fatalf("%d Hz: %d hops, want %d", c.rate, len(e.Once), hops)
		}
		f := loudness.NewFilter(c.rate)
		k := make([]float64, hops)
		for i, s := range x {
			y := f.Next(float64(s))
			k[i/int(e.Hop)] += y * y / float64(e.Hop)
		}
		want, _ := stretch.Once(k) // stretch.Once has a test of its own
		near(t, "once", e.Once, want)
		near(t, "loop", e.Loop, unrolledIndex(x, c.rate, c.loop))
	}
}

func near(t *testing.T, what string, got []float32, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d hops, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Abs(float64(got[i])-want[i]) > 1e-6*want[i]+1e-30 {
			t.Fatalf("%s: hop %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// TestEnvelopeChannels checks that the energy is the mean over the channels.
func TestEnvelopeChannels(t *testing.T) {
	mono, left := make([]float32, 4800), make([]float32, 9600)
	for i := range mono {
		mono[i] = float32(i%7) / 7
		left[2*i] = mono[i]
	}
	a := measureEnvelope(mono, 1, 48000, [2]int64{0, 4800})
	b := measureEnvelope(left, 2, 48000, [2]int64{0, 4800})
	for i := range a.Once {
		if b.Once[i] != a.Once[i]/2 || b.Loop[i] != a.Loop[i]/2 {
			t.Fatalf("hop %d: %v and %v in one channel of two, %v and %v in mono", i, b.Once[i], b.Loop[i], a.Once[i], a.Loop[i])
		}
	}
}

func TestHop(t *testing.T) {
	for rate, want := range map[int]int64{1: 1, 8: 1, 74: 1, 75: 2, 1000: 20, 11025: 221, 44100: 882, 48000: 960} {
		if got := hopFrames(rate); got != want {
			t.Errorf("at %d Hz a hop is %d frames, want %d", rate, got, want)
		}
	}
}
