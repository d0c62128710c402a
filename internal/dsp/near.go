package dsp

import "voicepool/pcm"

// nearError is more than the part of the largest sample by which the kernel of Near is wrong.
// It sums up 16 products, in float32. Each of their factors is rounded once and each product and
// sum once: less than 24 roundings of 2^-24, of sums whose magnitude is at most twice that of
// TruePeakBound.
const nearError = 0x1p-14

// Near looks for true peaks beyond a level, at a fraction of the cost of TruePeaks: near[j] becomes
// 0 where none of dst[4*j] to dst[4*j+3] of TruePeaks is beyond least, or 1 or more where one may
// be. It reports whether one may be anywhere. len(src) >= 4*len(near)+31; samples may be anything.
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

// nearTurns has the kernel look, and returns how much of near it has set.
func nearTurns(bytes []uint8, src []pcm.Frame, loudest, least float64) int {
	n := len(bytes) &^ 1
	// What is louder could overflow, and what is not finite be lost in a comparison.
	if n == 0 || level == generic || !(loudest <= 0x1p100) {
		return 0
	}
	// The last term is for what is rounded below the least normal float32.
	near(&bytes[0], &src[0][0], 4*n, &nearTaps[0], float32(least-float64(loudest*nearError)-0x1p-100))
	return n
}

// PeaksBeyond is TruePeaks for those whom only peaks beyond least concern: others may become 0. It
// reports whether one is beyond.
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

// peaksOf is TruePeaks for the groups of four that count.
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
