package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// An interpolation computes a vector from a number of taps. The first tap is before frames before the position.
type interpolation struct {
	name   string
	taps   int
	before int
	value  func(s []VecVirtual, f VecVirtual, new func() VecVirtual) VecVirtual
}

var linear = interpolation{"Linear", 2, 0, func(s []VecVirtual, f VecVirtual, new func() VecVirtual) VecVirtual {
	a, b, x := s[0], s[1], new()
	VSUBPS(a, b, x)
	VMULPS(x, f, x)
	VADDPS(x, a, x)
	return x
}}

var cubic = interpolation{"Cubic", 4, 1, func(s []VecVirtual, f VecVirtual, new func() VecVirtual) VecVirtual {
	c1, c2, c3, t := new(), new(), new(), new()
	f32.Cubic([]Op{s[0], s[1], s[2], s[3]}, f, c1, c2, c3, t, func(d Op, by float32) {
		VMULPS(all(map[float32]string{0.5: "half", 1.5: "threeHalves"}[by], F32(by)), d, d)
	})
	return t
}}

// next returns the address of the next frame's sample and advances the position.
func (m *mixer) next() Mem {
	i := GP64()
	MOVQ(m.pos, i)
	SHRQ(U8(32), i)
	ADDQ(m.step, m.pos)
	if m.size == 16 {
		SHLQ(U8(1), i)
	}
	return m.src.Idx(i, uint8(min(m.size, 8)))
}

// fractions holds the lower 32 bits of the positions in 8 lanes, and their change per call of next.
type fractions struct{ bits, turn VecVirtual }

// fractions returns the fractions of the given frames. Each call of next advances them by 1<<shift frames.
func (m *mixer) fractions(name string, frames []uint32, shift uint8) *fractions {
	f := &fractions{YMM(), avx2.broadcast(m.step)}
	first := avx2.broadcast(m.pos)
	VPMULLD(ints(name, frames...), f.turn, f.bits)
	VPADDD(first, f.bits, f.bits)
	VPSLLD(U8(shift), f.turn, f.turn)
	return f
}

// next returns the upper 24 bits of the fractions as float32, which is exact, and advances them.
func (f *fractions) next() VecVirtual {
	y := YMM()
	VPSRLD(U8(8), f.bits, y)
	VCVTDQ2PS(y, y)
	VMULPS(all("down24", F32(0x1p-24)), y, y)
	VPADDD(f.turn, f.bits, f.bits)
	return y
}

// pitched emits the kernel of an interpolation, 8 frames per iteration. It reads only the taps of each frame.
func pitched(by interpolation, channels int, wide bool) {
	m := mixing(by.name, avx2, channels, wide, by.before, "n int, pos, step int64")
	m.load(true)
	if channels == 1 {
		f := m.fractions("order_AVX2", avx2.order(), 3)
		m.twice(func() { m.addMono(by.value(m.mono(by.taps), f.next(), YMM)) })
		return
	}
	f := m.fractions("frames0_AVX2", avx2.pairs(0), 2)
	m.twice(func() {
		for half := range 2 {
			m.add(half, by.value(m.stereo(by.taps), f.next(), YMM))
		}
	})
}

// mono returns the taps of the next 8 frames, each in order.
func (m *mixer) mono(taps int) []VecVirtual {
	if taps == 2 && !m.wide {
		v := YMM()
		VPBROADCASTD(m.next(), v) // frame 0 is lane 0
		for i := range uint32(7) {
			w := YMM()
			VPBROADCASTD(m.next(), w)
			VPBLENDD(U8(1<<slices.Index(avx2.order(), i+1)), w, v, v)
		}
		return words(v)
	}
	at := m.places(8)
	if taps == 4 && m.wide {
		return transpose(halves(at[0], at[2]), halves(at[1], at[3]), halves(at[4], at[6]), halves(at[5], at[7]))
	}
	pairs := evenOdd(gather64(at[:4]), gather64(at[4:])) // pairs of taps, 4 per vector
	if m.wide {
		return pairs
	}
	return append(words(pairs[0]), words(pairs[1])...)
}

// stereo returns the taps of the next 4 frames, left and right interleaved.
func (m *mixer) stereo(taps int) []VecVirtual {
	at := m.places(4)
	var out []VecVirtual
	switch {
	case m.wide:
		for k := 0; k < taps; k += 2 {
			v, w := halves(at[0].Offset(8*k), at[2].Offset(8*k)), halves(at[1].Offset(8*k), at[3].Offset(8*k))
			out = append(out, both(VUNPCKLPD, VUNPCKHPD, v, w)...)
		}
	case taps == 2:
		out = framesOf16(gather64(at))
	default:
		x := both(VPUNPCKLQDQ, VPUNPCKHQDQ, halves(at[0], at[2]), halves(at[1], at[3]))
		out = append(framesOf16(x[0]), framesOf16(x[1])...)
	}
	return out
}

// places returns the addresses of the samples of the next frames.
func (m *mixer) places(frames int) []Mem {
	at := make([]Mem, frames)
	for i := range at {
		at[i] = m.next()
	}
	return at
}

// gather64 loads 4 times 64 bits. Each load fills all lanes, so it needs no shuffles.
func gather64(at []Mem) VecVirtual {
	v := YMM()
	VBROADCASTSD(at[0], v)
	for i, at := range at[1:] {
		w := YMM()
		VBROADCASTSD(at, w)
		VBLENDPS(U8(0x0c<<(2*i)), w, v, v)
	}
	return v
}

// halves loads 2 times 128 bits. The first load fills the whole register: avo treats a load of only the lower
// half as a use of the old contents, and would reserve the register from the beginning of the loop.
func halves(low, high Mem) VecVirtual {
	v := YMM()
	VBROADCASTF128(low, v)
	VINSERTF128(U8(1), high, v, v)
	return v
}

// evenOdd returns the even and the odd lanes of v and w, in order.
func evenOdd(v, w VecVirtual) []VecVirtual {
	a, b := YMM(), YMM()
	VSHUFPS(U8(0x88), w, v, a)
	VSHUFPS(U8(0xdd), w, v, b)
	return []VecVirtual{a, b}
}

// both returns the results of two instructions on v and w.
func both(lower, upper func(...Op), v, w VecVirtual) []VecVirtual {
	a, b := YMM(), YMM()
	lower(w, v, a)
	upper(w, v, b)
	return []VecVirtual{a, b}
}

// transpose converts 4 taps of 8 frames to 8 frames of 4 taps.
func transpose(r02, r13, r46, r57 VecVirtual) []VecVirtual {
	x, y := both(VUNPCKLPS, VUNPCKHPS, r02, r13), both(VUNPCKLPS, VUNPCKHPS, r46, r57)
	return append(both(VUNPCKLPD, VUNPCKHPD, x[0], y[0]), both(VUNPCKLPD, VUNPCKHPD, x[1], y[1])...)
}

// words returns the lower and the upper 16 bits of each lane as float32.
func words(v VecVirtual) []VecVirtual {
	low, high := YMM(), YMM()
	VPMADDWD(all("lower", U32(1)), v, low) // lower times 1 + upper times 0
	VPSRAD(U8(16), v, high)
	VCVTDQ2PS(low, low)
	VCVTDQ2PS(high, high)
	return []VecVirtual{low, high}
}

// framesOf16 returns 2 taps of 4 frames. v holds 4 words per frame.
func framesOf16(v VecVirtual) []VecVirtual {
	a, b := YMM(), YMM()
	VPSHUFB(shuffle("first16", -1, -1, 0, 1, -1, -1, 2, 3, -1, -1, 8, 9, -1, -1, 10, 11,
		-1, -1, 0, 1, -1, -1, 2, 3, -1, -1, 8, 9, -1, -1, 10, 11), v, a)
	VPSHUFB(shuffle("second16", -1, -1, 4, 5, -1, -1, 6, 7, -1, -1, 12, 13, -1, -1, 14, 15,
		-1, -1, 4, 5, -1, -1, 6, 7, -1, -1, 12, 13, -1, -1, 14, 15), v, b)
	for _, x := range []VecVirtual{a, b} {
		VPSRAD(U8(16), x, x)
		VCVTDQ2PS(x, x)
	}
	return []VecVirtual{a, b}
}
