// Package oracles compares results of voicepool with other libraries that are too large for its own module to
// require.
package oracles

import (
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	ours "voicepool/internal/fourier"
)

// TestFourier compares the transform of each size with gonum's.
func TestFourier(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 4096; n *= 2 {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(2*r.Float64()-1, 2*r.Float64()-1)
		}
		want := fourier.NewCmplxFFT(n).Coefficients(nil, x)
		ours.New(n).Apply(x)
		for i := range x {
			if cmplx.Abs(x[i]-want[i]) > 1e-12*float64(n) {
				t.Fatalf("coefficient %d of %d is %v, want %v", i, n, x[i], want[i])
			}
		}
	}
}
