package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// finePeak emits FinePeak. A vector holds the sums of two adjacent taps, left and right: first for the taps
// whose number modulo four is 0 or 1, then for the others.
func finePeak() {
	const half, products = 32, 7 // the middle, three sums, three differences
	TEXT("finePeak", NOSPLIT, "func(src *float32, taps *float64) float64")
	src, taps := memory("src"), memory("taps")
	var packed []VecVirtual // two sums of the first taps each
	var sums []VecVirtual
	for first := 0; first < 4; first += 2 {
		sums = nil
		for range products {
			s := YMM()
			VXORPD(s, s, s)
			sums = append(sums, s)
		}
		for k := first; k < half; k += 4 {
			x, y, t := YMM(), YMM(), YMM()
			VCVTPS2PD(src.Offset(8*k), x)
			VCVTPS2PD(src.Offset(8*(2*half-2-k)), t)
			VPERM2F128(U8(1), t, t, t)
			VSUBPD(t, x, y)
			VADDPD(t, x, x)
			for i, s := range sums {
				from := x
				if i > 3 {
					from = y
				}
				f64.Plus(s, from, taps.Offset(32*(k/2*products+i)), t)
			}
		}
		for _, s := range sums {
			t := XMM()
			VEXTRACTF128(U8(1), s, t)
			VADDPD(t, s.AsX(), s.AsX())
		}
		if first == 0 {
			for i := 0; i < products; i += 2 {
				p := sums[i]
				if i+1 < products {
					VINSERTF128(U8(1), sums[i+1].AsX(), p, p)
				}
				packed = append(packed, p)
			}
		}
	}
	for i, p := range packed {
		VADDPD(p.AsX(), sums[2*i].AsX(), sums[2*i].AsX())
		if 2*i+1 < products {
			VEXTRACTF128(U8(1), p, p.AsX())
			VADDPD(p.AsX(), sums[2*i+1].AsX(), sums[2*i+1].AsX())
		}
	}
	peak, t := sums[0].AsX(), XMM()
	for i := 1; i <= 3; i++ {
		f64.Peak(peak, sums[i].AsX(), sums[3+i].AsX(), t)
	}
	VPERMILPD(U8(1), peak, t)
	VMAXSD(t, peak, peak)
	Store(peak, ReturnIndex(0))
	end()
}
