package steal

import (
	"math/bits"

	"voicepool/pcm"
)

// fft transforms blocks of a power of two of complex numbers.
type fft struct {
	turns    []complex128 // e^(-2 pi i k/n), k < n/2
	reversed []int
}

func newFFT(n int) *fft {
	f := &fft{turns: make([]complex128, n/2), reversed: make([]int, n)}
	for k := range f.turns {
		x := 2 * float64(k) / float64(n)
		f.turns[k] = complex(pcm.CosPi(x), -pcm.SinPi(x))
	}
	shift := bits.LeadingZeros64(uint64(n)) + 1
	for i := range f.reversed {
		f.reversed[i] = int(bits.Reverse64(uint64(i)) >> shift)
	}
	return f
}

// transform replaces x by its transform.
func (f *fft) transform(x []complex128) {
	for i, j := range f.reversed {
		if i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	n := len(x)
	for half := 1; half < n; half *= 2 {
		stride := n / (2 * half)
		for block := 0; block < n; block += 2 * half {
			low, high := x[block:block+half], x[block+half:block+2*half]
			for k := range low {
				t := high[k] * f.turns[k*stride]
				low[k], high[k] = low[k]+t, low[k]-t
			}
		}
	}
}
