package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The kernels on blocks of stereo frames process 8 frames per iteration. They wait for memory, so wider
// registers would not be faster.

// sum emits the addition of src to dst.
func sum() {
	TEXT("sum", NOSPLIT, "func(dst, src *float32, n int)")
	dst, src := memory("dst"), memory("src")
	loop(argument("n"), 8, func() {
		for at := 0; at < 64; at += 32 {
			x := YMM()
			VMOVUPS(dst.Offset(at), x)
			VADDPS(src.Offset(at), x, x)
			VMOVUPS(x, dst.Offset(at))
		}
		ADDQ(U8(64), dst.Base)
		ADDQ(U8(64), src.Base)
	})
	end()
}

// window emits the multiplication of each stereo frame of dst by one factor of w.
func window() {
	TEXT("window", NOSPLIT, "func(dst, w *float32, n int)")
	dst, w, n := memory("dst"), memory("w"), argument("n")
	spread := YMM()
	VMOVUPS(ints("spread_AVX2", avx2.pairs(0)...), spread)
	loop(n, 8, func() {
		for half := range 2 {
			x := YMM()
			VBROADCASTF128(w.Offset(16*half), x)
			VPERMILPS(spread, x, x)
			VMULPS(dst.Offset(32*half), x, x)
			VMOVUPS(x, dst.Offset(32*half))
		}
		ADDQ(U8(64), dst.Base)
		ADDQ(U8(32), w.Base)
	})
	end()
}

// peak emits the search for the largest magnitude of src, left or right, as bits.
func peak() {
	TEXT("peak", NOSPLIT, "func(src *float32, n int) uint32")
	widest(largest())
	end()
}

// widest returns the largest lane as the result of a kernel.
func widest(lanes Register) {
	other, out := XMM(), GP32()
	for _, swap := range []uint8{0x4e, 0xb1} {
		VPSHUFD(U8(swap), lanes, other)
		VPMAXUD(other, lanes, lanes)
	}
	VMOVD(lanes, out)
	Store(out, ReturnIndex(0))
}

// halved returns the larger lanes of the two halves.
func halved(x VecVirtual) Register {
	other := XMM()
	VEXTRACTI128(U8(1), x, other)
	VPMAXUD(other, x.AsX(), x.AsX())
	return x.AsX()
}

// levels emits peak with separate results for left and right.
func levels() {
	TEXT("levels", NOSPLIT, "func(src *float32, n int) (left, right uint32)")
	largest, other := largest(), XMM()
	VPSHUFD(U8(0x4e), largest, other)
	VPMAXUD(other, largest, largest)
	for i := range 2 {
		out := GP32()
		VPEXTRD(U8(i), largest, out)
		Store(out, ReturnIndex(i))
	}
	end()
}

// largest emits the search for the largest magnitudes of src, as bits. The lanes of the result are left,
// right, left, right.
func largest() Register {
	src, n := memory("src"), argument("n")
	magnitude, peak, peak2 := YMM(), YMM(), YMM()
	VMOVUPS(all("magnitude", U32(1<<31-1)), magnitude)
	VPXOR(peak, peak, peak)
	VPXOR(peak2, peak2, peak2)
	loop(n, 8, func() {
		x, y := YMM(), YMM()
		VPAND(src, magnitude, x)
		VPMAXUD(x, peak, peak)
		VPAND(src.Offset(32), magnitude, y)
		VPMAXUD(y, peak2, peak2)
		ADDQ(U8(64), src.Base)
	})
	VPMAXUD(peak2, peak, peak)
	return halved(peak)
}

// flushTiny emits the copy of samples with 0 for those below dsp.Floor, 16 per iteration, and the largest
// magnitude of src.
func flushTiny() {
	TEXT("flushTiny", NOSPLIT, "func(dst, src *float32, n int) uint32")
	dst, src, n := memory("dst"), memory("src"), argument("n")
	magnitude, below := YMM(), YMM()
	VMOVUPS(all("magnitude", U32(1<<31-1)), magnitude)
	VMOVUPS(all("below", U32((127-80)<<23-1)), below)
	peaks := [2]VecVirtual{YMM(), YMM()}
	for _, p := range peaks {
		VPXOR(p, p, p)
	}
	loop(n, 16, func() {
		for i, p := range peaks {
			x, y := YMM(), YMM()
			VMOVDQU(src.Offset(32*i), x)
			VPAND(x, magnitude, y)
			VPMAXUD(y, p, p)
			VPCMPGTD(below, y, y)
			VPAND(x, y, x)
			VMOVDQU(x, dst.Offset(32*i))
		}
		ADDQ(U8(64), src.Base)
		ADDQ(U8(64), dst.Base)
	})
	VPMAXUD(peaks[1], peaks[0], peaks[0])
	widest(halved(peaks[0]))
	end()
}
