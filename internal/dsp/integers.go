package dsp

import (
	"math"

	"voicepool/pcm"
)

const (
	full24 = 1 << 23 // the magnitude of full scale in 24 bits
	// largest24 is the largest sample that is not clipped in 24 bits: the next one is halfway to
	// full scale, and rounded up.
	largest24 = 1 - 1.0/full24
)

// Integers24 converts frames to 24-bit integers, lowest byte first. Full scale is -1..+1; values are rounded
// to the nearest, ties to even, and clipped. NaN becomes 0 and counts as clipped. It returns the number of
// clipped samples. len(dst) >= 6*len(src).
func Integers24(dst []byte, src []pcm.Frame) (clipped int64) {
	const run = 256 // frames per kernel call, if no sample of them is clipped
	dst = dst[:6*len(src)]
	for len(src) > 0 {
		some := src[:min(len(src), run)]
		if n := len(some) &^ 7; level != generic && n > 0 && Peak(some) <= largest24 {
			integers24(&dst[0], &some[0][0], n)
			some = some[:n]
		} else {
			clipped += round24(dst, some)
		}
		dst, src = dst[6*len(some):], src[len(some):]
	}
	return clipped
}

// round24 is Integers24 in Go, for frames of any value. It returns the number of clipped samples.
func round24(dst []byte, src []pcm.Frame) (clipped int64) {
	for i, f := range src {
		out := dst[6*i:][:6]
		for c, x := range f {
			v := math.RoundToEven(float64(x) * full24)
			switch {
			case v >= full24:
				v = full24 - 1
				clipped++
			case v < -full24:
				v = -full24
				clipped++
			case v != v:
				v = 0
				clipped++
			}
			y := int32(v)
			out[3*c], out[3*c+1], out[3*c+2] = byte(y), byte(y>>8), byte(y>>16)
		}
	}
	return clipped
}
