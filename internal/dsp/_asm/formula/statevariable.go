package formula

// Indices of the taps of a state-variable filter, in the layout of package dsp. Its states follow them.
const (
	svDirect = 0
	svFirst  = 1
	svIn     = 5
	svKeep   = 9
	svUp     = 10
	svTurn   = 14
	svLow    = 15
	SVStates = 19
)

// StateVariable emits four frames of a state-variable filter with the states s1 and s2. tap returns its taps; load and
// store move frame k, 0..3. e, y, sum, t and u are scratch.
func (m Machine[V]) StateVariable(s1, s2 V, e []V, y, sum, t, u V, tap func(i int) V, load, store func(k int, x V)) {
	for k, e := range e {
		load(k, e)
		m.Sub(e, e, s2)
	}
	for k := range e {
		load(k, y)
		m.Mul(y, y, tap(svDirect))
		m.Plus(y, s1, tap(svFirst+k), t)
		m.Mul(sum, e[k], tap(svIn))
		if k > 0 {
			m.Plus(sum, e[k-1], tap(svIn+1), t)
		}
		switch k {
		case 2:
			m.Plus(sum, e[0], tap(svIn+2), t)
		case 3:
			m.Mul(t, e[1], tap(svIn+2))
			m.Plus(t, e[0], tap(svIn+3), u)
			m.Add(sum, sum, t)
		}
		m.Add(y, y, sum)
		store(k, y)
	}
	four := func(k int) {
		m.Mul(sum, e[0], tap(k))
		m.Plus(sum, e[1], tap(k+1), t)
		m.Mul(t, e[2], tap(k+2))
		m.Plus(t, e[3], tap(k+3), u)
		m.Add(sum, sum, t)
	}
	m.Plus(s2, s1, tap(svTurn), t)
	four(svLow)
	m.Add(s2, s2, sum)
	m.Mul(s1, s1, tap(svKeep))
	four(svUp)
	m.Add(s1, s1, sum)
}
