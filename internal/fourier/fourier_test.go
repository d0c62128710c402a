package fourier

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// TestDefinition compares with the sums that define the transform; .ci/results-match-oracles compares larger
// ones with gonum.
func TestDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 256; n *= 2 {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(2*r.Float64()-1, 2*r.Float64()-1)
		}
		want := make([]complex128, n)
		for k := range want {
			for i, v := range x {
				want[k] += v * cmplx.Rect(1, -2*math.Pi*float64(i*k%n)/float64(n))
			}
		}
		New(n).Apply(x)
		for k := range x {
			if cmplx.Abs(x[k]-want[k]) > 1e-12*float64(n) {
				t.Fatalf("coefficient %d of %d is %v, want %v", k, n, x[k], want[k])
			}
		}
	}
}
