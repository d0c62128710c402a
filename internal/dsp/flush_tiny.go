package dsp

import "math"

// Floor is the smallest magnitude of a sample in the mixer other than 0: -482 dBFS. Gains, filters and
// effects multiply samples by small factors. Products of a sample above the floor do not become subnormal;
// processors compute with subnormal numbers up to 35 times as slowly.
const Floor = 0x1p-80

// floorBits is Floor as bits of a float32.
const floorBits = (127 - 80) << 23

// FlushTiny copies src to dst, with 0 for each sample below Floor. It returns the largest magnitude in src;
// NaN counts as infinite. dst may be src. len(src) >= len(dst).
func FlushTiny(dst, src []float32) float32 {
	src = src[:len(dst)]
	n, largest := 0, uint32(0)
	if level != generic {
		if n = len(dst) &^ 15; n > 0 {
			largest = flushTiny(&dst[0], &src[0], n)
		}
	}
	for i := n; i < len(src); i++ {
		x := src[i]
		bits := math.Float32bits(x) &^ (1 << 31)
		if bits < floorBits {
			x = 0
		}
		dst[i], largest = x, max(largest, bits)
	}
	return math.Float32frombits(min(largest, infinite))
}
