package mixer

import (
	"voicepool/internal/spectrum"
	"voicepool/pcm"
	"voicepool/voice"
)

// colour works out what is heard of a voice in each band, for an index, and reports whether that is
// something else than its gains say: those of the voice, and the power of all on its direct way.
func (a *audio) colour(i int, v *voice.Voice, r *record, reach stereo, direct float64) bool {
	sp := a.spectral.Load()
	if sp == nil {
		return false
	}
	if !sp.known {
		a.refreshWays()
	}
	b, w := &a.buses[r.bus], &sp.buses[r.bus]
	if !w.colours && !v.Filters() && r.sends == 0 {
		return false
	}
	heard := &sp.heard[i]
	if *heard = w.through; b.quiet || b.direct.To == 0 {
		*heard = spectrum.Gains{}
		return true
	}
	heard.Scale(direct)
	power := reach.power()
	if w.sends {
		heard.Add(&w.sent, power)
	}
	if screen := r.screen(); screen != nil { // on the way to the bus
		screen.Passes(v, a.now, (*[spectrum.Bands]float64)(heard))
	}
	if r.sends > 0 {
		rare := r.rare.Load()
		if r.placed { // with a curve of their own, which may go on where nothing is heard of the voice
			power = pair(v.SendReach(a.now)).power()
		}
		for j := range r.sends {
			s := &rare.sends[j]
			gain, from := s.gain.Most(a.now), power
			if s.pre {
				from = v.ReachPre(a.now)
			}
			heard.Add(&sp.buses[s.bus].whole, float64(from*float64(gain*gain)))
		}
	}
	v.Passes(a.now, (*[spectrum.Bands]float64)(heard))
	return true
}

// audibilities is how loud a voice is from now on, and in the next 20 ms.
type audibilities struct{ whole, soon float32 }

// audibilities returns how loud a voice of an index is from now on, and in the next 20 ms: the power of
// its gains times its indices, or, where it is coloured, that of each band. The latter is 0 where keeps
// says that nobody asks.
func (a *audio) audibilities(i int, coloured bool, power float64, v *voice.Voice, keeps bool) audibilities {
	index, near := v.Indices()
	ahead, now := power, power
	if coloured {
		heard := &a.spectral.Load().heard[i]
		var lacks bool
		if ahead, now, lacks = v.Through((*[spectrum.Bands]float64)(heard), keeps); lacks {
			a.needs.Store(true)
		}
	}
	return audibilities{float32(float64(ahead * index)), float32(float64(now * near))}
}

// raises reports whether a voice may be louder than its gains say: by sends, or by the equalisers of its
// buses. Its own filters take away.
func (a *audio) raises(s *slot) bool {
	sp := a.spectral.Load()
	return s.sends || sp != nil && sp.buses[s.bus].colours
}

// muffle notes by how much what a voice of an index goes through makes it less audible.
func (a *audio) muffle(e *Event, s *slot, i int) {
	e.LowPass, e.HighPass = s.voice.Cutoffs()
	if screen := s.record.screen(); screen != nil {
		if hz := screen.Cutoff(); hz > 0 && (e.LowPass == 0 || hz < e.LowPass) {
			e.LowPass = hz
		}
	}
	if !s.coloured || s.power == 0 {
		return
	}
	if index, _ := s.voice.Indices(); index > 0 {
		e.Muffled = pcm.Decibels(max(float64(a.scores.whole[i])/float64(s.power*index), 1e-30)) // a factor; 0: nothing does
	}
}
