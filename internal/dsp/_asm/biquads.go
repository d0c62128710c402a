package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// biquads emits two filters in series and the sum of the squares of their output: of left and right together,
// or one after the other. A register holds left and right. Each frame depends on the frame before, so wider
// registers would not be faster.
func biquads(name string, together bool) {
	TEXT(name, NOSPLIT, "func(filter *float64, src *float32, n int, sum float64) float64")
	filter, src, n, sum := memory("filter"), memory("src"), argument("n"), XMM()
	Load(Param("sum"), sum)
	const states = 10
	var state [4]VecVirtual
	for i := range state {
		state[i] = XMM()
		VMOVUPD(filter.Offset(16*(states+i)), state[i])
	}
	loop(n, 1, func() {
		x := XMM()
		VCVTPS2PD(src, x)
		for i := range 2 {
			s1, s2 := state[2*i], state[2*i+1]
			y, t, u := XMM(), XMM(), XMM()
			f64.Biquad(y, x, s1, s2, t, u, func(k int) Op { return filter.Offset(16 * (5*i + k)) })
			x = y
		}
		VMULPD(x, x, x)
		if together {
			VHADDPD(x, x, x)
		} else {
			VADDSD(x, sum, sum)
			VPERMILPD(U8(1), x, x)
		}
		VADDSD(x, sum, sum)
		ADDQ(U8(8), src.Base)
	})
	for i, s := range state {
		VMOVUPD(s, filter.Offset(16*(states+i)))
	}
	Store(sum, ReturnIndex(0))
	RET()
}
