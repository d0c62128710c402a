package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"voicepool/internal/dsp/_asm/formula"
)

// means emits the kernel of Shaper, two frames per iteration: left and right of one frame, then of the next. It
// computes both the mean and the value in the middle of a step, and selects one of them.
func means() {
	TEXT("means", NOSPLIT, "func(state *float64, x *float32, n int, a, b float64)")
	state, x, n := memory("state"), memory("x"), argument("n")
	a, b, one := spread64("a"), spread64("b"), YMM()
	VMOVUPD(doubles("one64", 1), one)
	var before, last, from, below = YMM(), YMM(), YMM(), YMM() // of the previous frame, in the upper lanes
	upper := func(i int, y VecVirtual) {
		VBROADCASTF128(state.Offset(16*i), y)
	}
	upper(0, before)
	upper(1, last)
	upper(2, from)
	upper(3, below)
	VPERM2F128(U8(0x20), last, before, before) // the last two inputs
	loop(n, 2, func() {
		in, v, t := YMM(), YMM(), YMM()
		VCVTPS2PD(x, in)
		VPERM2F128(U8(0x21), in, before, last) // the previous inputs
		VSUBPD(in, last, v)
		VSUBPD(before, last, t)
		VADDPD(v, t, t)
		VMULPD(doubles("straighten", 0.0872), t, t)
		VADDPD(t, last, v)
		VMOVAPD(in, before)

		u, s, p := YMM(), YMM(), YMM()
		VMULPD(a, v, u)
		f64.Abs(v, u)
		VMINPD(one, v, t)
		VMULPD(t, t, s)
		VSUBPD(t, v, v)
		VMULPD(doubles("crest", 128.0/315), v, v)
		f64.Horner(p, s, terms64("area", formula.Area))
		VMULPD(s, p, p)
		VADDPD(v, p, p)

		was, under := YMM(), YMM()
		VPERM2F128(U8(0x21), u, from, was)
		VPERM2F128(U8(0x21), p, below, under)
		VMOVAPD(u, from)
		VMOVAPD(p, below)
		step := YMM()
		VSUBPD(was, u, step)
		VSUBPD(under, p, p)
		VDIVPD(step, p, p)

		VADDPD(was, u, u)
		VMULPD(doubles("half64", 0.5), u, u)
		VMINPD(one, u, u)
		VMAXPD(doubles("minusOne64", -1), u, u)
		VMULPD(u, u, s)
		f64.Horner(t, s, terms64("curve", formula.Curve))
		VMULPD(u, t, t)

		f64.Abs(step, step)
		VCMPPD(U8(17), doubles("shortest64", 0x1p-12), step, step) // less
		VBLENDVPD(step, t, p, p)
		VMULPD(b, p, p)
		y := XMM()
		VCVTPD2PSY(p, y)
		VMOVUPS(y, x)
		ADDQ(U8(16), x.Base)
	})
	VMOVUPD(before, state)
	for i, y := range []VecVirtual{from, below} {
		VEXTRACTF128(U8(1), y, state.Offset(32+16*i))
	}
	end()
}
