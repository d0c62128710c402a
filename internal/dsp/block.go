package dsp

import "voicepool/pcm"

// Frames adds src to dst under a ramp. len(src) >= len(dst).
func Frames(dst, src []pcm.Frame, g Ramp) {
	src = src[:len(dst)]
	if g.still() {
		for i, x := range src {
			dst[i][0] += float32(x[0] * g.Left)
			dst[i][1] += float32(x[1] * g.Right)
		}
		return
	}
	for i, x := range src {
		left, right := g.at(i)
		dst[i][0] += float32(x[0] * left)
		dst[i][1] += float32(x[1] * right)
	}
}

// Sum adds src to dst. len(src) >= len(dst).
func Sum(dst, src []pcm.Frame) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i][0] += x[0]
		dst[i][1] += x[1]
	}
}

// Window multiplies each frame of dst by the factor of its place in w.
// len(w) >= len(dst).
func Window(dst []pcm.Frame, w []float32) {
	for i, x := range w[:len(dst)] {
		dst[i][0] = float32(dst[i][0] * x)
		dst[i][1] = float32(dst[i][1] * x)
	}
}

// Peak returns the largest magnitude in src; NaN counts as infinite.
func Peak(src []pcm.Frame) float32 {
	peak := float32(0)
	for _, x := range src {
		peak = max(peak, abs(x[0]), abs(x[1])) // max keeps a NaN
	}
	if peak != peak {
		return inf
	}
	return peak
}
