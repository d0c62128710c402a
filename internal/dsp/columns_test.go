package dsp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestColumns checks that every instruction set gives the bits of the plain sums.
func TestColumns(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	r := rand.New(rand.NewPCG(11, 12))
	for n := range 33 {
		for every := 1; every <= 3; every++ {
			x := fenced[float64](t, 512)
			x = x[len(x)-n:]
			rows := make([][36]float64, n)
			for k := range x {
				x[k] = math.Ldexp(r.Float64()-0.5, r.IntN(60)-30)
				for i := range rows[k] {
					rows[k][i] = r.Float64() - 0.5
				}
			}
			var want [36]float64
			for k := 0; k < n; k += every {
				for i := range want {
					want[i] += float64(x[k] * rows[k][i])
				}
			}
			for _, l := range sets() {
				level = l
				got := [36]float64{1, 2, 3}
				if Columns(&got, rows, x, every); got != want {
					t.Fatalf("%v, %d numbers, each %d: %v, want %v", l, n, every, got, want)
				}
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a matrix with too few rows is no panic")
		}
	}()
	Columns(new([36]float64), make([][36]float64, 2), make([]float64, 3), 1)
}
