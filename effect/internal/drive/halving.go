package drive

import "voicepool/pcm"

// halving is a linear-phase low-pass before the first halving of the rate. It has an even number of taps and
// so a delay of a multiple of half a frame, which complements the half frame of the shaper's means. It also
// compensates the treble loss of those means. taps holds the first half; the second is mirrored.
type halving struct{ taps []float32 }

// A mean over a step multiplies a frequency by sin(z)/z, where z is pi times its share of the rate. The three
// taps -raise, 1 + 2 raise, -raise compensate that within 0.0012 dB up to a tenth of the rate.
const raise = 0.0432

// newHalving returns an ideal low-pass at a share of the rate with 2 half taps under a Kaiser window with
// parameter beta, convolved with the three taps of raise. The taps add up to 1.
func newHalving(half int, share, beta float64) halving {
	width := half - 1 // half the length of the low-pass alone
	low, sum := make([]float64, half+1), 0.0
	for i := range width {
		d := float64(width-i) - 0.5
		x := d / float64(width)
		low[i+1] = float64(pcm.SinPi(float64(2*share*d)) / d * bessel(float64(beta*beta)*(1-float64(x*x))))
		sum += float64(2 * low[i+1])
	}
	low[half] = low[width] // the first tap behind the middle
	h := halving{taps: make([]float32, half)}
	for i := range h.taps {
		before := 0.0
		if i > 0 {
			before = low[i-1]
		}
		x := low[i]
		h.taps[i] = float32((x + float64(raise*((x-before)+(x-low[i+1])))) / sum)
	}
	return h
}

// down writes every second frame of src, low-passed, to dst. src has 2 len(taps) - 2 frames of history first.
// The sum runs from the outermost pair of taps inwards.
func (h *halving) down(dst, src []pcm.Frame) {
	size := 2 * len(h.taps)
	for n := range dst {
		w := src[2*n : 2*n+size]
		var left, right float32
		for i, t := range h.taps {
			a, b := &w[i], &w[size-1-i]
			left += float32(t * (a[0] + b[0]))
			right += float32(t * (a[1] + b[1]))
		}
		dst[n] = pcm.Frame{left, right}
	}
}
