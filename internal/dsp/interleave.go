package dsp

import "voicepool/pcm"

// Deinterleave copies interleaved frames to a row for each channel. The rows are at least as long.
func Deinterleave(left, right, src []float32) {
	frames := len(src) / 2
	left, right = left[:frames], right[:frames]
	n := rampBlockFrames(frames, &Ramp{})
	if n > 0 {
		deinterleave(&left[0], &right[0], &src[0], n)
	}
	for i := n; i < frames; i++ {
		left[i], right[i] = src[2*i], src[2*i+1]
	}
}

// Interleave copies a row for each channel to interleaved frames. The rows are at least as long as dst.
func Interleave(dst []pcm.Frame, left, right []float32) {
	left, right = left[:len(dst)], right[:len(dst)]
	n := rampBlockFrames(len(dst), &Ramp{})
	if n > 0 {
		interleave(&dst[0][0], &left[0], &right[0], n)
	}
	for i := n; i < len(dst); i++ {
		x := &dst[i]
		x[0], x[1] = left[i], right[i]
	}
}
