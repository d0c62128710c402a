package main

import (
	"fmt"
	"math"
)

// An interpolation computes a vector from a number of taps. The first tap is before frames before the position.
// Each factor is a lane of a constant vector. The interpolation may destroy the taps.
type interpolation struct {
	name    string
	taps    int
	before  int
	factors []float32
	value   func(k *kernel, s []vec, f, factors vec) vec
}

var linear = interpolation{"Linear", 2, 0, nil, func(k *kernel, s []vec, f, _ vec) vec {
	a, b := s[0], s[1]
	k.fsub(b, b, a)
	k.fmul(b, f, b)
	k.fadd(b, a, b)
	return b
}}

var cubic = interpolation{"Cubic", 4, 1, []float32{0.5, 1.5}, func(k *kernel, s []vec, f, factors vec) vec {
	a, b, c, d := s[0], s[1], s[2], s[3]
	k.scope(func() {
		c1, c3, t := k.vec(), k.vec(), k.vec()
		k.fsub(c1, c, a) // c1 = (c - a)/2
		k.fsub(c3, d, a) // c3 = (d - a)/2 + (b - c) 3/2
		k.fmulLane(c1, c1, factors, 0)
		k.fmulLane(c3, c3, factors, 0)
		k.fsub(d, b, c)
		k.fmulLane(d, d, factors, 1)
		k.fadd(c3, c3, d)
		k.fsub(a, a, b) // c2 = (a - b) + (c1 - c3)
		k.fsub(t, c1, c3)
		k.fadd(a, a, t)
		k.fmul(t, f, c3) // ((f c3 + c2) f + c1) f + b
		k.fadd(t, a, t)
		k.fmul(t, f, t)
		k.fadd(t, c1, t)
		k.fmul(t, f, t)
		k.fadd(b, b, t)
	})
	return b
}}

// pitched emits the kernel of an interpolation. It reads only the taps of each frame.
func pitched(by interpolation, channels int, wide bool) {
	m := mixing(by.name, channels, wide, by.before, "pos int64, step int64, ", "")
	var factors vec
	if len(by.factors) > 0 {
		var bits [4]int
		for i, x := range by.factors {
			bits[i] = int(math.Float32bits(x))
		}
		factors = m.vec()
		m.lanes(factors, bits[:]...)
	}
	m.loadGains()
	half := func(half int) {
		f := m.fractions()
		taps := m.gather(by.taps)
		if channels == 1 {
			m.addMono(half, by.value(m.kernel, taps[0], f, factors))
			return
		}
		var x [2]vec
		for i := range x {
			m.scope(func() {
				both := m.vec()
				m.zip(both, f, f, i == 1)
				x[i] = by.value(m.kernel, taps[i], both, factors)
			})
		}
		m.add(half, x)
	}
	m.twice(func() {
		m.scope(func() { half(0) })
		m.scope(func() { half(1) })
	})
}

// nextTap returns the address of the next frame's first tap and advances the position.
func (m *mixer) nextTap() gp {
	at, shift := m.gp(), map[int]int{2: 1, 4: 2, 8: 3}[m.size]
	m.op("LSR", imm(32), m.pos, at)
	m.op("ADD", fmt.Sprintf("%v<<%d", at, shift), m.src, at)
	m.op("ADD", m.step, m.pos)
	return at
}

// fractions returns the upper 24 bits of the fractions of the next four frames and advances them.
func (m *mixer) fractions() vec {
	f := m.vec()
	m.op("VUSHR", imm(8), m.bits.s4(), f.s4())
	m.down24(f, f)
	m.op("VADD", m.stride.s4(), m.bits.s4(), m.bits.s4())
	return f
}
