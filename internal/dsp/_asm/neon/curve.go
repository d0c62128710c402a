package main

import (
	"math"

	"voicepool/internal/dsp/_asm/formula"
)

// doubles returns a vector for each number, with the number in both lanes.
func (k *kernel) doubles(x ...float64) []vec {
	v := k.vecsOf(len(x))
	for i, x := range x {
		k.double(v[i], x)
	}
	return v
}

// double sets both lanes to a number.
func (k *kernel) double(v vec, x float64) {
	k.scope(func() {
		r := k.gp()
		k.op("MOVD", imm(int(math.Float64bits(x))), r)
		k.op("VDUP", r, v.d2())
	})
}

// given64 returns a vector with a 64-bit parameter in both lanes.
func (k *kernel) given64(name string) vec {
	v := k.vec()
	k.scope(func() { k.op("VDUP", k.load(name), v.d2()) })
	return v
}

// twoByTwo repeats a body for n numbers, four per iteration.
func (k *kernel) twoByTwo(n gp, body func()) {
	k.loop(n, 4, func() {
		for range 2 {
			k.scope(body)
		}
	})
}

// line emits the kernel of Line. Sums of whole numbers are exact in any order.
func line() {
	k := newKernel("line", "dst *float64, n int, from float64, change float64, t float64, every float64, frames float64")
	dst, n := k.load("dst"), k.load("n")
	from, change, t, every, frames := k.given64("from"), k.given64("change"), k.given64("t"), k.given64("every"), k.given64("frames")
	k.scope(func() {
		x, first := k.vec(), k.gp()
		k.op("VEOR", x.b16(), x.b16(), x.b16())
		k.op("MOVD", imm(int(math.Float64bits(1))), first)
		k.op("VMOV", first, x.String()+".D[1]")
		k.fmul64(x, x, every)
		k.fadd64(t, t, x)
		k.fadd64(every, every, every)
	})
	k.twoByTwo(n, func() {
		y := k.vec()
		k.fdiv64(y, t, frames)
		k.fmul64(y, y, change)
		k.fadd64(y, from, y)
		k.fadd64(t, t, every)
		k.op("FMOVQ.P", y.f(), mem(dst, 16))
	})
}

// factors emits the kernel of Factors: 2^x, with the integer part of x added to the exponent.
func factors() {
	k := newKernel("factors", "x *float64, n int")
	at, n := k.load("x"), k.load("n")
	terms := k.doubles(formula.Exp...)
	c := k.doubles(-80, formula.Log2Of10/20, 0.5, 1, math.Ln2, math.Float64frombits(1022))
	silence, perDecibel, half, one, ln2, bias := c[0], c[1], c[2], c[3], c[4], c[5]
	k.twoByTwo(n, func() {
		v := k.vecsOf(5)
		x, heard, whole, y, p := v[0], v[1], v[2], v[3], v[4]
		k.op("FMOVQ", mem(at, 0), x.f())
		k.fcmgt64(heard, x, silence)
		k.op("VAND", x.b16(), heard.b16(), x.b16())
		k.fmul64(x, x, perDecibel)
		k.floor64(whole, x)
		k.fsub64(y, x, whole)
		k.fcmgt64(y, y, half)
		k.op("VAND", y.b16(), one.b16(), y.b16())
		k.fadd64(whole, whole, y)
		k.fsub64(y, x, whole)
		k.fmul64(y, y, ln2)
		k.f64().Horner(p, y, terms)
		k.fmul64(p, p, y)
		k.fadd64(p, one, p)
		k.fcvtzs64(whole, whole)
		k.op("VADD", bias.d2(), whole.d2(), whole.d2())
		k.op("VSHL", imm(52), whole.d2(), whole.d2())
		k.fmul64(p, p, whole)
		k.fadd64(p, p, p)
		k.op("VAND", p.b16(), heard.b16(), p.b16())
		k.op("FMOVQ.P", p.f(), mem(at, 16))
	})
}

// waves holds the constants of a sine kernel.
type waves struct {
	*kernel
	sin, cos []vec
	pi       vec
}

// waves loads the constants of a sine kernel into registers of k.
func (k *kernel) waves() *waves {
	return &waves{k, k.doubles(formula.Sin...), k.doubles(formula.Cos...), k.doubles(math.Pi)[0]}
}

// quarterCos replaces numbers from 0 to 0.5 by cos(pi x).
func (w *waves) quarterCos(x vec) {
	w.scope(func() {
		v := w.vecsOf(4)
		above, y, y2, p := v[0], v[1], v[2], v[3]
		w.double(above, 0.25)
		w.fcmgt64(above, x, above)
		w.double(y, 0.5)
		w.fsub64(y, y, x)
		w.fmul64(y, y, w.pi)
		w.fmul64(x, x, w.pi)
		w.horner(p, y2, y, w.sin)
		w.fmul64(y, p, y)
		w.horner(p, y2, x, w.cos)
		w.bsl(above, y, p)
		w.move(x, above)
	})
}

// horner sets p to a series in y^2, the highest power first.
func (w *waves) horner(p, y2, y vec, terms []vec) {
	w.fmul64(y2, y, y)
	w.f64().Horner(p, y2, terms)
}

// cosPi emits the kernel of CosPi.
func cosPi() {
	k := newKernel("cosPi", "x *float64, n int")
	at, n := k.load("x"), k.load("n")
	w := k.waves()
	k.twoByTwo(n, func() {
		x, sign := k.vec(), k.vec()
		k.op("FMOVQ", mem(at, 0), x.f())
		k.fabs64(x, x)
		k.scope(func() {
			t, far := k.vec(), k.vec()
			k.double(t, 0.5)
			k.fmul64(t, x, t)
			k.floor64(t, t)
			k.fadd64(t, t, t)
			k.fsub64(x, x, t)
			fold := func(limit, whole float64, far vec) {
				k.double(t, limit)
				k.fcmgt64(far, x, t)
				k.double(t, whole)
				k.fsub64(t, t, x)
				k.op("VEOR", x.b16(), t.b16(), t.b16())
				k.op("VAND", t.b16(), far.b16(), t.b16())
				k.op("VEOR", x.b16(), t.b16(), x.b16())
			}
			fold(1, 2, far)
			fold(0.5, 1, sign)
		})
		w.quarterCos(x)
		k.op("VSHL", imm(63), sign.d2(), sign.d2())
		k.op("VEOR", x.b16(), sign.b16(), x.b16())
		k.op("FMOVQ.P", x.f(), mem(at, 16))
	})
}

// pans emits the kernel of Pans.
func pans() {
	k := newKernel("pans", "left *float64, right *float64, x *float64, n int, beside float64")
	left, right, at, n := k.load("left"), k.load("right"), k.load("x"), k.load("n")
	beside := k.given64("beside")
	w := k.waves()
	k.twoByTwo(n, func() {
		x, y := k.vec(), k.vec()
		k.op("FMOVQ.P", mem(at, 16), x.f())
		k.fadd64(x, beside, x)
		k.double(y, -1)
		k.fmax64(x, x, y)
		k.double(y, 1)
		k.fmin64(x, x, y)
		k.fadd64(x, x, y)
		k.double(y, 0.25)
		k.fmul64(x, x, y)
		k.double(y, 0.5)
		k.fsub64(y, x, y)
		k.fabs64(y, y)
		w.quarterCos(x)
		w.quarterCos(y)
		k.op("FMOVQ.P", x.f(), mem(left, 16))
		k.op("FMOVQ.P", y.f(), mem(right, 16))
	})
}
