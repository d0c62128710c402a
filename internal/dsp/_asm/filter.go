package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// filters emits the filter kernel of a rate converter: products with at least four taps, for the frames of
// several windows that are step samples apart. A vector holds sums of one window. With one channel it holds all
// four sums. With two channels and AVX2 it holds the first two sums or the other two, left and right
// alternating; with AVX-512 it holds all.
type filters struct {
	channels                                 int
	wide                                     bool // AVX-512
	dst, stride, taps, width, x, step, step3 Register
}

// filter emits the kernel. It computes turn frames per iteration, and half as many for the rest.
func filter(channels, turn int, wide bool) {
	name := map[int]string{1: "filterMono", 2: "filterStereoAVX2"}[channels]
	if wide {
		name = "filterStereoAVX512"
	}
	TEXT(name, NOSPLIT, "func(dst *float32, stride int, taps *float64, width int, x *float64, step, n int)")
	f := &filters{channels: channels, wide: wide}
	f.dst, f.stride, f.taps, f.width = argument("dst"), argument("stride"), argument("taps"), argument("width")
	f.x, f.step = argument("x"), argument("step")
	n := argument("n")
	SHLQ(U8(2), f.stride)
	SHLQ(U8(3), f.step)
	f.step3 = GP64()
	LEAQ(Mem{Base: f.step, Index: f.step, Scale: 2}, f.step3)
	for ; turn > 0; turn /= 2 {
		again, next := label("loop"), label("fewer")
		Label(again)
		CMPQ(n, U8(turn))
		JLT(LabelRef(next))
		f.iteration(turn)
		SUBQ(U8(turn), n)
		JMP(LabelRef(again))
		Label(next)
	}
	end()
}

// windows returns the first samples of the windows of an iteration. One register serves four windows.
func (f *filters) windows(x []Register, frames int) (at []Mem) {
	for i := range frames {
		m := Mem{Base: x[i/4]}
		switch i % 4 {
		case 1:
			m.Index, m.Scale = f.step, 1
		case 2:
			m.Index, m.Scale = f.step, 2
		case 3:
			m.Index, m.Scale = f.step3, 1
		}
		at = append(at, m)
	}
	return at
}

// vector returns a register for sums.
func (f *filters) vector() VecVirtual {
	if f.wide {
		return ZMM()
	}
	return YMM()
}

// iteration emits an iteration for the given number of frames.
func (f *filters) iteration(frames int) {
	taps, width := GP64(), GP64()
	MOVQ(f.taps, taps)
	MOVQ(f.width, width)
	SHRQ(U8(2), width)
	x := []Register{GP64()}
	MOVQ(f.x, x[0])
	if frames > 4 {
		x = append(x, GP64())
		LEAQ(Mem{Base: f.x, Index: f.step, Scale: 4}, x[1])
	}
	at := f.windows(x, frames)
	each := 1 // vectors per frame
	if f.channels == 2 && !f.wide {
		each = 2
	}
	sums := make([][]VecVirtual, frames)
	for i := range sums {
		for range each {
			s := f.vector()
			if f.wide {
				VPXORQ(s, s, s)
			} else {
				VXORPD(s, s, s)
			}
			sums[i] = append(sums[i], s)
		}
	}
	move := func(n int) {
		for _, r := range x {
			ADDQ(U8(8*n*f.channels), r)
		}
		ADDQ(U8(8*n), taps)
	}
	loop(width, 1, func() {
		h := f.four(Mem{Base: taps})
		for i, at := range at {
			for j, s := range sums[i] {
				f64.Plus(s, h[j], at.Offset(32*j), f.vector())
			}
		}
		move(4)
	})
	f.last(taps, width, at, sums, func() { move(1) })
	for _, s := range sums {
		f.store(s)
		ADDQ(f.stride, f.dst)
		ADDQ(f.step, f.x)
	}
}

// four loads four taps, each repeated once per channel.
func (f *filters) four(at Mem) (h []VecVirtual) {
	switch {
	case f.channels == 1:
		h = []VecVirtual{YMM()}
		VMOVUPD(at, h[0])
	case f.wide:
		h = []VecVirtual{ZMM()}
		order := ZMM()
		VMOVUPD(at, h[0].AsY())
		VMOVDQU64(constant("doubled", 8, 8, func(i int) Constant { return U64(i / 2) }), order)
		VPERMPD(h[0], order, h[0])
	default:
		h = []VecVirtual{YMM(), YMM()}
		VPERMPD(U8(0x50), at, h[0])
		VPERMPD(U8(0xfa), at, h[1])
	}
	return h
}

// last adds the products with the taps after the last group of four to the first sum. The other lanes add +0.
// That changes no sum, because a sum is never -0.
func (f *filters) last(taps, count Register, at []Mem, sums [][]VecVirtual, move func()) {
	none := label("whole")
	MOVQ(f.width, count)
	ANDQ(U8(3), count)
	JZ(LabelRef(none))
	loop(count, 1, func() {
		h := YMM()
		if f.channels == 1 {
			VMOVSD(Mem{Base: taps}, h.AsX())
		} else {
			VMOVDDUP(Mem{Base: taps}, h.AsX())
		}
		for i, at := range at {
			y := f.vector()
			if f.channels == 1 {
				VMOVSD(at, y.AsX())
				VMULPD(y.AsX(), h.AsX(), y.AsX())
			} else {
				VMULPD(at, h.AsX(), y.AsX())
			}
			VADDPD(y, sums[i][0], sums[i][0])
		}
		move()
	})
	Label(none)
}

// store adds up the sums of a frame and stores it.
func (f *filters) store(s []VecVirtual) {
	a, b := s[0].AsX(), YMM()
	switch {
	case f.channels == 1: // s0 s1 | s2 s3
		VHADDPD(s[0], s[0], s[0])
		VEXTRACTF128(U8(1), s[0], b.AsX())
		VADDSD(b.AsX(), a, a)
		VCVTSD2SS(a, a, a)
		VMOVSS(a, Mem{Base: f.dst})
		return
	case f.wide:
		VEXTRACTF64X4(U8(1), s[0], b)
	default:
		b = s[1]
	}
	for _, y := range []VecVirtual{s[0].AsY().(VecVirtual), b} {
		other := XMM()
		if f.wide { // its registers may be beyond the first 16
			VEXTRACTF64X2(U8(1), y, other)
		} else {
			VEXTRACTF128(U8(1), y, other)
		}
		VADDPD(other, y.AsX(), y.AsX())
	}
	VADDPD(b.AsX(), a, a)
	VCVTPD2PSX(a, a)
	VMOVSD(a, Mem{Base: f.dst})
}

// between emits the interpolation between two rows, 8 numbers per iteration.
func between() {
	TEXT("between", NOSPLIT, "func(dst, a, b *float64, n int, fraction float64)")
	dst, a, b, n := memory("dst"), memory("a"), memory("b"), argument("n")
	fraction := YMM()
	VBROADCASTSD(NewParamAddr("fraction", 32), fraction)
	loop(n, 8, func() {
		for at := 0; at < 64; at += 32 {
			x, y := YMM(), YMM()
			VMOVUPD(a.Offset(at), x)
			VMOVUPD(b.Offset(at), y)
			VSUBPD(x, y, y)
			VMULPD(fraction, y, y)
			VADDPD(y, x, x)
			VMOVUPD(x, dst.Offset(at))
		}
		for _, r := range []Register{dst.Base, a.Base, b.Base} {
			ADDQ(U8(64), r)
		}
	})
	end()
}
