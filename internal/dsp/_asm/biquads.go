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
	begin(name, "func(filter *float64, src *float32, n int, sum float64) float64")
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
			taps := func(k int) Mem { return filter.Offset(16 * (5*i + k)) }
			y, t, u := XMM(), XMM(), XMM()
			VMULPD(taps(0), x, y)
			VADDPD(s1, y, y)
			VMULPD(taps(1), x, t)
			VMULPD(taps(3), y, u)
			VSUBPD(u, t, t)
			VADDPD(s2, t, s1)
			VMULPD(taps(2), x, t)
			VMULPD(taps(4), y, u)
			VSUBPD(u, t, s2)
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
