package mixer

// came holds the scores of the incoming start for its voice.
type came struct {
	known, shaped bool
	power         float64
	heard         audibilities
}

// newcomer computes the scores of the incoming start: the audibility that is compared, and the audibility
// over its whole length.
func (a *audio) newcomer(r *record) (audibility, remaining float64) {
	v, last := a.coming, len(a.scores.audibility)
	reach := pair(v.PeakGains(a.now))
	power := a.buses[r.bus].power(reach)
	shaped := a.applyResponse(last, v, r, reach, power)
	heard := a.audibilitiesOf(last, shaped, power, v, a.asks.keeps)
	a.came = came{true, shaped, power, heard}
	if k := a.scores.masks; k != nil {
		k.set(len(k.hops)-1, a.heardIn(last, shaped, power), v)
	}
	if !a.asks.keeps {
		return float64(heard.remaining), float64(heard.remaining)
	}
	return float64(heard.soon), float64(heard.remaining)
}

// arrived scores the voice of the incoming start, from the result of newcomer if there is one.
func (a *audio) arrived(i int, s *slot) {
	if !a.came.known {
		a.rescore(i)
		return
	}
	s.power, s.shaped = a.came.power, a.came.shaped
	if s.shaped {
		heard := a.spectral.Load().voices
		heard[i] = heard[len(heard)-1]
	}
	a.classify(s)
	a.reckon(i, s, a.came.heard)
}
