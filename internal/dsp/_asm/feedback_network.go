package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels of a reverb process runs of 16 frames: one register of AVX-512, or two of AVX2.
const rowSize = 64

// parts returns the offsets of the registers of a row in bytes.
func (s *set) parts() (at []int) {
	for i := 0; i < rowSize; i += s.bytes {
		at = append(at, i)
	}
	return at
}

// load loads a register from memory.
func (s *set) load(from Mem) VecVirtual {
	x := s.new()
	VMOVUPS(from, x)
	return x
}

// placed returns the address in ring at index n of places.
func placed(ring, places Mem, n int) Mem {
	at := GP64()
	MOVLQSX(places.Offset(4*n), at)
	return ring.Idx(at, 4)
}

// sumTaps emits the sum of eight runs.
func sumTaps(s *set) {
	TEXT("sumTaps"+s.name, NOSPLIT, "func(dst, ring *float32, places *int32, gains *float32)")
	dst, ring, places, gains := memory("dst"), memory("ring"), memory("places"), memory("gains")
	var sums []VecVirtual
	for range s.parts() {
		x := s.new()
		VXORPS(x, x, x)
		sums = append(sums, x)
	}
	for k := range 8 {
		gain, from := s.new(), placed(ring, places, k)
		VBROADCASTSS(gains.Offset(4*k), gain)
		for i, at := range s.parts() {
			f32.Plus(sums[i], gain, from.Offset(at), s.new())
		}
	}
	for i, at := range s.parts() {
		VMOVUPS(sums[i], dst.Offset(at))
	}
	end()
}

// allpasses emits the all-pass filters. Each reads its delayed frames before it writes to the ring.
func allpasses(s *set) {
	TEXT("allpasses"+s.name, NOSPLIT, "func(x, ring *float32, from, to *int32)")
	memoryX, ring, from, to := memory("x"), memory("ring"), memory("from"), memory("to")
	var x []VecVirtual
	for _, at := range s.parts() {
		x = append(x, s.load(memoryX.Offset(at)))
	}
	gain, grain := s.load(all("room_wall", F32(0.6))), s.load(all("room_grain", F32(0x1p-20)))
	for k := range 4 {
		behind, in := []VecVirtual{}, placed(ring, to, k)
		for m, i := placed(ring, from, k), 0; i < rowSize; i += s.bytes {
			behind = append(behind, s.load(m.Offset(i)))
		}
		for i, at := range s.parts() {
			y := s.new()
			VMULPS(gain, behind[i], y)
			VSUBPS(y, x[i], y)
			VADDPS(grain, y, y)
			VSUBPS(grain, y, y)
			VMOVUPS(y, in.Offset(at))
			VMULPS(gain, y, y)
			VADDPS(y, behind[i], x[i])
		}
	}
	for i, at := range s.parts() {
		VMOVUPS(x[i], memoryX.Offset(at))
	}
	end()
}

// readLines emits the reading of the delay lines.
func readLines(s *set) {
	TEXT("readLines"+s.name, NOSPLIT, "func(dst, ring *float32, places, part, step *int32)")
	dst, ring, places, part, step := memory("dst"), memory("ring"), memory("places"), memory("part"), memory("step")
	frames := constant("room_frames", 16, 4, func(i int) Constant { return U32(i) })
	numbers := map[float32]Op{}
	names := []string{"one", "minus1", "minus2", "down16", "half", "minusHalf", "sixth", "minusSixth"}
	for i, x := range []float32{1, -1, -2, 1. / (1 << 16), 0.5, -0.5, 1. / 6, -1. / 6} {
		numbers[x] = all("room_"+names[i], F32(x))
		if s == avx512 {
			numbers[x] = s.load(numbers[x].(Mem))
		}
	}
	number := func(x float32) Op { return numbers[x] }
	for i := range 16 {
		from := placed(ring, places, i)
		for _, at := range s.parts() {
			to := dst.Offset(rowSize*i + at)
			if i%2 == 0 {
				VMOVUPS(s.load(from.Offset(at)), to)
				continue
			}
			f, g, h, k, fh, gk := s.new(), s.new(), s.new(), s.new(), s.new(), s.new()
			VPBROADCASTD(step.Offset(4*i), f)
			VPMULLD(frames.Offset(at), f, f)
			VPBROADCASTD(part.Offset(4*i), g)
			VPADDD(g, f, f)
			VCVTDQ2PS(f, f)
			VMULPS(number(1./(1<<16)), f, f)
			f32.Lagrange(f, g, h, k, fh, gk, number)
			for back, c := range []VecVirtual{g, f, h, k} {
				VMULPS(from.Offset(at+4*back), c, c)
			}
			VADDPS(h, k, k)
			VADDPS(g, f, f)
			VADDPS(f, k, k)
			VMOVUPS(k, to)
		}
	}
	end()
}

// transpose emits the transposition of 16 rows of 16.
func (s *set) transpose(to, from Mem) {
	rows := func(m Mem) func(int) Mem { return func(i int) Mem { return m.Offset(rowSize * i) } }
	s.transposeRows(rows(to), rows(from))
}

// transposeRows is transpose for rows at any address.
func (s *set) transposeRows(to, from func(row int) Mem) {
	n := s.bytes / 4
	for top := 0; top < 16; top += n {
		for left := 0; left < 16; left += n {
			rows := make([]VecVirtual, n)
			for i := range rows {
				rows[i] = s.load(from(top + i).Offset(4 * left))
			}
			for i, x := range s.columns(rows) {
				VMOVUPS(x, to(left+i).Offset(4*top))
			}
		}
	}
}

// columns returns the columns of a matrix of rows.
func (s *set) columns(rows []VecVirtual) []VecVirtual {
	// Transpose four by four lanes in each quarter or half.
	for i := 0; i < len(rows); i += 4 {
		var t [4]VecVirtual
		for j := range t {
			t[j] = s.new()
		}
		for j := range 2 {
			a, b := rows[i+2*j], rows[i+2*j+1]
			VUNPCKLPS(b, a, t[2*j])
			VUNPCKHPS(b, a, t[2*j+1])
		}
		for j := range 2 {
			rows[i+2*j], rows[i+2*j+1] = s.new(), s.new()
			VUNPCKLPD(t[2+j], t[j], rows[i+2*j])
			VUNPCKHPD(t[2+j], t[j], rows[i+2*j+1])
		}
	}
	out := make([]VecVirtual, len(rows))
	for m := range 4 {
		if s == avx2 {
			a, b := rows[m], rows[4+m]
			out[m], out[4+m] = s.new(), s.new()
			VPERM2F128(U8(0x20), b, a, out[m])
			VPERM2F128(U8(0x31), b, a, out[4+m])
			continue
		}
		even, odd := make([]VecVirtual, 2), make([]VecVirtual, 2)
		for i := range 2 {
			a, b := rows[8*i+m], rows[8*i+4+m]
			even[i], odd[i] = s.new(), s.new()
			VSHUFF32X4(U8(0x88), b, a, even[i])
			VSHUFF32X4(U8(0xdd), b, a, odd[i])
		}
		for i, x := range [][]VecVirtual{even, odd} {
			out[4*i+m], out[4*(i+2)+m] = s.new(), s.new()
			VSHUFF32X4(U8(0x88), x[1], x[0], out[4*i+m])
			VSHUFF32X4(U8(0xdd), x[1], x[0], out[4*(i+2)+m])
		}
	}
	return out
}

// flushStates emits the flush to zero of the filters' 64 states.
func flushStates() {
	TEXT("flushStates", NOSPLIT, "func(states *float32, least float32)")
	states, least, magnitude := memory("states"), YMM(), YMM()
	VBROADCASTSS(NewParamAddr("least", 8), least)
	VMOVUPS(all("magnitude", U32(1<<31-1)), magnitude)
	for at := 0; at < 4*rowSize; at += 32 {
		x, keep := YMM(), YMM()
		VMOVUPS(states.Offset(at), x)
		VANDPS(magnitude, x, keep)
		VCMPPS(U8(5), least, keep, keep) // not less, or NaN
		VANDPS(keep, x, x)
		VMOVUPS(x, states.Offset(at))
	}
	end()
}

// absorb emits the filters at the ends of the delay lines.
func absorb(s *set) {
	TEXT("absorb"+s.name, NOSPLIT, "func(factors, states, turned, x *float32, n int)")
	factors, states, turned, x, n := memory("factors"), memory("states"), memory("turned"), memory("x"), argument("n")
	s.transpose(turned, x)
	var state [4][]VecVirtual
	for i := range state {
		for _, at := range s.parts() {
			state[i] = append(state[i], s.load(states.Offset(rowSize*i+at)))
		}
	}
	factor := make([][]Op, 11)
	for i := range factor {
		for _, at := range s.parts() {
			m := factors.Offset(rowSize*i + at)
			if s == avx512 {
				factor[i] = append(factor[i], s.load(m))
			} else {
				factor[i] = append(factor[i], m)
			}
		}
	}
	frame := Mem{Base: GP64()}
	MOVQ(turned.Base, frame.Base)
	loop(n, 1, func() {
		for i, at := range s.parts() {
			y := s.load(frame.Offset(at))
			for shelf := range 2 {
				d, v, w, t, u := s.new(), s.new(), s.new(), s.new(), s.new()
				c := func(k int) Op { return factor[5*shelf+k][i] }
				f32.Shelf(y, state[2*shelf][i], state[2*shelf+1][i], d, v, w, t, u, c, shelf == 1)
			}
			VMOVUPS(y, frame.Offset(at))
		}
		ADDQ(U8(rowSize), frame.Base)
	})
	for i := range state {
		for j, at := range s.parts() {
			VMOVUPS(state[i][j], states.Offset(rowSize*i+at))
		}
	}
	s.transpose(x, turned)
	end()
}

// butterflies emits two stages of the Hadamard matrix on four rows.
func (s *set) butterflies(a, b, c, d VecVirtual) {
	for _, p := range [][2]VecVirtual{{a, b}, {c, d}, {a, c}, {b, d}} {
		t := s.new()
		VMOVAPS(p[0], t)
		VADDPS(p[1], t, p[0])
		VSUBPS(p[1], t, p[1])
	}
}

// scatter emits the Hadamard matrix, the writing of the delay lines, and the output.
func scatter(s *set) {
	TEXT("scatter"+s.name, NOSPLIT, "func(out, peaks, x, in, first, gains, ring *float32, places *int32)")
	x, ring, places := memory("x"), memory("ring"), memory("places")
	const left, right, turned = 5, 10, 0x5a3c
	for _, at := range s.parts() {
		row := func(i int) Mem { return x.Offset(rowSize*i + at) }
		var rows [16]VecVirtual
		for i := 0; i < 16; i += 4 {
			for j := i; j < i+4; j++ {
				rows[j] = s.load(row(j))
			}
			s.butterflies(rows[i], rows[i+1], rows[i+2], rows[i+3])
			if s == avx2 {
				for j := i; j < i+4; j++ {
					VMOVUPS(rows[j], row(j))
				}
			}
		}
		in, first, gains, peak := memory("in"), memory("first"), memory("gains"), s.new()
		sides := [2]VecVirtual{s.load(in.Offset(at)), s.load(in.Offset(rowSize + at))}
		var heard [2]VecVirtual
		VXORPS(peak, peak, peak)
		for i := range 4 {
			if s == avx2 {
				for j := i; j < 16; j += 4 {
					rows[j] = s.load(row(j))
				}
			}
			s.butterflies(rows[i], rows[i+4], rows[i+8], rows[i+12])
			for j := i; j < 16; j += 4 {
				y := rows[j]
				VMULPS(all("room_quarter", F32(0.25)), y, y)
				for side, tap := range [2]int{left, right} {
					if tap == j {
						heard[side] = s.new()
						VMOVAPS(y, heard[side])
					}
				}
				if turned>>j&1 != 0 {
					VSUBPS(sides[j%2], y, y)
				} else {
					VADDPS(sides[j%2], y, y)
				}
				VADDPS(all("room_grain", F32(0x1p-20)), y, y)
				VSUBPS(all("room_grain", F32(0x1p-20)), y, y)
				VMOVUPS(y, placed(ring, places, j).Offset(at))
				f32.Abs(y, y)
				VPMAXUD(y, peak, peak)
			}
		}
		VMOVUPS(peak, memory("peaks").Offset(at))
		gain := func(i int) VecVirtual { return s.load(gains.Offset(rowSize*i + at)) }
		late, early, same, other := gain(0), gain(1), gain(2), gain(3)
		for side, y := range heard {
			VMULPS(late, y, y)
			f32.Plus(y, early, first.Offset(rowSize*side+at), s.new())
		}
		var answer [2]VecVirtual
		for side := range answer {
			answer[side] = s.new()
			VMULPS(same, heard[side], answer[side])
			f32.Plus(answer[side], heard[1-side], other, s.new())
		}
		low, high := s.new(), s.new()
		VUNPCKLPS(answer[1], answer[0], low)
		VUNPCKHPS(answer[1], answer[0], high)
		out := memory("out").Offset(2 * at)
		for i := range s.bytes / 16 {
			for j, y := range []VecVirtual{low, high} {
				if s == avx512 {
					VEXTRACTF32X4(U8(i), y, out.Offset(32*i+16*j))
				} else {
					VEXTRACTF128(U8(i), y, out.Offset(32*i+16*j))
				}
			}
		}
	}
	end()
}
