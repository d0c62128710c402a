package main

import "fmt"

// gather returns the taps of the next four frames as float32. With one channel it returns a vector per tap,
// with two channels two vectors of two frames each.
func (m *mixer) gather(taps int) [][]vec {
	x := m.rows(taps * m.size)
	var out [][]vec
	switch {
	case m.wide && m.channels == 1:
		return [][]vec{m.columns(x)}
	case m.wide: // a row is half a vector to a tap
		each := len(x) / 4
		for i := 0; i < len(x); i += 2 * each {
			var pair []vec
			for j := range each {
				a, b := m.both(m.zip64, x[i+j], x[i+j+each])
				pair = append(pair, a, b)
			}
			out = append(out, pair)
		}
		return out
	case m.channels == 1: // a column is two taps, one in the lower words
		var all []vec
		for _, high := range m.columns(x) {
			low := m.vec()
			m.op("VSHL", imm(16), high.s4(), low.s4())
			m.sar16(low, low)
			m.sar16(high, high)
			all = append(all, low, high)
		}
		out = [][]vec{all}
	case taps == 2: // a column is two words of each frame
		out = make([][]vec, 2)
		for _, low := range m.columns(x) {
			high := m.vec()
			m.widen(high, low, true)
			m.widen(low, low, false)
			out[0], out[1] = append(out[0], low), append(out[1], high)
		}
	default: // a lane is two words of a tap
		for i := 0; i < len(x); i += 2 {
			var pair []vec
			ab, cd := m.both(m.zip, x[i], x[i+1])
			for _, low := range []vec{ab, cd} {
				high := m.vec()
				m.widen(high, low, true)
				m.widen(low, low, false)
				pair = append(pair, low, high)
			}
			out = append(out, pair)
		}
	}
	for _, taps := range out {
		for _, tap := range taps {
			m.scvtf(tap, tap)
		}
	}
	return out
}

// rows loads size bytes of each of the next four frames, one frame after another. size is 4, 8, 16 or 32.
func (m *mixer) rows(size int) []vec {
	x := m.vecsOf(max(1, size/4))
	for i := range 4 {
		m.scope(func() {
			at := mem(m.nextTap(), 0)
			switch size {
			case 4:
				m.lane(x[0], "S", i, at)
			case 8:
				m.lane(x[i/2], "D", i%2, at)
			case 16:
				m.op("FMOVQ", at, x[i].f())
			case 32:
				m.op("FLDPQ", at, pair(x[2*i], x[2*i+1]))
			}
		})
	}
	return x
}

// lane loads one lane. For the first lane it replaces the whole vector, which avoids a dependency.
func (m *mixer) lane(v vec, kind string, i int, at string) {
	if i == 0 {
		m.op("FMOV"+kind, at, v.f())
	} else {
		m.op("VLD1", at, fmt.Sprintf("%v.%s[%d]", v, kind, i))
	}
}

// columns transposes rows of one, two or four lanes to vectors of four lanes, one per frame.
func (m *mixer) columns(x []vec) []vec {
	switch len(x) {
	case 1:
		return x
	case 2:
		even, odd := m.both(m.unzip, x[0], x[1])
		return []vec{even, odd}
	}
	a01, c01 := m.both(m.zip, x[0], x[1])
	a23, c23 := m.both(m.zip, x[2], x[3])
	a, b := m.both(m.zip64, a01, a23)
	c, d := m.both(m.zip64, c01, c23)
	return []vec{a, b, c, d}
}

// both returns the results of an operation on the lower halves, or even lanes, and on the others. It may
// destroy x and y.
func (k *kernel) both(op func(d, n, m vec, second bool), x, y vec) (first, second vec) {
	first = k.vec()
	op(first, x, y, false)
	op(y, x, y, true)
	return first, y
}
