package main

import (
	"fmt"
	"math"
	"slices"
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

// cubicFactors are the factors of cubic.
var cubicFactors = []float32{0.5, 1.5}

var cubic = interpolation{"Cubic", 4, 1, cubicFactors, func(k *kernel, s []vec, f, factors vec) vec {
	k.scope(func() {
		k.f32().Cubic(s, f, k.vec(), s[0], k.vec(), s[3], func(d vec, by float32) {
			k.fmulLane(d, d, factors, slices.Index(cubicFactors, by))
		})
	})
	return s[3]
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
