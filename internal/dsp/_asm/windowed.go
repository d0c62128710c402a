package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// windowed emits the AVX-512 kernel of an interpolation, for steps below 2. A permutation selects the taps of
// an iteration from a window: 32 samples of one channel for 16 frames, or 16 frames of two channels for 8
// frames. The kernel always reads a whole window from the first frame's tap on, for every step.
func windowed(by interpolation, channels int, wide bool) {
	s, m := avx512, mixing(by.name, avx512, channels, wide, by.before, "n int, pos, step int64")
	m.load(true)
	pos, step := m.pos, m.step

	// Frame i of a load is i steps further: a number of whole frames and a fraction. If the sum of the
	// position's fraction and this fraction reaches 1, it is one frame more.
	frames, number := s.turn, ints("order_"+s.name, s.order()...)
	if channels == 2 {
		frames, number = s.frames, ints("frames0_"+s.name, s.pairs(0)...)
	}
	i, fraction, whole := ZMM(), ZMM(), ZMM()
	VMOVDQU32(number, i)
	stepLow := s.broadcast(step)
	VPMULLD(i, stepLow, fraction)
	t := ZMM()
	VPSRLD(U8(16), stepLow, t) // i times the upper 16 bits of it, plus the carry of the lower
	VPMULLD(i, t, t)
	VPANDD(all("word", U32(1<<16-1)), stepLow, whole)
	VPMULLD(i, whole, whole)
	VPSRLD(U8(16), whole, whole)
	VPADDD(t, whole, whole)
	VPSRLD(U8(16), whole, whole)
	stepHigh := GP64()
	MOVQ(step, stepHigh)
	SHRQ(U8(32), stepHigh)
	VPMULLD(i, s.broadcast(stepHigh), t)
	VPADDD(t, whole, whole)
	carried := ZMM()
	VPADDD(all("one", U32(1)), whole, carried)

	var own VecVirtual // the word that counts of the two words of a lane
	switch {
	case wide:
	case channels == 1: // from numbers of samples to those of two words each
		for _, x := range []VecVirtual{whole, carried} {
			VPSLLD(U8(16), x, t)
			VPADDD(t, x, x)
			VPADDD(all("upperOne", U32(1<<16)), x, x)
		}
		own = ZMM()
		VMOVDQU32(all("lower", U32(1)), own)
	default:
		own = ZMM()
		VMOVDQU32(ints("own", 1, 1<<16, 1, 1<<16, 1, 1<<16, 1, 1<<16, 1, 1<<16, 1, 1<<16, 1, 1<<16, 1, 1<<16), own)
	}
	bits := s.broadcast(pos)
	VPADDD(fraction, bits, bits)
	turn := ZMM()
	shift := uint64(4)
	if frames == 8 {
		shift = 3
	}
	VPSLLD(U8(shift), stepLow, turn)
	SHLQ(U8(shift), step)
	down24 := ZMM()
	VMOVUPS(all("down24", F32(0x1p-24)), down24)

	m.twice(func() {
		for half := range s.turn / frames {
			at, f, pick, k := GP64(), ZMM(), ZMM(), K()
			MOVQ(pos, at)
			SHRQ(U8(32), at)
			ADDQ(step, pos)
			VPCMPUD(U8(1), fraction, bits, k)
			VPBLENDMD(carried, whole, k, pick)
			VPSRLD(U8(8), bits, f)
			VCVTDQ2PS(f, f)
			VMULPS(down24, f, f)
			VPADDD(turn, bits, bits)
			from := m.src.Idx(at, uint8(m.size))
			var taps []VecVirtual
			for tap := 0; tap < by.taps; {
				x := ZMM()
				from := from.Offset(tap * m.size)
				switch {
				case wide && channels == 1:
					VMOVUPS(from, x)
					VPERMT2PS(from.Offset(64), pick, x)
				case wide:
					VMOVUPS(from, x)
					VPERMT2PD(from.Offset(64), pick, x)
				case channels == 1: // two words: this tap and the next
					VPERMW(from, pick, x)
					y := ZMM()
					VPSRAD(U8(16), x, y)
					VPMADDWD(own, x, x)
					VCVTDQ2PS(x, x)
					VCVTDQ2PS(y, y)
					taps = append(taps, x, y)
				default: // both words go to both lanes, and each lane uses its own
					VPERMD(from, pick, x)
					VPMADDWD(own, x, x)
					VCVTDQ2PS(x, x)
				}
				if wide || channels == 2 {
					taps = append(taps, x)
				}
				tap = len(taps)
			}
			x := by.value(taps, f, ZMM)
			if channels == 1 {
				m.addMono(x)
			} else {
				m.add(half, x)
			}
		}
	})
}
