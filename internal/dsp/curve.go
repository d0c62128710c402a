package dsp

import "voicepool/pcm"

// Line fills dst with a straight line: from + change (t/frames), then the same for t+every, t+2 every ... The
// times and their products are below 2^53, and frames is not 0.
func Line(dst []float64, from, change float64, t, every, frames int64) {
	n := fours(len(dst))
	if n > 0 {
		line(&dst[0], n, from, change, float64(t), float64(every), float64(frames))
	}
	for i := n; i < len(dst); i++ {
		dst[i] = from + float64(change*(float64(t+int64(i)*every)/float64(frames)))
	}
}

// Factors replaces decibels in x, at most 6000 values, by the linear factors of pcm.Decibels.Gain.
func Factors(x []float64) {
	n := fours(len(x))
	if n > 0 {
		factors(&x[0], n)
	}
	for i := n; i < len(x); i++ {
		x[i] = pcm.Decibels(x[i]).Gain()
	}
}

// CosPi replaces each number x by pcm.CosPi(x), the cosine of pi x.
func CosPi(x []float64) {
	n := fours(len(x))
	if n > 0 {
		cosPi(&x[0], n)
	}
	for i := n; i < len(x); i++ {
		x[i] = pcm.CosPi(x[i])
	}
}

// Pans fills left and right with the mono pan factors of x + beside, clamped to -1..+1. All slices have the
// length of x.
func Pans(left, right, x []float64, beside float64) {
	left, right = left[:len(x)], right[:len(x)]
	n := fours(len(x))
	if n > 0 {
		pans(&left[0], &right[0], &x[0], n, beside)
	}
	for i := n; i < len(x); i++ {
		y := (min(max(beside+x[i], -1), 1) + 1) / 4
		left[i], right[i] = pcm.CosPi(y), pcm.SinPi(y)
	}
}

// fours returns how many of n numbers the kernels process: a multiple of four, 0 without kernels. Go processes
// the rest.
func fours(n int) int {
	if level == generic {
		return 0
	}
	return n &^ 3
}
