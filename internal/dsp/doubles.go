package dsp

import "voicepool/pcm"

// Doubled writes src to dst as float64. len(src) >= len(dst).
func Doubled(dst []Pair, src []pcm.Frame) {
	src = src[:len(dst)]
	n := 0
	if level != generic {
		if n = len(dst) &^ 1; n > 0 {
			doubled(&dst[0][0], &src[0][0], 2*n)
		}
	}
	for i := n; i < len(dst); i++ {
		dst[i] = Pair{float64(src[i][0]), float64(src[i][1])}
	}
}

// Singled writes src to dst as float32. It adds grain to each number and subtracts it again: numbers below
// its last bit become 0, so the results are never denormal. len(src) >= len(dst).
func Singled(dst []pcm.Frame, src []Pair, grain float64) {
	src = src[:len(dst)]
	n := 0
	if level != generic {
		if n = len(dst) &^ 1; n > 0 {
			singled(&dst[0][0], &src[0][0], 2*n, grain)
		}
	}
	for i := n; i < len(dst); i++ {
		dst[i] = pcm.Frame{float32(src[i][0] + grain - grain), float32(src[i][1] + grain - grain)}
	}
}
