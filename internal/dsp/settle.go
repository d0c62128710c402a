package dsp

import "math"

// Settle copies src to dst, but 0 for denormals, which make every kernel crawl. It returns the
// largest magnitude in src; NaN counts as infinite. len(src) >= len(dst).
func Settle(dst, src []float32) float32 {
	src = src[:len(dst)]
	n, largest := 0, uint32(0)
	if level != generic {
		if n = len(dst) &^ 15; n > 0 {
			largest = settle(&dst[0], &src[0], n)
		}
	}
	for i := n; i < len(src); i++ {
		x := src[i]
		bits := math.Float32bits(x) &^ (1 << 31)
		if bits < 1<<23 {
			x = 0
		}
		dst[i], largest = x, max(largest, bits)
	}
	return math.Float32frombits(min(largest, infinite))
}
