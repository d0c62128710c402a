package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels of true peaks measure the places after frame 15 of src and after the following frames. They
// receive taps for half of the window, because package dsp mirrors them: for the middle, for the sum, and for
// the difference of two places.
const (
	windowFrames = 32
	beforePlace  = windowFrames/2 - 1
)

// peakGroups emits the search for places that may be beyond a level, in float32. It stores a byte per four places and
// processes eight per iteration.
func peakGroups() {
	TEXT("peakGroups", NOSPLIT, "func(groups *uint8, src *float32, n int, taps *float32, least float32)")
	out, src, n, taps := memory("groups"), memory("src"), argument("n"), memory("taps")
	least, magnitude, peaks := YMM(), YMM(), f32
	VBROADCASTSS(NewParamAddr("least", 32), least)
	VMOVUPS(all("magnitude", U32(1<<31-1)), magnitude)
	peaks.Abs = func(d, a Op) { VANDPS(magnitude, a, d) }
	loop(n, 8, func() {
		var sums [2][3]VecVirtual
		for half := range sums {
			for i := range sums[half] {
				sums[half][i] = YMM()
				VXORPS(sums[half][i], sums[half][i], sums[half][i])
			}
		}
		for k := range windowFrames / 2 {
			var h [3]VecVirtual
			for i := range h {
				h[i] = YMM()
				VBROADCASTSS(taps.Offset(4*(3*k+i)), h[i])
			}
			for half, s := range sums {
				x, y, opposite := YMM(), YMM(), src.Offset(8*(windowFrames-1-k)+32*half)
				VMOVUPS(src.Offset(8*k+32*half), x)
				VADDPS(opposite, x, y)
				VSUBPS(opposite, x, x)
				for i, from := range []VecVirtual{y, y, x} {
					f32.Plus(s[i], h[i], from, YMM())
				}
			}
		}
		for half, s := range sums {
			middle, x := s[0], YMM()
			peaks.Peak(middle, s[1], s[2], x)
			for frame := beforePlace; frame <= beforePlace+1; frame++ {
				VANDPS(src.Offset(8*frame+32*half), magnitude, x)
				VMAXPS(x, middle, middle)
			}
			bits := GP32()
			VCMPPS(U8(0x1e), least, middle, middle) // greater than
			VMOVMSKPS(middle, bits)
			MOVB(bits.As8(), out.Offset(half))
		}
		ADDQ(U8(64), src.Base)
		ADDQ(U8(2), out.Base)
	})
	end()
}

// truePeaks emits TruePeaks for four places per iteration. A vector holds two places in float64, left and
// right. The sums of even and odd taps are separate.
func truePeaks() {
	TEXT("truePeaks", NOSPLIT, "func(dst *float64, src *float32, n int, taps *float64)")
	dst, src, n, taps := memory("dst"), memory("src"), argument("n"), memory("taps")
	loop(n, 4, func() {
		var sums [2][3][2]VecVirtual
		for half := range sums {
			for i := range sums[half] {
				for odd := range 2 {
					s := YMM()
					VXORPD(s, s, s)
					sums[half][i][odd] = s
				}
			}
		}
		for k := range windowFrames / 2 {
			for half, s := range sums {
				x, y, z := YMM(), YMM(), YMM()
				VCVTPS2PD(src.Offset(8*k+16*half), x)
				VCVTPS2PD(src.Offset(8*(windowFrames-1-k)+16*half), y)
				VADDPD(y, x, z)
				VSUBPD(y, x, x)
				for i, from := range []VecVirtual{z, z, x} {
					f64.Plus(s[i][k%2], from, taps.Offset(32*(3*k+i)), y)
				}
			}
		}
		for half, s := range sums {
			for i := range s {
				VADDPD(s[i][1], s[i][0], s[i][0])
			}
			peak, x := s[0][0], YMM()
			f64.Peak(peak, s[1][0], s[2][0], x)
			for frame := beforePlace; frame <= beforePlace+1; frame++ {
				VCVTPS2PD(src.Offset(8*frame+16*half), x)
				f64.Larger(peak, x)
			}
			VPERMILPD(U8(5), peak, x)
			VMAXPD(x, peak, peak)
			VEXTRACTF128(U8(1), peak, x.AsX())
			VUNPCKLPD(x.AsX(), peak.AsX(), peak.AsX())
			VMOVUPD(peak.AsX(), dst.Offset(16*half))
		}
		ADDQ(U8(32), src.Base)
		ADDQ(U8(32), dst.Base)
	})
	end()
}
