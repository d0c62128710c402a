package dsp

import "voicepool/pcm"

// nearError bounds the error of the kernel of Near, relative to the largest sample. The kernel sums 16
// products in float32. Each factor, product and sum is rounded once: less than 24 roundings of 2^-24, of sums
// whose magnitude is at most twice TruePeakBound.
const nearError = 0x1p-14

// Near searches for true peaks above a level, at a fraction of the cost of TruePeaks. It sets near[j] to 0 if
// dst[4*j] to dst[4*j+3] of TruePeaks are at most least, and to 1 or more if they may be above. It reports
// whether any element is not 0. len(src) >= 4*len(near)+31; samples may have any value.
func Near(near []uint8, src []pcm.Frame, least float64) bool {
	if len(near) == 0 {
		return false
	}
	src = src[:4*len(near)+QuarterTaps-1]
	loudest := float64(Peak(src))
	if float64(loudest*TruePeakBound) <= least {
		clear(near)
		return false
	}
	n := nearTurns(near, src, loudest, least)
	some := len(near) > n
	for j := range near[n:] {
		near[n+j] = 1
	}
	for _, x := range near[:n] {
		some = some || x != 0
	}
	return some
}

// nearTurns sets the first elements of bytes with the kernel of Near and returns how many; 0 without a kernel
// or for samples that are too loud. loudest is the largest magnitude in src.
func nearTurns(bytes []uint8, src []pcm.Frame, loudest, least float64) int {
	n := len(bytes) &^ 1
	// Louder samples could overflow, and NaN would be lost in a comparison.
	if n == 0 || level == generic || !(loudest <= 0x1p100) {
		return 0
	}
	// The last term covers results below the smallest normal float32.
	near(&bytes[0], &src[0][0], 4*n, &nearTaps[0], float32(least-float64(loudest*nearError)-0x1p-100))
	return n
}

// PeaksBeyond is TruePeaks for callers that only need peaks above least: lower ones may become 0. It reports
// whether any peak is above least.
func PeaksBeyond(dst []float64, src []pcm.Frame, least float64) (beyond bool) {
	var room [32]uint8
	for len(dst) > 0 {
		n := min(len(dst), 4*len(room))
		some, groups := dst[:n], room[:n/4]
		if Near(groups, src, least) {
			peaksOf(some, src, groups)
		} else {
			clear(some[:n&^3])
			some = some[n&^3:]
		}
		TruePeaks(dst[n&^3:n], src[n&^3:])
		for _, p := range some {
			beyond = beyond || p > least
		}
		dst, src = dst[n:], src[n:]
	}
	return beyond
}

// peaksOf is TruePeaks for the groups of four whose element of near is not 0. It sets the other groups to 0.
func peaksOf(dst []float64, src []pcm.Frame, near []uint8) {
	for j := 0; j < len(near); {
		first := j
		for ; j < len(near) && near[j] != 0; j++ {
		}
		if j > first {
			TruePeaks(dst[4*first:4*j], src[4*first:])
		} else {
			clear(dst[4*j : 4*j+4])
			j++
		}
	}
}
