package dsp

import (
	"math"
	"unsafe"

	"voicepool/pcm"
)

// Frames adds src to dst with a gain ramp. len(src) >= len(dst).
//
// If Frames were inlined into another package, its ramp would move to the heap, because escape analysis does
// not see through the generic function.
//
//go:noinline
func Frames(dst, src []pcm.Frame, g Ramp) {
	Mix(StereoUnity, dst, Interleaved(src), 0, One, &g)
}

// Sum adds src to dst. len(src) >= len(dst).
func Sum(dst, src []pcm.Frame) {
	src = src[:len(dst)]
	n := rampBlockFrames(len(dst), &Ramp{})
	if n > 0 {
		sum(&dst[0][0], &src[0][0], n)
	}
	dst, src = dst[n:], src[n:]
	for i, x := range src {
		dst[i][0] += x[0]
		dst[i][1] += x[1]
	}
}

// Window multiplies each frame of dst by the factor at the same index of w. len(w) >= len(dst).
func Window(dst []pcm.Frame, w []float32) {
	w = w[:len(dst)]
	n := rampBlockFrames(len(dst), &Ramp{})
	if n > 0 {
		window(&dst[0][0], &w[0], n)
	}
	dst, w = dst[n:], w[n:]
	for i, x := range w {
		dst[i][0] = float32(dst[i][0] * x)
		dst[i][1] = float32(dst[i][1] * x)
	}
}

// Peak returns the largest magnitude in src; NaN counts as infinite.
func Peak(src []pcm.Frame) float32 {
	n, largest := rampBlockFrames(len(src), &Ramp{}), uint32(0)
	if n > 0 {
		largest = peak(&src[0][0], n)
	}
	for _, x := range src[n:] { // the bits of magnitudes are ordered like the magnitudes, NaN last
		largest = max(largest, math.Float32bits(x[0])&^(1<<31), math.Float32bits(x[1])&^(1<<31))
	}
	return math.Float32frombits(min(largest, infinite))
}

// Levels returns the Peak of the left and of the right channel.
func Levels(src []pcm.Frame) (left, right float32) {
	n, l, r := rampBlockFrames(len(src), &Ramp{}), uint32(0), uint32(0)
	if n > 0 {
		l, r = levels(&src[0][0], n)
	}
	for _, x := range src[n:] {
		l, r = max(l, math.Float32bits(x[0])&^(1<<31)), max(r, math.Float32bits(x[1])&^(1<<31))
	}
	return math.Float32frombits(min(l, infinite)), math.Float32frombits(min(r, infinite))
}

// Interleaved returns the memory of frames as samples, two for each frame, without a copy.
func Interleaved(frames []pcm.Frame) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(frames))), 2*len(frames))
}

// infinite is the bits of +Inf.
const infinite = 0x7f800000
