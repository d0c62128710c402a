package main

import (
	"math"

	"voicepool/internal/dsp/_asm/formula"
)

// floats returns a vector for each number, with the number in all lanes.
func (k *kernel) floats(x ...float32) (v []vec) {
	for _, x := range x {
		v = append(v, k.filled(1, int(math.Float32bits(x)))...)
	}
	return v
}

// reductions emits the kernel of Knee, four frames at a time.
func reductions() {
	k := newKernel("reductions", "dst *float32, key *float32, n int, knee *float32")
	dst, key, n, knee := k.load("dst"), k.load("key"), k.load("n"), k.load("knee")
	curve := k.vecsOf(4) // begin, width, bend and slope
	for i, v := range curve {
		k.op("FMOVS", mem(knee, 4*i), v.f())
		k.op("VDUP", v.String()+".S[0]", v.s4())
	}
	root, mantissa, quietest := k.filled(1, 0x3f3504f3)[0], k.filled(1, 1<<23-1)[0], k.filled(1, 0x37800000)[0]
	one, term := k.floats(1)[0], k.floats(formula.Octaves...)
	k.loop(n, 4, func() {
		v := k.vecsOf(8)
		a, b, x, t, f, f2, p, q := v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]
		k.op("FLDPQ.P", mem(key, 32), pair(a, b))
		k.fabs(a, a)
		k.fabs(b, b)
		k.unzip(x, a, b, false)
		k.unzip(t, a, b, true)
		k.smax(x, x, t)
		k.smax(x, x, quietest)

		k.op("VSUB", root.s4(), x.s4(), x.s4())
		k.op("VAND", x.b16(), mantissa.b16(), f.b16())
		k.op("VADD", root.s4(), f.s4(), f.s4())
		k.fsub(f, f, one)
		k.f32().Series(p, f, f2, q, t, term)
		k.sar(x, x, 23)
		k.scvtf(x, x)
		k.fadd(x, x, p)

		k.fsub(x, x, curve[0])
		k.sar(t, x, 31)
		k.bic(x, x, t)
		k.smin(t, x, curve[1])
		k.fsub(x, x, t)
		k.fmul(t, t, t)
		k.fmul(t, t, curve[2])
		k.fadd(t, t, x)
		k.fmul(t, t, curve[3])
		k.op("FMOVQ.P", t.f(), mem(dst, 16))
	})
}

// lower emits the kernel of Lower, four frames at a time.
func lower() {
	k := newKernel("lower", "block *float32, x *float32, n int, gain float32")
	block, at, n, gain := k.load("block"), k.load("x"), k.load("n"), k.given("gain")
	c, term := k.floats(1, 3<<22), k.floats(formula.Lowered...)
	one, whole := c[0], c[1]
	k.loop(n, 4, func() {
		v := k.vecsOf(7)
		y, t, f, f2, p, q, z := v[0], v[1], v[2], v[3], v[4], v[5], v[6]
		k.op("FMOVQ.P", mem(at, 16), y.f())
		k.fadd(t, y, whole)
		k.fsub(f, t, whole)
		k.fsub(f, f, y)
		k.f32().Series(p, f, f2, q, t, term)
		k.fadd(p, p, one)
		k.op("VSHL", imm(23), t.s4(), t.s4())
		k.op("VSUB", t.s4(), one.s4(), t.s4())
		k.fmul(p, p, t)
		k.fmul(p, p, gain)
		k.op("FLDPQ", mem(block, 0), pair(y, z))
		k.zip(t, p, p, false)
		k.zip(q, p, p, true)
		k.fmul(y, y, t)
		k.fmul(z, z, q)
		k.op("FSTPQ.P", pair(y, z), mem(block, 32))
	})
}
