package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// unity emits the kernel that reads a sound at its own rate. With sends, the kernel also adds a share of the
// result to a second destination.
func unity(s *set, channels int, wide, sends bool) {
	kind, params := "Unity", "n int"
	if sends {
		kind, params = "UnitySend", "n int, send *float32, share float32"
	}
	m := mixing(kind, s, channels, wide, 0, params)
	m.load(false)
	if sends {
		m.send, m.share = memory("send").Idx(m.i, 8), s.new()
		VBROADCASTSS(argumentMemory("share"), m.share)
	}
	spread, spreadUpper := s.new(), s.new()
	if channels == 1 {
		VMOVUPS(ints("spread_"+s.name, s.pairs(0)...), spread)
	}
	together := s == avx512 && !wide && channels == 1 // all words of an iteration are converted to float32 at once
	if together {
		VMOVUPS(ints("spreadUpper_"+s.name, s.pairs(s.frames)...), spreadUpper)
	}
	m.twice(func() {
		all := s.new()
		if together {
			VPMOVSXWD(m.src, all)
			VCVTDQ2PS(all, all)
		}
		for half := range 2 {
			x := s.new()
			at := m.src.Offset(half * s.frames * m.size)
			switch {
			case s == avx2 && wide && channels == 1:
				VBROADCASTF128(at, x)
				VPERMILPS(spread, x, x)
			case s == avx2 && channels == 1: // a word to the upper half of two lanes, and shifted down
				VPBROADCASTQ(at, x)
				VPSHUFB(shuffle("spread16", -1, -1, 0, 1, -1, -1, 0, 1, -1, -1, 2, 3, -1, -1, 2, 3,
					-1, -1, 4, 5, -1, -1, 4, 5, -1, -1, 6, 7, -1, -1, 6, 7), x, x)
				VPSRAD(U8(16), x, x)
				VCVTDQ2PS(x, x)
			case wide && channels == 1:
				VMOVUPS(at, x.AsY())
				VPERMPS(x, spread, x)
			case wide:
				VMOVUPS(at, x)
			case together && half == 0:
				VPERMPS(all, spread, x)
			case together:
				VPERMPS(all, spreadUpper, x)
			default:
				VPMOVSXWD(at, x)
				VCVTDQ2PS(x, x)
			}
			m.add(half, x)
		}
	})
}
