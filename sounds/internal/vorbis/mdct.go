package vorbis

import (
	"voicepool/internal/fourier"
	"voicepool/pcm"
)

// mdct is the inverse MDCT of one size, computed by a complex Fourier transform of a quarter of the size, with
// twiddles before and after it.
type mdct struct {
	n        int       // frames per block; a power of two, at least 16
	cos, sin []float64 // of pi (8k+1) / 4n, for both twiddles
	fft      *fourier.Transform
	z        []complex128
	u        []float64
}

// newMDCT returns the inverse MDCT for blocks of n samples (Vorbis I, section 4.3.7). n is a power of two, at least
// 16. The result has scratch space, so it is for one goroutine at a time.
func newMDCT(n int) *mdct {
	q := n / 4
	t := &mdct{n: n, fft: fourier.New(q), z: make([]complex128, q), u: make([]float64, n/2)}
	for k := range q {
		x := float64(8*k+1) / float64(4*n)
		t.cos, t.sin = append(t.cos, pcm.CosPi(x)), append(t.sin, pcm.SinPi(x))
	}
	return t
}

// inverse computes the inverse MDCT of the spectrum x, which has half as many values as a block. It stores the two
// halves of the resulting block in first and second. It applies no window. With n = t.n the result is y[i] = sum over
// k of x[k] cos(pi/2n (2i+1+n/2) (2k+1)).
func (t *mdct) inverse(first, second, x []float64) {
	m, q := t.n/2, t.n/4
	x = x[:m]
	cos, sin, z, place := t.cos[:q], t.sin[:q], t.z[:q], t.fft.Order()[:q]
	for k, c := range cos {
		a, b, s := x[2*k], x[m-1-2*k], sin[k]
		z[place[k]] = complex(float64(a*c)+float64(b*s), float64(b*c)-float64(a*s))
	}
	t.fft.ApplyOrdered(z)
	u := t.u[:m]
	for j, z := range z {
		a, b, c, s := real(z), imag(z), cos[j], sin[j]
		u[2*j] = float64(a*c) + float64(b*s)
		u[m-1-2*j] = float64(a*s) - float64(b*c)
	}
	low, high := u[:q], u[q:m]
	first, second = first[:m], second[:m]
	copy(first, high)
	for i, y := range high {
		first[m-1-i] = -y
	}
	for i, y := range low {
		second[q-1-i] = -y
		second[q+i] = -y
	}
}
