package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// deinterleave emits the copy of stereo frames to a row per channel, 8 frames per iteration.
func deinterleave() {
	TEXT("deinterleave", NOSPLIT, "func(left, right, src *float32, n int)")
	left, right, src := memory("left"), memory("right"), memory("src")
	loop(argument("n"), 8, func() {
		a, b, l, r := YMM(), YMM(), YMM(), YMM()
		VMOVUPS(src, a)
		VMOVUPS(src.Offset(32), b)
		VSHUFPS(U8(0x88), b, a, l)
		VSHUFPS(U8(0xdd), b, a, r)
		VPERMPD(U8(0xd8), l, l)
		VPERMPD(U8(0xd8), r, r)
		VMOVUPS(l, left)
		VMOVUPS(r, right)
		ADDQ(U8(64), src.Base)
		ADDQ(U8(32), left.Base)
		ADDQ(U8(32), right.Base)
	})
	end()
}

// interleave emits the copy of a row per channel to stereo frames, 8 frames per iteration.
func interleave() {
	TEXT("interleave", NOSPLIT, "func(dst, left, right *float32, n int)")
	dst, left, right := memory("dst"), memory("left"), memory("right")
	loop(argument("n"), 8, func() {
		l, low, high, first, second := YMM(), YMM(), YMM(), YMM(), YMM()
		VMOVUPS(left, l)
		VUNPCKLPS(right, l, low)
		VUNPCKHPS(right, l, high)
		VPERM2F128(U8(0x20), high, low, first)
		VPERM2F128(U8(0x31), high, low, second)
		VMOVUPS(first, dst)
		VMOVUPS(second, dst.Offset(32))
		ADDQ(U8(64), dst.Base)
		ADDQ(U8(32), left.Base)
		ADDQ(U8(32), right.Base)
	})
	end()
}
