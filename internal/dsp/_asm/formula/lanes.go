package formula

// The rows of the weights of a filter bank, in the layout of package dsp.
const (
	lanesFeedback = iota
	lanesCoupling
	lanesLow
	lanesHigh
	lanesDamping
	lanesMix
	LanesChange // the rows from here on hold each weight's change
	LanesNumber = 12
	LanesEach   = 13
)

// SliceSize is the size of a slice in bytes.
const SliceSize = 24

// Lanes returns the name of the kernel of a filter bank, and the rows of weights that it needs. All kernels also
// need LanesNumber.
func Lanes(high, moving bool) (name string, need []int) {
	name, need = "lows", []int{lanesFeedback, lanesCoupling, lanesLow}
	if high {
		name, need = "highs", append(need, lanesHigh, lanesDamping)
	}
	if moving {
		name, need = name+"Moving", append(need, lanesMix)
		for _, w := range need {
			need = append(need, LanesChange+w)
		}
		need = append(need, LanesEach)
	}
	return name, need
}

// Lane emits y = a two-pole filter of x, with the states band and low, and its mix with x if the weights move. weight
// returns a row of weights at the present frame. e, v, w and t are scratch.
func (m Machine[V]) Lane(y, x, band, low, e, v, w, t, half V, weight func(row int) V, high, moving bool) {
	m.Sub(e, x, low)
	m.Mul(v, band, weight(lanesFeedback))
	coupling := weight(lanesCoupling)
	m.Mul(w, band, coupling)
	m.Add(w, low, w)
	m.Plus(v, e, coupling, t)
	m.Plus(w, e, weight(lanesLow), t)
	if high {
		m.Mul(y, e, weight(lanesHigh))
		m.Mul(t, band, weight(lanesDamping))
		m.Sub(y, y, t)
	} else {
		m.Add(y, low, w)
		m.Mul(y, y, half)
	}
	m.Move(band, v)
	m.Move(low, w)
	if moving {
		m.Sub(y, y, x)
		m.Mul(y, y, weight(lanesMix))
		m.Add(y, x, y)
	}
}
