package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"voicepool/internal/dsp/_asm/formula"
)

// stateVariable emits the kernel of StateVariable, four frames per iteration. A register holds left and right.
func stateVariable() {
	TEXT("stateVariableAVX2", NOSPLIT, "func(filter *float64, x *float64, n int)")
	filter, x, n := memory("filter"), memory("x"), argument("n")
	tap := func(k int) Op { return filter.Offset(16 * k) }
	s1, s2 := XMM(), XMM()
	VMOVUPD(tap(formula.SVStates), s1)
	VMOVUPD(tap(formula.SVStates+1), s2)
	loop(n, 4, func() {
		e, y, sum, t, u := []Op{XMM(), XMM(), XMM(), XMM()}, XMM(), XMM(), XMM(), XMM()
		load := func(k int, to Op) { VMOVUPD(x.Offset(16*k), to) }
		f64.StateVariable(s1, s2, e, y, sum, t, u, tap, load, func(k int, y Op) { VMOVUPD(y, x.Offset(16*k)) })
		ADDQ(U8(64), x.Base)
	})
	VMOVUPD(s1, tap(formula.SVStates))
	VMOVUPD(s2, tap(formula.SVStates+1))
	RET()
}

// stateVariableWide is stateVariable with four frames in one register. Each state and each frame also has a
// register that repeats it four times, so that no frame changes its lane between groups. Masks leave out the
// terms that a frame lacks.
func stateVariableWide() {
	TEXT("stateVariableAVX512", NOSPLIT, "func(filter *float64, x *float64, n int)")
	filter, x, n := memory("filter"), memory("x"), argument("n")
	const direct, first, in, keep, up, turn, low, states = 0, 1, 5, 9, 10, 14, 15, 19
	var taps [states + 2]VecVirtual
	for k := range taps {
		if k > first && k < in {
			continue
		}
		taps[k] = ZMM()
		if k == first {
			VMOVUPD(filter.Offset(16*k), taps[k])
		} else {
			VBROADCASTF64X2(filter.Offset(16*k), taps[k])
		}
	}
	s1, s2, zero := taps[states], taps[states+1], ZMM()
	VPXORQ(zero, zero, zero)
	var from [4]OpmaskVirtual // masks of the frames of a group from a number on
	for k := 1; k < 4; k++ {
		bits := GP32()
		MOVL(U32(0xff<<(2*k)&0xff), bits)
		from[k] = K()
		KMOVW(bits, from[k])
	}
	times := func(k int, y VecVirtual) VecVirtual {
		p := ZMM()
		VMULPD(taps[k], y, p)
		return p
	}
	plus := func(y, z VecVirtual) VecVirtual {
		VADDPD(z, y, y)
		return y
	}
	loop(n, 4, func() {
		var e [4]VecVirtual
		for k := range e {
			e[k] = ZMM()
			VBROADCASTF64X2(x.Offset(16*k), e[k])
			VSUBPD(s2, e[k], e[k])
		}
		y, all := ZMM(), ZMM()
		VMOVUPD(x, y)
		VSUBPD(s2, y, all)
		VMULPD(taps[direct], y, y)
		plus(y, times(first, s1))
		earlier := func(k int) VecVirtual {
			z := ZMM()
			VALIGNQ(U8(8-2*k), zero, all, z)
			return times(in+k, z)
		}
		sum, rest := times(in, all), earlier(2)
		VADDPD(earlier(1), sum, from[1], sum)
		VADDPD(earlier(3), rest, from[3], rest)
		VADDPD(rest, sum, from[2], sum)
		VMOVUPD(plus(y, sum), x)
		four := func(k int) VecVirtual {
			return plus(plus(times(k, e[0]), times(k+1, e[1])), plus(times(k+2, e[2]), times(k+3, e[3])))
		}
		plus(plus(s2, times(turn, s1)), four(low))
		VMULPD(taps[keep], s1, s1)
		plus(s1, four(up))
		ADDQ(U8(64), x.Base)
	})
	for i, s := range []VecVirtual{s1, s2} {
		VMOVUPD(s.(Vec).AsX(), filter.Offset(16*(states+i)))
	}
	end()
}

// doubled emits the conversion of float32 to float64, four per iteration; singled emits the inverse.
func doubled() {
	TEXT("doubled", NOSPLIT, "func(dst *float64, src *float32, n int)")
	dst, src, n := memory("dst"), memory("src"), argument("n")
	loop(n, 4, func() {
		y := YMM()
		VCVTPS2PD(src, y)
		VMOVUPD(y, dst)
		ADDQ(U8(16), src.Base)
		ADDQ(U8(32), dst.Base)
	})
	end()
}

// singled emits the conversion of float64 to float32, with grain added and subtracted before, 4 numbers per
// iteration.
func singled() {
	TEXT("singled", NOSPLIT, "func(dst *float32, src *float64, n int, grain float64)")
	dst, src, n, grain := memory("dst"), memory("src"), argument("n"), spread64("grain")
	loop(n, 4, func() {
		y, z := YMM(), XMM()
		VADDPD(src, grain, y)
		VSUBPD(grain, y, y)
		VCVTPD2PSY(y, z)
		VMOVUPS(z, dst)
		ADDQ(U8(32), src.Base)
		ADDQ(U8(16), dst.Base)
	})
	end()
}
