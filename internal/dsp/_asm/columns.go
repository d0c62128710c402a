package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// columns emits the products of a vector with the 36 columns of a matrix, row by row.
func columns() {
	TEXT("columns", NOSPLIT, "func(dst *[36]float64, rows *[36]float64, x *float64, n, every int)")
	dst, row, x := memory("dst"), memory("rows"), memory("x")
	n, every, step := argument("n"), argument("every"), GP64()
	IMUL3Q(U32(8*36), every, step)
	SHLQ(U8(3), every)
	var sums [9]VecVirtual
	for i := range sums {
		sums[i] = YMM()
		VXORPD(sums[i], sums[i], sums[i])
	}
	loop(n, 1, func() {
		y := YMM()
		VBROADCASTSD(x, y)
		for i, s := range sums {
			f64.Plus(s, y, row.Offset(32*i), YMM())
		}
		ADDQ(step, row.Base)
		ADDQ(every, x.Base)
	})
	for i, s := range sums {
		VMOVUPD(s, dst.Offset(32*i))
	}
	end()
}
