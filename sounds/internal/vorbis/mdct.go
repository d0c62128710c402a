package vorbis

import (
	"voicepool/internal/fourier"
	"voicepool/pcm"
)

// mdct is the inverse modified discrete cosine transform of one size, by way of a
// complex Fourier transform of a quarter of it, with twiddles before and after it.
type mdct struct {
	n        int       // frames of a block; a power of two, at least 16
	cos, sin []float64 // of pi (8k+1) / 4n: both twiddles, before and after, are the same
	fft      *fourier.Transform
	z        []complex128
	u        []float64
}

func newMDCT(n int) *mdct {
	q := n / 4
	t := &mdct{n: n, fft: fourier.New(q), z: make([]complex128, q), u: make([]float64, n/2)}
	for k := range q {
		x := float64(8*k+1) / float64(4*n)
		t.cos, t.sin = append(t.cos, pcm.CosPi(x)), append(t.sin, pcm.SinPi(x))
	}
	return t
}

// inverse sets y[i] = sum over k of x[k] cos(pi/2n (2i+1+n/2) (2k+1)), for n
// values of y and n/2 of x.
func (t *mdct) inverse(y, x []float64) {
	m, q := t.n/2, t.n/4
	for k := range t.z {
		a, b := x[2*k], x[m-1-2*k]
		t.z[k] = complex(float64(a*t.cos[k])+float64(b*t.sin[k]), float64(b*t.cos[k])-float64(a*t.sin[k]))
	}
	t.fft.Apply(t.z)
	for j, z := range t.z {
		a, b := real(z), imag(z)
		t.u[2*j] = float64(a*t.cos[j]) + float64(b*t.sin[j])
		t.u[m-1-2*j] = float64(a*t.sin[j]) - float64(b*t.cos[j])
	}
	for i := range q {
		y[i] = t.u[i+q]
		y[3*q+i] = -t.u[i]
	}
	for i := q; i < 3*q; i++ {
		y[i] = -t.u[3*q-1-i]
	}
}
