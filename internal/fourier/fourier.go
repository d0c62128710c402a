// Package fourier transforms blocks of complex numbers, with the same bits on every
// machine.
package fourier

import (
	"math/bits"

	"voicepool/pcm"
)

// Transform transforms blocks of one size. Any number of goroutines may use it.
type Transform struct {
	turns    []complex128 // e^(-2 pi i k/n), k < n/2
	reversed []int
}

// New returns the transform of n numbers, a power of two.
func New(n int) *Transform {
	f := &Transform{turns: make([]complex128, n/2), reversed: make([]int, n)}
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

// Apply replaces x, of the transform's size, by its discrete Fourier transform.
func (f *Transform) Apply(x []complex128) {
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
				h, w := high[k], f.turns[k*stride]
				t := complex(
					float64(real(h)*real(w))-float64(imag(h)*imag(w)),
					float64(real(h)*imag(w))+float64(imag(h)*real(w)))
				low[k], high[k] = low[k]+t, low[k]-t
			}
		}
	}
}
