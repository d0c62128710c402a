package mixer

// came is what newcomer has found out, for the voice that comes in after it.
type came struct {
	known, coloured bool
	power           float64
	heard           audibilities
}

// newcomer returns the audibility that the voice of a start that asks to come in would have, and the
// whole of it where that is something else.
func (a *audio) newcomer(r *record) (audibility, whole float64) {
	v, last := a.coming, len(a.scores.audibility)
	reach := pair(v.Reach(a.now))
	power := a.buses[r.bus].power(reach)
	coloured := a.colour(last, v, r, reach, power)
	heard := a.audibilities(last, coloured, power, v, a.asks.keeps)
	a.came = came{true, coloured, power, heard}
	if k := a.scores.masks; k != nil {
		k.set(len(k.hops)-1, a.heardIn(last, coloured, power), v)
	}
	if !a.asks.keeps {
		return float64(heard.whole), float64(heard.whole)
	}
	return float64(heard.soon), float64(heard.whole)
}

// arrived is rescore for the voice that newcomer looked at, if it did.
func (a *audio) arrived(i int, s *slot) {
	if !a.came.known {
		a.rescore(i)
		return
	}
	s.power, s.coloured = a.came.power, a.came.coloured
	if s.coloured {
		heard := a.spectral.Load().heard
		heard[i] = heard[len(heard)-1]
	}
	a.classify(s)
	a.reckon(i, s, a.came.heard)
}
