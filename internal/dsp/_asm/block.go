package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// blocks emits the passes over blocks of stereo frames, 8 frames a turn. They
// wait for memory, so that wider registers would win nothing.
func blocks() {
	loop := func(frames Mem, more []Mem, size []int, n Op, body func()) {
		again := label("loop")
		Label(again)
		body()
		ADDQ(U8(64), frames.Base)
		for i, m := range more {
			ADDQ(U8(size[i]), m.Base)
		}
		SUBQ(U8(8), n)
		JNZ(LabelRef(again))
	}

	TEXT("sumAVX2", NOSPLIT, "func(dst, src *float32, n int)")
	Pragma("noescape")
	Doc("n is a multiple of 8, not 0.")
	dst := Mem{Base: Load(Param("dst"), GP64())}
	src := Mem{Base: Load(Param("src"), GP64())}
	n := Load(Param("n"), GP64())
	loop(dst, []Mem{src}, []int{64}, n, func() {
		for at := 0; at < 64; at += 32 {
			x := YMM()
			VMOVUPS(dst.Offset(at), x)
			VADDPS(src.Offset(at), x, x)
			VMOVUPS(x, dst.Offset(at))
		}
	})
	VZEROUPPER()
	RET()

	TEXT("windowAVX2", NOSPLIT, "func(dst, w *float32, n int)")
	Pragma("noescape")
	Doc("n is a multiple of 8, not 0.")
	dst = Mem{Base: Load(Param("dst"), GP64())}
	w := Mem{Base: Load(Param("w"), GP64())}
	n = Load(Param("n"), GP64())
	spread := YMM()
	VMOVUPS(ints("spread_AVX2", avx2.pairs(0)...), spread)
	loop(dst, []Mem{w}, []int{32}, n, func() {
		for half := range 2 {
			x := YMM()
			VBROADCASTF128(w.Offset(16*half), x)
			VPERMILPS(spread, x, x)
			VMULPS(dst.Offset(32*half), x, x)
			VMOVUPS(x, dst.Offset(32*half))
		}
	})
	VZEROUPPER()
	RET()

	TEXT("peakAVX2", NOSPLIT, "func(src *float32, n int) uint32")
	Pragma("noescape")
	Doc("n is a multiple of 8, not 0. It returns the bits of the largest magnitude, of which",
		"those of a NaN are the largest.")
	src = Mem{Base: Load(Param("src"), GP64())}
	n = Load(Param("n"), GP64())
	magnitude := YMM()
	VMOVUPS(allInts("magnitude", 1<<31-1), magnitude)
	peak, peak2 := YMM(), YMM()
	VPXOR(peak, peak, peak)
	VPXOR(peak2, peak2, peak2)
	loop(src, nil, nil, n, func() {
		x, y := YMM(), YMM()
		VPAND(src, magnitude, x)
		VPMAXUD(x, peak, peak)
		VPAND(src.Offset(32), magnitude, y)
		VPMAXUD(y, peak2, peak2)
	})
	VPMAXUD(peak2, peak, peak)
	other := YMM()
	VEXTRACTI128(U8(1), peak, other.AsX())
	VPMAXUD(other.AsX(), peak.AsX(), peak.AsX())
	for _, swap := range []uint8{0x4e, 0xb1} {
		VPSHUFD(U8(swap), peak.AsX(), other.AsX())
		VPMAXUD(other.AsX(), peak.AsX(), peak.AsX())
	}
	out := GP32()
	VMOVD(peak.AsX(), out)
	Store(out, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// publish emits what stores words, one by one.
func publish() {
	TEXT("publishWords", NOSPLIT, "func(dst, src *int64, n int)")
	Pragma("noescape")
	Doc("n is not 0.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	word := GP64()
	again := label("loop")
	Label(again)
	MOVQ(Mem{Base: src, Index: n, Scale: 8, Disp: -8}, word)
	MOVQ(word, Mem{Base: dst, Index: n, Scale: 8, Disp: -8})
	DECQ(n)
	JNZ(LabelRef(again))
	RET()
}
