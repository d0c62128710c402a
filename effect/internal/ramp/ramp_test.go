package ramp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpline checks that the numbers are the mean of the last 32 frames of straight lines, and arrive exactly.
func TestSpline(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(1, seed))
		g, target := New(2), []float64{r.Float64(), -r.Float64()}
		g.Jump(target)
		lines := slices.Repeat([]float64{target[0]}, Frames)
		for turn := range 20 {
			last := slices.Clone(target)
			if turn < 17 && r.IntN(2) == 0 {
				target = []float64{r.Float64(), -r.Float64()}
			}
			g.Move(target)
			for n := 1; n <= Frames; n++ {
				lines = append(lines, last[0]+(target[0]-last[0])*float64(n)/Frames)
				want := 0.0
				for i := len(lines) - Frames; i < len(lines); i++ {
					want += (lines[i-1] + lines[i]) / 2 / Frames // between two frames a line is straight
				}
				if got := g.Next(); math.Abs(got[0]-want) > 1e-14 || !slices.Equal(got, g.Now()) {
					t.Fatalf("seed %d, line %d: %v after %d frames, want %v", seed, turn, got[0], n, want)
				}
			}
		}
		if !g.Still() || !slices.Equal(g.Next(), target) {
			t.Errorf("it is at %v, want %v", g.Now(), target)
		}
	}
}

// TestLateMoves checks that a single move arrives after 64 frames, and that two moves at one frame count as
// one.
func TestLateMoves(t *testing.T) {
	g, h := New(1), New(1)
	g.Move([]float64{7})
	g.Move([]float64{1})
	h.Move([]float64{1})
	for i := range 2 * Frames {
		if g.Still() {
			t.Fatalf("it arrives after %d frames", i)
		}
		if x, y := g.Next()[0], h.Next()[0]; x != y {
			t.Fatalf("%v, want %v", x, y)
		}
	}
	if !g.Still() || g.Now()[0] != 1 {
		t.Errorf("it is at %v after %d frames", g.Now(), 2*Frames)
	}
}
