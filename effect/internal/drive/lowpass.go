package drive

import (
	"math"

	"voicepool/pcm"
)

// lowpass is a linear-phase low-pass before the last halving of the rate. A halfband filter has -6 dB at the
// new Nyquist frequency, so harmonics a little above it would alias to a little below. This filter blocks
// them. taps holds the taps up to the middle; the others are mirrored.
type lowpass struct{ taps []float32 }

// newLowpass returns an ideal low-pass at a share of the rate with 2 half + 1 taps under a Kaiser window with
// parameter beta. The taps add up to 1.
func newLowpass(half int, share, beta float64) lowpass {
	taps, sum := make([]float64, half+1), 0.0
	for i := range taps {
		d := float64(half - i)
		x := d / float64(half+1)
		taps[i] = 2 * share
		if i < half {
			taps[i] = pcm.SinPi(float64(2*share*d)) / float64(math.Pi*d)
		}
		taps[i] = float64(taps[i] * bessel(float64(beta*beta)*(1-float64(x*x))))
		sum += taps[i]
		if i < half {
			sum += taps[i]
		}
	}
	l := lowpass{taps: make([]float32, half+1)}
	for i, x := range taps {
		l.taps[i] = float32(x / sum)
	}
	return l
}

// down writes every second frame of src, low-passed, to dst. The taps span 2 half + 1 frames of src for each
// frame of dst. The sum runs from the outermost pair of taps inwards.
func (l *lowpass) down(dst, src []pcm.Frame) {
	half := len(l.taps) - 1
	taps, middle := l.taps[:half], l.taps[half]
	for n := range dst {
		w := src[2*n : 2*n+2*half+1]
		var left, right float32
		for i, t := range taps {
			a, b := &w[i], &w[2*half-i]
			left += float32(t * (a[0] + b[0]))
			right += float32(t * (a[1] + b[1]))
		}
		m := &w[half]
		dst[n] = pcm.Frame{left + float32(middle*m[0]), right + float32(middle*m[1])}
	}
}
