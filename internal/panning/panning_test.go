package panning_test

import (
	"math"
	"testing"

	"voicepool/internal/move"
	"voicepool/internal/panning"
)

// TestLaws compares the factors of every law with its formula.
func TestLaws(t *testing.T) {
	for i := -50; i <= 50; i++ {
		pan := float64(i) / 50
		angle := (pan + 1) * math.Pi / 4
		mono := [2]float64{math.Cos(angle), math.Sin(angle)}
		stereo := [2]float64{math.Cos(max(pan, 0) * math.Pi / 2), math.Cos(max(-pan, 0) * math.Pi / 2)}
		for _, c := range []struct {
			law  panning.Law
			want [2]float64
		}{
			{panning.Mono, mono},
			{panning.Stereo, stereo},
			{0.25, [2]float64{0.25*stereo[0] + 0.75*math.Sqrt2*mono[0], 0.25*stereo[1] + 0.75*math.Sqrt2*mono[1]}},
		} {
			if left, right := c.law.At(pan); math.Abs(left-c.want[0]) > 1e-12 || math.Abs(right-c.want[1]) > 1e-12 {
				t.Errorf("law %v: a pan of %v gives %v, %v, want %v", c.law, pan, left, right, c.want)
			}
		}
	}
}

// TestMoving checks that Larger bounds each side of a moving pan, and that Louder returns one of its two ends.
func TestMoving(t *testing.T) {
	pan := move.Constant(-0.75)
	pan.Ramp(0, 0.5, 100)
	for _, law := range []panning.Law{panning.Mono, panning.Stereo} {
		left, right := panning.Larger(law, &pan, 40)
		for frame := int64(40); frame <= 100; frame++ {
			if l, r := law.At(pan.At(frame)); l > left+1e-15 || r > right+1e-15 {
				t.Errorf("law %v: frame %d has %v, %v, above %v, %v", law, frame, l, r, left, right)
			}
		}
		louder, _ := panning.Louder(law, &pan, 40)
		now, _ := law.At(pan.At(40))
		if target, _ := law.At(0.5); louder != now && louder != target {
			t.Errorf("law %v: the louder left factor is %v, want %v or %v", law, louder, now, target)
		}
	}
}
