package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"voicepool/internal/dsp/_asm/formula"
)

// doubles returns a constant of four equal lanes.
func doubles(name string, x float64) Mem {
	return constant(name, 4, 8, func(int) Constant { return U64(math.Float64bits(x)) })
}

// magnitude64 returns the bits of a float64 without its sign.
func magnitude64() Op {
	return constant("magnitude64", 4, 8, func(int) Constant { return U64(1<<63 - 1) })
}

// spread64 returns an argument in all lanes.
func spread64(name string) VecVirtual {
	v := YMM()
	VBROADCASTSD(argumentMemory(name), v)
	return v
}

// points emits a loop over n numbers, four per iteration.
func points(dst Mem, n Register, turn func()) {
	loop(n, 4, func() {
		turn()
		ADDQ(U8(32), dst.Base)
	})
	end()
}

// line emits the kernel of Line. Sums of whole numbers are exact in any order.
func line() {
	TEXT("line", NOSPLIT, "func(dst *float64, n int, from, change, t, every, frames float64)")
	dst, n := memory("dst"), argument("n")
	from, change, t, every, frames := spread64("from"), spread64("change"), spread64("t"), spread64("every"), spread64("frames")
	first, x := constant("lanes64", 4, 8, func(i int) Constant { return U64(math.Float64bits(float64(i))) }), YMM()
	VMULPD(first, every, x)
	VADDPD(x, t, t)
	VMULPD(doubles("four64", 4), every, every)
	points(dst, n, func() {
		y := YMM()
		VDIVPD(frames, t, y)
		VMULPD(change, y, y)
		VADDPD(y, from, y)
		VADDPD(every, t, t)
		VMOVUPD(y, dst)
	})
}

// terms64 returns the terms of a series as constants.
func terms64(name string, x []float64) (c []Op) {
	for i, x := range x {
		c = append(c, doubles(name+string(rune('a'+i)), x))
	}
	return c
}

// factors emits the kernel of Factors: 2^x, with the integer part of x added to the exponent.
func factors() {
	TEXT("factors", NOSPLIT, "func(x *float64, n int)")
	at, n := memory("x"), argument("n")
	points(at, n, func() {
		heard, x, whole, more := YMM(), YMM(), YMM(), YMM()
		VMOVUPD(at, x)
		VCMPPD(U8(30), doubles("silence64", -80), x, heard) // greater
		VANDPD(heard, x, x)
		VMULPD(doubles("perDecibel", formula.Log2Of10/20), x, x)
		VROUNDPD(U8(9), x, whole)
		VSUBPD(whole, x, more)
		VCMPPD(U8(30), doubles("half64", 0.5), more, more)
		VANDPD(doubles("one64", 1), more, more)
		VADDPD(more, whole, whole)
		y, p := YMM(), YMM()
		VSUBPD(whole, x, y)
		VMULPD(doubles("ln2", math.Ln2), y, y)
		f64.Horner(p, y, terms64("exp", formula.Exp))
		VMULPD(y, p, p)
		VADDPD(doubles("one64", 1), p, p)
		scale := YMM()
		VCVTPD2DQY(whole, scale.AsX())
		VPMOVSXDQ(scale.AsX(), scale)
		VPADDQ(constant("exponent64", 4, 8, func(int) Constant { return U64(1022) }), scale, scale)
		VPSLLQ(U8(52), scale, scale)
		VMULPD(scale, p, p)
		VADDPD(p, p, p)
		VANDPD(heard, p, p)
		VMOVUPD(p, at)
	})
}

// cosPi emits the kernel of CosPi.
func cosPi() {
	TEXT("cosPi", NOSPLIT, "func(x *float64, n int)")
	at, n := memory("x"), argument("n")
	points(at, n, func() {
		x, t := YMM(), YMM()
		VMOVUPD(magnitude64(), t)
		VANDPD(at, t, x)
		VMULPD(doubles("half64", 0.5), x, t)
		VROUNDPD(U8(9), t, t)
		VADDPD(t, t, t)
		VSUBPD(t, x, x)
		fold := func(limit string, value float64, whole Mem) VecVirtual {
			far := YMM()
			VCMPPD(U8(30), doubles(limit, value), x, far)
			VMOVUPD(whole, t)
			VSUBPD(x, t, t)
			VBLENDVPD(far, t, x, x)
			return far
		}
		fold("one64", 1, doubles("two64", 2))
		sign := fold("half64", 0.5, doubles("one64", 1))
		VANDPD(constant("sign64", 4, 8, func(int) Constant { return U64(1 << 63) }), sign, sign)
		cos := quarterCos(x)
		VXORPD(sign, cos, cos)
		VMOVUPD(cos, at)
	})
}

// quarterCos returns cos(pi x) of numbers from 0 to 0.5.
func quarterCos(x VecVirtual) VecVirtual {
	above, sinY, cosY := YMM(), YMM(), YMM()
	VCMPPD(U8(30), doubles("quarter64", 0.25), x, above)
	VMOVUPD(doubles("half64", 0.5), sinY)
	VSUBPD(x, sinY, sinY)
	VMULPD(doubles("pi64", math.Pi), sinY, sinY)
	VMULPD(doubles("pi64", math.Pi), x, cosY)
	sin, cos := horner("sin", formula.Sin, sinY), horner("cos", formula.Cos, cosY)
	VMULPD(sinY, sin, sin)
	VBLENDVPD(above, sin, cos, cos)
	return cos
}

// horner returns a series in y^2, the highest power first.
func horner(name string, terms []float64, y VecVirtual) VecVirtual {
	y2, p := YMM(), YMM()
	VMULPD(y, y, y2)
	f64.Horner(p, y2, terms64(name, terms))
	return p
}

// pans emits the kernel of Pans.
func pans() {
	TEXT("pans", NOSPLIT, "func(left, right, x *float64, n int, beside float64)")
	left, right, at, n := memory("left"), memory("right"), memory("x"), argument("n")
	beside := spread64("beside")
	points(at, n, func() {
		x, y := YMM(), YMM()
		VADDPD(at, beside, x)
		VMAXPD(doubles("minusOne64", -1), x, x)
		VMINPD(doubles("one64", 1), x, x)
		VADDPD(doubles("one64", 1), x, x)
		VMULPD(doubles("quarter64", 0.25), x, x)
		VSUBPD(doubles("half64", 0.5), x, y)
		f64.Abs(y, y)
		VMOVUPD(quarterCos(x), left)
		VMOVUPD(quarterCos(y), right)
		ADDQ(U8(32), left.Base)
		ADDQ(U8(32), right.Base)
	})
}
