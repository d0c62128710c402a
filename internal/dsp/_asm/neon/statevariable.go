package main

import "voicepool/internal/dsp/_asm/formula"

// stateVariable emits the kernel of StateVariable, four frames per iteration. A vector holds left and right.
func stateVariable() {
	k := newKernel("stateVariable", "filter *float64, x *float64, n int")
	filter, at, n := k.load("filter"), k.load("x"), k.load("n")
	taps, s1, s2 := k.vecsOf(formula.SVStates), k.vec(), k.vec()
	for i := range taps {
		k.op("FMOVQ", mem(filter, 16*i), taps[i].f())
	}
	k.op("FMOVQ", mem(filter, 16*formula.SVStates), s1.f())
	k.op("FMOVQ", mem(filter, 16*formula.SVStates+16), s2.f())
	k.loop(n, 4, func() {
		e, y, sum, t, u := k.vecsOf(4), k.vec(), k.vec(), k.vec(), k.vec()
		tap := func(i int) vec { return taps[i] }
		load := func(i int, to vec) { k.op("FMOVQ", mem(at, 16*i), to.f()) }
		k.f64().StateVariable(s1, s2, e, y, sum, t, u, tap, load, func(i int, y vec) { k.op("FMOVQ", y.f(), mem(at, 16*i)) })
		k.op("ADD", imm(64), at)
	})
	k.op("FMOVQ", s1.f(), mem(filter, 16*formula.SVStates))
	k.op("FMOVQ", s2.f(), mem(filter, 16*formula.SVStates+16))
}

// doubled emits the conversion of float32 to float64, four per iteration; singled emits the inverse.
func doubled() {
	k := newKernel("doubled", "dst *float64, src *float32, n int")
	dst, src, n := k.load("dst"), k.load("src"), k.load("n")
	k.loop(n, 4, func() {
		x, y, z := k.vec(), k.vec(), k.vec()
		k.op("FMOVQ.P", mem(src, 16), x.f())
		k.longer(y, x)
		k.longer2(z, x)
		k.op("FSTPQ.P", pair(y, z), mem(dst, 32))
	})
}

// singled emits the kernel of Singled, 4 numbers per iteration.
func singled() {
	k := newKernel("singled", "dst *float32, src *float64, n int, grain float64")
	dst, src, n := k.load("dst"), k.load("src"), k.load("n")
	grain := k.given64("grain")
	k.loop(n, 4, func() {
		for range 2 {
			y := k.vec()
			k.op("FMOVQ.P", mem(src, 16), y.f())
			k.fadd64(y, y, grain)
			k.fsub64(y, y, grain)
			k.narrow(y, y)
			k.op("FMOVD.P", y.f(), mem(dst, 8))
		}
	})
}
