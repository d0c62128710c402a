package dsp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/pcm"
)

// curves lists the functions of curve.go with inputs for each.
var curves = []struct {
	name string
	call func(x []float64)
	draw func(r *rand.Rand) float64
}{
	{"Factors", Factors, func(r *rand.Rand) float64 {
		if r.IntN(4) == 0 {
			return hardDecibels[r.IntN(len(hardDecibels))]
		}
		return r.Float64()*140 - 110
	}},
	{"CosPi", CosPi, func(r *rand.Rand) float64 {
		if r.IntN(4) == 0 { // at the boundaries between parts of the formula, and next to them
			x := float64(r.IntN(17)-8) / 4
			return [...]float64{x, math.Nextafter(x, 9), math.Nextafter(x, -9), x + 1<<40}[r.IntN(4)]
		}
		return r.Float64()*6 - 3
	}},
	{"Line", func(x []float64) {
		if len(x) > 0 {
			Line(x, x[0], x[len(x)-1]-x[0], int64(len(x))*7, 64, 28800000)
		}
	}, func(r *rand.Rand) float64 { return r.NormFloat64() * 50 }},
}

// TestPans checks Pans in the same way, and that its input is unchanged.
func TestPans(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	r, room := rand.New(rand.NewPCG(1, 2)), fenced[float64](t, 64)
	hard := []float64{0, math.Copysign(0, -1), 1, -1, 0x1p-53, -0x1p-53, -0x1p-52, 1e-300, 0.5, -0.5, 3, -3}
	for n := range 20 {
		for range 300 {
			x, beside := make([]float64, n), r.Float64()*2-1
			if r.IntN(2) == 0 {
				beside = hard[r.IntN(len(hard))]
			}
			for i := range x {
				if x[i] = r.Float64()*2 - 1; r.IntN(4) == 0 {
					x[i] = hard[r.IntN(len(hard))]
				}
			}
			for _, l := range sets() {
				level = l
				pans, left, right := room[len(room)-n:], make([]float64, n), make([]float64, n)
				copy(pans, x)
				Pans(left, right, pans, beside)
				for i := range x {
					y := (min(max(x[i]+beside, -1), 1) + 1) / 4
					if left[i] != pcm.CosPi(y) || right[i] != pcm.SinPi(y) || pans[i] != x[i] {
						t.Fatalf("%v: pan %d of %d, %v beside %v, has the factors %v and %v, want %v and %v",
							l, i, n, x[i], beside, left[i], right[i], pcm.CosPi(y), pcm.SinPi(y))
					}
				}
			}
		}
	}
}

var hardDecibels = []float64{
	-80, math.Nextafter(-80, 0), math.Nextafter(-80, -90), -120, math.Inf(-1), -1e300, 0, math.Copysign(0, -1), 5e-324, 6000, 24,
	20 * math.Log10(2), -20 * math.Log10(2), 10 * math.Log10(2), math.Nextafter(10*math.Log10(2), 9), -10 * math.Log10(2),
}

// TestCurveBits checks that curves give the bits of plain Go with every instruction set and write no memory
// outside the slice.
func TestCurveBits(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	r, room := rand.New(rand.NewPCG(1, 2)), fenced[float64](t, 64)
	for _, c := range curves {
		for n := range 40 {
			for range 200 {
				x := make([]float64, n)
				for i := range x {
					x[i] = c.draw(r)
				}
				var want []float64
				for _, l := range sets() {
					for _, at := range []int{0, len(room) - n} {
						got := room[at:][:n]
						copy(got, x)
						level = l
						c.call(got)
						if want == nil {
							want = slices.Clone(got)
						}
						for i := range got {
							if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
								t.Fatalf("%s (%v): number %d of %d, of %v, is %v (%#x), Go gives %v (%#x)", c.name, l, i, n, x[i],
									got[i], math.Float64bits(got[i]), want[i], math.Float64bits(want[i]))
							}
						}
					}
				}
			}
		}
	}
}
