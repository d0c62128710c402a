package dsp

import (
	"math"
	"unsafe"

	"voicepool/pcm"
)

// Frames adds src to dst under a ramp. len(src) >= len(dst).
func Frames(dst, src []pcm.Frame, g Ramp) {
	Mix(StereoUnity, dst, unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(src))), 2*len(src)), 0, One, g)
}

// Sum adds src to dst. len(src) >= len(dst).
func Sum(dst, src []pcm.Frame) {
	src = src[:len(dst)]
	done := fastSum(dst, src)
	dst, src = dst[done:], src[done:]
	for i, x := range src {
		dst[i][0] += x[0]
		dst[i][1] += x[1]
	}
}

// Window multiplies each frame of dst by the factor of its place in w.
// len(w) >= len(dst).
func Window(dst []pcm.Frame, w []float32) {
	w = w[:len(dst)]
	done := fastWindow(dst, w)
	dst, w = dst[done:], w[done:]
	for i, x := range w {
		dst[i][0] = float32(dst[i][0] * x)
		dst[i][1] = float32(dst[i][1] * x)
	}
}

// Peak returns the largest magnitude in src; NaN counts as infinite.
func Peak(src []pcm.Frame) float32 {
	done, peak := fastPeak(src)
	for _, x := range src[done:] { // as bits magnitudes are in the same order, NaN last
		peak = max(peak, math.Float32bits(x[0])&^(1<<31), math.Float32bits(x[1])&^(1<<31))
	}
	return math.Float32frombits(min(peak, infinite))
}

// infinite is the bits of +Inf.
const infinite = 0x7f800000
