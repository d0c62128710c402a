package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"voicepool/internal/dsp/_asm/formula"
)

// single returns a constant with a float32 in all lanes.
func single(name string, x float32) Mem { return all(name, U32(math.Float32bits(x))) }

// terms returns the terms of a series as constants.
func terms(name string, x []float32) (c []Op) {
	for i, x := range x {
		c = append(c, single(fmt.Sprint(name, i), x))
	}
	return c
}

// reductions emits the kernel of Knee, eight frames per iteration.
func reductions() {
	TEXT("reductions", NOSPLIT, "func(dst *float32, key *float32, n int, knee *float32)")
	dst, key, n, knee := memory("dst"), memory("key"), argument("n"), memory("knee")
	var k [4]VecVirtual // begin, width, bend and slope
	for i := range k {
		k[i] = YMM()
		VBROADCASTSS(knee.Offset(4*i), k[i])
	}
	root, one := YMM(), YMM()
	VMOVDQU(all("halfRoot", U32(0x3f3504f3)), root)
	VMOVUPS(single("single1", 1), one)
	octaves := terms("octaves", formula.Octaves)
	loop(n, 8, func() {
		a, b, x, t := YMM(), YMM(), YMM(), YMM()
		VMOVUPS(key, a)
		VMOVUPS(key.Offset(32), b)
		VSHUFPS(U8(0x88), b, a, x) // the left of frames 0, 1, 4, 5, 2, 3, 6 and 7
		VSHUFPS(U8(0xdd), b, a, t)
		for _, y := range []VecVirtual{x, t} {
			VPAND(all("magnitude", U32(1<<31-1)), y, y)
		}
		VPMAXSD(t, x, x)
		VPMAXSD(all("quietest", U32(0x37800000)), x, x)
		VPERMQ(U8(0xd8), x, x)

		f, f2, p, q := YMM(), YMM(), YMM(), YMM()
		VPSUBD(root, x, x)
		VPAND(all("mantissa", U32(1<<23-1)), x, f)
		VPADDD(root, f, f)
		VSUBPS(one, f, f)
		f32.Series(p, f, f2, q, t, octaves)
		VPSRAD(U8(23), x, x)
		VCVTDQ2PS(x, x)
		VADDPS(p, x, x)

		VSUBPS(k[0], x, x)
		VPSRAD(U8(31), x, t)
		VPANDN(x, t, x)
		VPMINSD(k[1], x, t)
		VSUBPS(t, x, x)
		VMULPS(t, t, t)
		VMULPS(k[2], t, t)
		VADDPS(x, t, t)
		VMULPS(k[3], t, t)
		VMOVUPS(t, dst)
		ADDQ(U8(64), key.Base)
		ADDQ(U8(32), dst.Base)
	})
	end()
}

// lower emits the kernel of Lower, eight frames per iteration.
func lower() {
	TEXT("lower", NOSPLIT, "func(block *float32, x *float32, n int, gain float32)")
	block, x, n := memory("block"), memory("x"), argument("n")
	gain, one, whole := YMM(), YMM(), YMM()
	VBROADCASTSS(argumentMemory("gain"), gain)
	VMOVUPS(single("single1", 1), one)
	VMOVUPS(single("whole23", 3<<22), whole)
	lowered := terms("lowered", formula.Lowered)
	loop(n, 8, func() {
		y, t, f, f2, p, q := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
		VMOVUPS(x, y)
		VADDPS(whole, y, t)
		VSUBPS(whole, t, f)
		VSUBPS(y, f, f)
		f32.Series(p, f, f2, q, t, lowered)
		VADDPS(p, one, p)
		VPSLLD(U8(23), t, t)
		VPSUBD(t, one, t)
		VMULPS(t, p, p)
		VMULPS(gain, p, p)
		VUNPCKLPS(p, p, t) // frames 0, 1, 4 and 5
		VUNPCKHPS(p, p, p)
		VPERM2F128(U8(0x20), p, t, y)
		VPERM2F128(U8(0x31), p, t, t)
		VMULPS(block, y, y)
		VMOVUPS(y, block)
		VMULPS(block.Offset(32), t, t)
		VMOVUPS(t, block.Offset(32))
		ADDQ(U8(64), block.Base)
		ADDQ(U8(32), x.Base)
	})
	end()
}
