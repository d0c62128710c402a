package steal

import (
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

func TestFFT(t *testing.T) {
	r := newRandom(1, "fft")
	for n := 1; n <= 4096; n *= 2 {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(r.noise(), r.noise())
		}
		want := fourier.NewCmplxFFT(n).Coefficients(nil, x)
		newFFT(n).transform(x)
		for i := range x {
			if cmplx.Abs(x[i]-want[i]) > 1e-12*float64(n) {
				t.Fatalf("coefficient %d of %d is %v, want %v", i, n, x[i], want[i])
			}
		}
	}
}
