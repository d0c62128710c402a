package main

import "fmt"

// loadPosition makes the vectors of the position. Taps are read from so many frames
// before a position's on.
func (m *mixer) loadPosition(before int) {
	if before > 0 {
		m.op("SUB", imm(before*m.size), m.src)
	}
	m.bits, m.stride = m.vec(), m.vec()
	m.scope(func() {
		first := m.vec()
		m.op("VDUP", m.pos, first.s4())
		m.op("VDUP", m.step, m.stride.s4())
		m.lanes(m.bits, 0, 1, 2, 3)
		m.mul(m.bits, m.bits, m.stride)
		m.op("VADD", first.s4(), m.bits.s4(), m.bits.s4())
		m.op("VSHL", imm(2), m.stride.s4(), m.stride.s4())
	})
}

// nextTap returns the address of the next frame's first tap, and moves on.
func (m *mixer) nextTap() gp {
	at, shift := m.gp(), map[int]int{2: 1, 4: 2, 8: 3}[m.size]
	m.op("LSR", imm(32), m.pos, at)
	m.op("ADD", fmt.Sprintf("%v<<%d", at, shift), m.src, at)
	m.op("ADD", m.step, m.pos)
	return at
}

// fractions returns the upper 24 bits of the fractions of the next four frames,
// and moves on.
func (m *mixer) fractions() vec {
	f := m.vec()
	m.op("VUSHR", imm(8), m.bits.s4(), f.s4())
	m.down24(f, f)
	m.op("VADD", m.stride.s4(), m.bits.s4(), m.bits.s4())
	return f
}
