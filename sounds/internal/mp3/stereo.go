package mp3

import (
	"math"
	"slices"

	"voicepool/pcm"
)

// undoStereo converts the spectral lines of joint stereo to left and right, in place. h is the header of the frame;
// for a frame without joint stereo undoStereo has no effect. In mid-side stereo the two channels are sum and
// difference.
//
// In intensity stereo, the bands above the last nonzero line of the right channel are coded only in the left channel.
// The scale factors of the right channel are then positions, which distribute the lines to both channels. A band with
// an illegal position is not distributed. g is the granule of the right channel, and bands are its bands.
//
// The highest band has no scale factor. It uses the position of the band below, or the middle if that band has lines
// in the right channel, because its scale factor is not a position then.
func undoStereo(h header, g *granule, bands []band, left, right *[576]float64) {
	if !h.midSide && !h.intensity {
		return
	}
	done := [576]bool{}
	if h.intensity {
		top, middle := 1, 3 // number of highest bands without a scale factor; the center position
		if g.block == 2 {
			top = 3
		}
		if h.lowRate {
			middle = 0
		}
		var heard [4]bool // by window, and last for long blocks: whether the right channel has lines here or above
		for i := len(bands) - 1; i >= 0; i-- {
			b := bands[i]
			w := b.window
			if w < 0 {
				w = 3
				heard[3] = heard[0] || heard[1] || heard[2] || heard[3]
			}
			heard[w] = heard[w] || hasLines(right[b.from:b.to])
			if heard[w] {
				continue
			}
			scale, illegal := b.scale, b.illegal
			if i >= len(bands)-top { // no scale factor of its own
				below := bands[i-top]
				scale, illegal = below.scale, below.illegal
				if hasLines(right[below.from:below.to]) {
					scale, illegal = middle, false
				}
			}
			if illegal {
				continue
			}
			l, r := intensityGains(h, g, scale)
			for j := b.from; j < b.to; j++ {
				left[j], right[j] = float64(left[j]*l), float64(left[j]*r)
				done[j] = true
			}
		}
	}
	if h.midSide {
		for j := range left {
			if !done[j] {
				m, s := left[j], right[j]
				left[j], right[j] = float64((m+s)*(math.Sqrt2/2)), float64((m-s)*(math.Sqrt2/2))
			}
		}
	}
}

// hasLines reports whether any line in x is not zero.
func hasLines(x []float64) bool {
	return slices.ContainsFunc(x, func(y float64) bool { return y != 0 })
}

// intensityGains returns the linear gains of the left and the right channel for a band of intensity stereo. position
// is the scale factor of the band, 0..6 in MPEG-1. g is the granule of the right channel, and h the header of the
// frame.
func intensityGains(h header, g *granule, position int) (left, right float64) {
	if !h.lowRate {
		// With t = tan(position*pi/12), the gains are t/(1+t) and 1/(1+t).
		s, c := pcm.SinPi(float64(position)/12), pcm.CosPi(float64(position)/12)
		return s / (s + c), c / (s + c)
	}
	step := -0.25
	if g.compress&1 == 1 {
		step = -0.5
	}
	size := pcm.Exp2(float64(step * float64((position+1)/2)))
	if position&1 == 1 {
		return size, 1
	}
	return 1, size
}
