//go:build !purego

package dsp

import (
	"math"

	"voicepool/pcm"
)

func fastFrames(dst, src []pcm.Frame, g *Ramp) int {
	n := turns(len(dst), g)
	if n > 0 {
		stereoUnityNEON(&dst[0][0], &src[0][0], n, g.Left, g.Right, g.LeftSlope, g.RightSlope, g.Start, g.next(dst))
	}
	return n
}

func fastSum(dst, src []pcm.Frame) int {
	n := turns(len(dst), &Ramp{})
	if n > 0 {
		sumNEON(&dst[0][0], &src[0][0], n)
	}
	return n
}

func fastWindow(dst []pcm.Frame, w []float32) int {
	n := turns(len(dst), &Ramp{})
	if n > 0 {
		windowNEON(&dst[0][0], &w[0], n)
	}
	return n
}

func fastPeak(src []pcm.Frame) (done int, peak uint32) {
	n := turns(len(src), &Ramp{})
	if n > 0 {
		peak = peakNEON(&src[0][0], n)
	}
	return n, peak
}

func fastLowest(prio []int32, limit int32) (done int, lowest int32, candidates int) {
	n := len(prio) &^ 15
	if n == 0 || level == generic {
		return 0, math.MaxInt32, 0
	}
	lowest, count := lowestNEON(&prio[0], n, limit)
	return n, lowest, int(count)
}

func fastLeast(prio []int32, key []float32, of int32) (done int, least, next uint32) {
	n := len(prio) &^ 15
	if n == 0 || level == generic {
		return 0, math.MaxUint32, math.MaxUint32
	}
	least, next = leastNEON(&prio[0], &key[:n][0], n, of)
	return n, least, next
}

func fastMatch(prio []int32, key []float32, p int32, k float32, from int) int {
	if from >= len(prio) {
		return from
	}
	prio, key = prio[from:], key[from:len(prio)]
	n := len(prio) &^ 15
	if n == 0 || level == generic {
		return from
	}
	return from + matchNEON(&prio[0], &key[0], n, p, math.Float32bits(k))
}
