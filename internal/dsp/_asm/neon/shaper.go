package main

import "voicepool/internal/dsp/_asm/formula"

// means emits the kernel of Shaper, a frame at a time. It computes both the mean and the value in the middle of
// a step, and selects one of them.
func means() {
	k := newKernel("means", "state *float64, x *float32, n int, a float64, b float64")
	state, at, n := k.load("state"), k.load("x"), k.load("n")
	a, b := k.given64("a"), k.given64("b")
	c := k.doubles(1, -1, 0.5, 0.0872, 128.0/315, 0x1p-12)
	one, minus, half, straighten, crest, shortest := c[0], c[1], c[2], c[3], c[4], c[5]
	curve, area := k.doubles(formula.Curve[:4]...), k.doubles(formula.Area[:4]...)
	curve, area = append(curve, one), append(area, half)
	held := k.vecsOf(4)
	before, last, from, below := held[0], held[1], held[2], held[3]
	for i := 0; i < 4; i += 2 {
		k.op("FLDPQ", mem(state, 16*i), pair(held[i], held[i+1]))
	}
	k.loop(n, 1, func() {
		v := k.vecsOf(6)
		x, u, s, p, t, q := v[0], v[1], v[2], v[3], v[4], v[5]
		k.op("FMOVD", mem(at, 0), x.f())
		k.longer(x, x)
		k.fsub64(t, last, before)
		k.fsub64(u, last, x)
		k.fadd64(t, t, u)
		k.fmul64(t, t, straighten)
		k.fadd64(u, last, t)
		k.move(before, last)
		k.move(last, x)
		k.fmul64(u, u, a)

		k.fabs64(x, u)
		k.fmin64(t, x, one)
		k.fmul64(s, t, t)
		k.fsub64(x, x, t)
		k.fmul64(x, x, crest)
		k.f64().Horner(p, s, area)
		k.fmul64(p, p, s)
		k.fadd64(p, p, x)

		k.fsub64(x, u, from)
		k.fsub64(q, p, below)
		k.fdiv64(q, q, x)
		k.move(below, p)
		k.fadd64(t, u, from)
		k.move(from, u)

		k.fmul64(t, t, half)
		k.fmin64(t, t, one)
		k.fmax64(t, t, minus)
		k.fmul64(s, t, t)
		k.f64().Horner(p, s, curve)
		k.fmul64(p, p, t)

		k.fabs64(x, x)
		k.fcmgt64(x, shortest, x)
		k.bsl(x, p, q)
		k.fmul64(x, x, b)
		k.narrow(x, x)
		k.op("FMOVD.P", x.f(), mem(at, 8))
	})
	for i := 0; i < 4; i += 2 {
		k.op("FSTPQ", pair(held[i], held[i+1]), mem(state, 16*i))
	}
}
