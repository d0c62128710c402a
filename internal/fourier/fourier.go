// Package fourier computes discrete Fourier transforms with the same bits on every machine.
package fourier

import (
	"math/bits"

	"voicepool/pcm"
)

// Transform transforms blocks of one size. Any number of goroutines may use it.
type Transform struct {
	rounds   [][][3]complex128 // twiddle factors of two steps each: one of the first, and two of the second
	twiddles []complex128      // twiddle factors of the last step, if the number of steps is odd
	order    []int
}

// New returns the discrete Fourier transform of n complex numbers. n is a power of two.
func New(n int) *Transform {
	f := &Transform{order: make([]int, n)}
	turn := func(k, n int) complex128 { // e^(-2 pi i k/n)
		x := 2 * float64(k) / float64(n)
		return complex(pcm.CosPi(x), -pcm.SinPi(x))
	}
	half := 1
	for ; 4*half <= n; half *= 4 {
		round := make([][3]complex128, half)
		for k := range round {
			round[k] = [3]complex128{turn(k, 2*half), turn(k, 4*half), turn(k+half, 4*half)}
		}
		f.rounds = append(f.rounds, round)
	}
	for k := 0; half < n && k < half; k++ {
		f.twiddles = append(f.twiddles, turn(k, n))
	}
	shift := bits.LeadingZeros64(uint64(n)) + 1
	for i := range f.order {
		f.order[i] = int(bits.Reverse64(uint64(i)) >> shift)
	}
	return f
}

// Apply replaces x, which has the transform's size, by its discrete Fourier transform, without a scale factor.
func (f *Transform) Apply(x []complex128) {
	for i, j := range f.order {
		if i < j {
			x[i], x[j] = x[j], x[i]
		}
	}
	f.ApplyOrdered(x)
}

// Order returns the input order of ApplyOrdered: element i is number Order()[i] of the input. The caller must
// not change it.
func (f *Transform) Order() []int { return f.order }

// ApplyOrdered replaces x, whose numbers are in the order of Order, by its discrete Fourier transform in natural
// order.
func (f *Transform) ApplyOrdered(x []complex128) {
	for _, round := range f.rounds {
		half := len(round)
		for block := x; len(block) >= 4*half; block = block[4*half:] {
			a, b, c, d := block[:half], block[half:2*half], block[2*half:3*half], block[3*half:4*half]
			for k, w := range round {
				a0, b0, c0, d0 := a[k], b[k], c[k], d[k]
				t, u := times(b0, w[0]), times(d0, w[0])
				a0, b0, c0, d0 = a0+t, a0-t, c0+u, c0-u
				t, u = times(c0, w[1]), times(d0, w[2])
				a[k], c[k], b[k], d[k] = a0+t, a0-t, b0+u, b0-u
			}
		}
	}
	if len(f.twiddles) > 0 {
		low, high := x[:len(f.twiddles)], x[len(f.twiddles):]
		for k, w := range f.twiddles {
			t := times(high[k], w)
			low[k], high[k] = low[k]+t, low[k]-t
		}
	}
}

// times returns the product of h and w, with every product rounded to float64, so that all processors compute the
// same bits.
func times(h, w complex128) complex128 {
	return complex(
		float64(real(h)*real(w))-float64(imag(h)*imag(w)),
		float64(real(h)*imag(w))+float64(imag(h)*real(w)))
}
