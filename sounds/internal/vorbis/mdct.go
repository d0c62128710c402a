package vorbis

import (
	"math/bits"

	"voicepool/pcm"
)

// mdct is the inverse modified discrete cosine transform of one size, by way of a
// complex Fourier transform of a quarter of it, with
// twiddles before and after it.
type mdct struct {
	n        int       // frames of a block; a power of two, at least 16
	cos, sin []float64 // of pi (8k+1) / 4n: both twiddles, before and after, are the same
	wc, ws   []float64 // the roots of unity for the transform within
	re, im   []float64
	swap     []int // the bit-reversed order
	u        []float64
}

func newMDCT(n int) *mdct {
	q := n / 4
	t := &mdct{n: n, re: make([]float64, q), im: make([]float64, q), swap: make([]int, q), u: make([]float64, n/2)}
	for k := range q {
		x := float64(8*k+1) / float64(4*n)
		t.cos, t.sin = append(t.cos, pcm.CosPi(x)), append(t.sin, pcm.SinPi(x))
		x = float64(2*k) / float64(q)
		t.wc, t.ws = append(t.wc, pcm.CosPi(x)), append(t.ws, pcm.SinPi(x))
		t.swap[k] = int(bits.Reverse64(uint64(k)) >> (64 - bits.Len(uint(q-1))))
	}
	return t
}

// inverse sets y[i] = sum over k of x[k] cos(pi/2n (2i+1+n/2) (2k+1)), for n
// values of y and n/2 of x.
func (t *mdct) inverse(y, x []float64) {
	m, q := t.n/2, t.n/4
	for k := range q {
		a, b := x[2*k], x[m-1-2*k]
		i := t.swap[k]
		t.re[i] = float64(a*t.cos[k]) + float64(b*t.sin[k])
		t.im[i] = float64(b*t.cos[k]) - float64(a*t.sin[k])
	}
	t.fourier()
	for j := range q {
		a, b := t.re[j], t.im[j]
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

// fourier transforms re and im, which are in bit-reversed order.
func (t *mdct) fourier() {
	re, im := t.re, t.im
	for size := 2; size <= len(re); size *= 2 {
		half, stride := size/2, len(re)/size
		for start := 0; start < len(re); start += size {
			for k := range half {
				c, s := t.wc[k*stride], t.ws[k*stride]
				i, j := start+k, start+k+half
				a := float64(re[j]*c) + float64(im[j]*s)
				b := float64(im[j]*c) - float64(re[j]*s)
				re[i], re[j] = re[i]+a, re[i]-a
				im[i], im[j] = im[i]+b, im[i]-b
			}
		}
	}
}
