package dsp

import "voicepool/pcm"

// peakGroupError bounds the error of the kernel of PeakGroups, relative to the largest sample. The kernel sums 16
// products in float32. Each factor, product and sum is rounded once: less than 24 roundings of 2^-24, of sums
// whose magnitude is at most twice TruePeakBound.
const peakGroupError = 0x1p-14

// PeakGroups searches for true peaks above a level, at a fraction of the cost of TruePeaks. It sets groups[j] to 0 if
// dst[4*j] to dst[4*j+3] of TruePeaks are at most least, and to 1 or more if they may be above. It reports
// whether any element is not 0. len(src) >= 4*len(groups)+31; samples may have any value.
func PeakGroups(groups []uint8, src []pcm.Frame, least float64) bool {
	if len(groups) == 0 {
		return false
	}
	src = src[:4*len(groups)+QuarterTaps-1]
	loudest := float64(Peak(src))
	if float64(loudest*TruePeakBound) <= least {
		clear(groups)
		return false
	}
	n := fastPeakGroups(groups, src, loudest, least)
	some := len(groups) > n
	for j := range groups[n:] {
		groups[n+j] = 1
	}
	for _, x := range groups[:n] {
		some = some || x != 0
	}
	return some
}

// fastPeakGroups sets the first elements of bytes with the kernel of PeakGroups and returns how many; 0 without a
// kernel or for samples that are too loud. loudest is the largest magnitude in src.
func fastPeakGroups(bytes []uint8, src []pcm.Frame, loudest, least float64) int {
	n := len(bytes) &^ 1
	// Louder samples could overflow, and NaN would be lost in a comparison.
	if n == 0 || level == generic || !(loudest <= 0x1p100) {
		return 0
	}
	// The last term covers results below the smallest normal float32.
	peakGroups(&bytes[0], &src[0][0], 4*n, &peakGroupTaps[0], float32(least-float64(loudest*peakGroupError)-0x1p-100))
	return n
}

// PeaksAbove is TruePeaks for callers that only need peaks above least: lower ones may become 0. It reports
// whether any peak is above least.
func PeaksAbove(dst []float64, src []pcm.Frame, least float64) (above bool) {
	var buffer [32]uint8
	for len(dst) > 0 {
		n := min(len(dst), 4*len(buffer))
		some, groups := dst[:n], buffer[:n/4]
		if PeakGroups(groups, src, least) {
			groupPeaks(some, src, groups)
		} else {
			clear(some[:n&^3])
			some = some[n&^3:]
		}
		TruePeaks(dst[n&^3:n], src[n&^3:])
		for _, p := range some {
			above = above || p > least
		}
		dst, src = dst[n:], src[n:]
	}
	return above
}

// groupPeaks is TruePeaks for the groups of four whose element of groups is not 0. It sets the other groups to 0.
func groupPeaks(dst []float64, src []pcm.Frame, groups []uint8) {
	for j := 0; j < len(groups); {
		first := j
		for ; j < len(groups) && groups[j] != 0; j++ {
		}
		if j > first {
			TruePeaks(dst[4*first:4*j], src[4*first:])
		} else {
			clear(dst[4*j : 4*j+4])
			j++
		}
	}
}
