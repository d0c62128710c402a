package dsp

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/pcm"
)

// TestLogarithms checks the documented accuracy of the polynomials and their exact values.
func TestLogarithms(t *testing.T) {
	if lowered(0) != 1 {
		t.Errorf("2^0 is %v", lowered(0))
	}
	worst := [2]float64{}
	for x := uint32(quietest); x < math.Float32bits(2e6); x += 997 {
		y := float64(math.Float32frombits(x))
		worst[0] = max(worst[0], math.Abs(float64(octaves(x))-math.Log2(y)))
	}
	for x := float32(0); x < 60; x += 0.0007 {
		worst[1] = max(worst[1], math.Abs(float64(lowered(x))/math.Exp2(-float64(x))-1))
	}
	if t.Logf("largest errors: %.2g octaves, %.2g of the factor", worst[0], worst[1]); worst[0] > 2e-5 || worst[1] > 4e-6 {
		t.Error("they are too large")
	}
}

// TestReductionBits checks that every instruction set gives the bits of single values in Go.
func TestReductionBits(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	frames, lows, r := fenced[pcm.Frame](t, 64), fenced[float32](t, 64), rand.New(rand.NewPCG(22, 23))
	for round := range 4000 {
		n := r.IntN(40)
		block, dst := frames[len(frames)-n:], lows[len(lows)-n:]
		in, x := make([]pcm.Frame, n), make([]float32, n)
		for i := range in {
			in[i] = pcm.Frame{float32(math.Ldexp(r.Float64()-0.5, 8-r.IntN(30))), math.Float32frombits(r.Uint32())}
			x[i] = float32(r.Float64() * float64(r.IntN(60)))
			if r.IntN(9) == 0 {
				in[i][1], x[i] = float32(math.Copysign(0, -1)), 0
			}
			if in[i][1] != in[i][1] && round%2 == 0 {
				in[i][1] = 0.1
			}
		}
		k := Knee{Begin: -10 * r.Float32(), Width: 4 * r.Float32(), Slope: r.Float32()}
		if r.IntN(3) == 0 {
			k.Width = 0
		} else {
			k.Bend = 0.5 / k.Width
		}
		gain := 16 * r.Float32()
		level = generic
		want, out := make([]float32, n), copied(make([]pcm.Frame, n), in)
		for i := range in {
			k.Reductions(want[i:i+1], in[i:i+1])
			Lower(out[i:i+1], x[i:i+1], gain)
		}
		for _, l := range sets() {
			level = l
			k.Reductions(dst, in)
			Lower(copied(block, in), x, gain)
			for i := range in {
				if math.Float32bits(dst[i]) != math.Float32bits(want[i]) {
					t.Fatalf("%v: frame %d of %d, %v, asks %+v for %v, want %v", l, i, n, in[i], k, dst[i], want[i])
				}
				for c, y := range block[i] {
					if z := out[i][c]; math.Float32bits(y) != math.Float32bits(z) && (y == y || z == z) {
						t.Fatalf("%v: frame %d of %d, %v lowered by %v, is %v, want %v", l, i, n, in[i], x[i], y, z)
					}
				}
			}
		}
	}
}
