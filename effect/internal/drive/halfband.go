package drive

import "voicepool/pcm"

// halfband is a linear-phase low-pass at half of the Nyquist frequency with 4 half + 3 taps. The middle tap
// is 1/2; every other second tap is 0. taps holds the remaining taps before the middle, times two; those
// after it are mirrored.
//
// Each sum runs from the outermost pair of taps inwards. Outputs do not depend on each other, so any number
// of them may be computed at once.
type halfband struct {
	half int
	taps []float32
}

// newHalfband returns the ideal low-pass at half the band, with half+1 pairs of taps under a Kaiser window with
// parameter beta.
func newHalfband(half int, beta float64) halfband {
	taps, sum := make([]float64, half+1), 0.0
	middle := float64(2*half + 1)
	for i := range taps {
		d := middle - float64(2*i) // distance from the middle, odd
		x := d / (middle + 1)
		taps[i] = float64(pcm.SinPi(d/2) / d * bessel(float64(beta*beta)*(1-float64(x*x))))
		sum += float64(2 * taps[i])
	}
	h := halfband{half: half, taps: make([]float32, half+1)}
	for i, x := range taps {
		h.taps[i] = float32(x / sum)
	}
	return h
}

// bessel returns I0 of the square root of x, by its power series.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; k < 40; k++ {
		term = float64(term*x) / float64(4*k*k)
		sum += term
	}
	return sum
}

// history returns the number of frames of history that up reads before the first output frame.
func (h *halfband) history() int { return 2*h.half + 1 }

// up writes src at twice the rate to dst, with a delay of 2 half + 1 frames of dst. src begins with past frames
// of history; len(dst) is even.
func (h *halfband) up(dst, src []pcm.Frame) {
	size := 2 * len(h.taps)
	for n := range len(dst) / 2 {
		w := src[n : n+size]
		var l, r float32
		for i, t := range h.taps {
			a, b := &w[i], &w[size-1-i]
			l += float32(t * (a[0] + b[0]))
			r += float32(t * (a[1] + b[1]))
		}
		dst[2*n], dst[2*n+1] = pcm.Frame{l, r}, w[size/2]
	}
}
