package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// integers24 emits the rounding of frames to 24 bits, 8 per iteration. Samples must not exceed full scale.
func integers24() {
	TEXT("integers24", NOSPLIT, "func(dst *uint8, src *float32, n int)")
	dst, src, n := memory("dst"), memory("src"), argument("n")
	full, bytes := YMM(), YMM()
	VBROADCASTSS(all("full24", U32(math.Float32bits(1<<23))), full)
	var order []int8 // the lower three bytes of each four, in each half
	for range 2 {
		order = append(order, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1)
	}
	VMOVDQU(shuffle("three_AVX2", order...), bytes)
	loop(n, 8, func() {
		for half := range 2 {
			x, upper := YMM(), XMM()
			VMULPS(src.Offset(32*half), full, x)
			VCVTPS2DQ(x, x)
			VPSHUFB(bytes, x, x)
			VEXTRACTI128(U8(1), x, upper)
			VMOVQ(x.AsX(), dst.Offset(24*half))
			VPEXTRD(U8(2), x.AsX(), dst.Offset(24*half+8))
			VMOVQ(upper, dst.Offset(24*half+12))
			VPEXTRD(U8(2), upper, dst.Offset(24*half+20))
		}
		ADDQ(U8(64), src.Base)
		ADDQ(U8(48), dst.Base)
	})
	end()
}
