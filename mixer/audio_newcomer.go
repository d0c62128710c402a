package mixer

// came holds the scores of the incoming start for its voice.
type came struct {
	known, coloured bool
	power           float64
	heard           audibilities
}

// newcomer computes the scores of the incoming start: the audibility that is compared, and the audibility
// over its whole length.
func (a *audio) newcomer(r *record) (audibility, whole float64) {
	v, last := a.coming, len(a.scores.audibility)
	reach := pair(v.PeakGains(a.now))
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

// arrived scores the voice of the incoming start, from the result of newcomer if there is one.
func (a *audio) arrived(i int, s *slot) {
	if !a.came.known {
		a.rescore(i)
		return
	}
	s.power, s.coloured = a.came.power, a.came.coloured
	if s.coloured {
		heard := a.spectral.Load().voices
		heard[i] = heard[len(heard)-1]
	}
	a.classify(s)
	a.reckon(i, s, a.came.heard)
}
