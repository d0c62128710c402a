package mixer

import (
	"voicepool/internal/spectrum"
	"voicepool/voice"
)

// applyResponse computes the response of voice v of the start of r per band and stores it at index i of the spectral
// data. It reports whether the response was stored because it is not flat. reach holds the linear gains of the voice
// itself. direct is the power, left^2 + right^2, of its path through its own bus. It returns false until spectral
// data is enabled.
func (a *audio) applyResponse(i int, v *voice.Voice, r *record, reach stereo, direct float64) bool {
	sp := a.spectral.Load()
	if sp == nil {
		return false
	}
	if !sp.known {
		a.refreshBusResponses()
	}
	b, bus := &a.buses[r.bus], &sp.buses[r.bus]
	if !bus.notFlat && !v.HasActiveFilter() && r.sends == 0 {
		return false
	}
	heard := &sp.voices[i]
	if *heard = bus.through; b.quiet || b.soloFade.To == 0 {
		*heard = spectrum.Gains{}
		return true
	}
	heard.Scale(direct)
	power := reach.power()
	if bus.sends {
		heard.Add(&bus.sent, power)
	}
	if screen := r.screen(); screen != nil { // on the path to the bus
		screen.ApplyResponse(v, a.now, (*[spectrum.Bands]float64)(heard))
	}
	if r.sends > 0 {
		extra := r.extra.Load()
		if r.isSpatial { // sends have their own attenuation and may be audible if the voice is not
			power = newStereo(v.PeakSendGains(a.now)).power()
		}
		for j := range r.sends {
			s := &extra.sends[j]
			gain, from := s.gain.MaxGain(a.now), power
			if s.pre {
				from = v.PeakPrefaderPower(a.now)
			}
			heard.Add(&sp.buses[s.bus].total, float64(from*float64(gain*gain)))
		}
	}
	v.ApplyResponse(a.now, (*[spectrum.Bands]float64)(heard))
	return true
}

// audibilities holds the loudness of a voice from now on, and in the next 20 ms.
type audibilities struct{ remaining, soon float32 }

// audibilitiesOf returns the audibilities of voice v at index i as powers: the product of the gain power and the
// loudness of the sound. If shaped is true, the product is summed over the bands of the stored response; soon is then
// only valid if virtualizable is true. A sound whose spectrum is missing is marked for requestMissingMips.
func (a *audio) audibilitiesOf(i int, shaped bool, power float64, v *voice.Voice, virtualizable bool) audibilities {
	index, near := v.Energies()
	ahead, now := power, power
	if shaped {
		heard := &a.spectral.Load().voices[i]
		var lacks bool
		if ahead, now, lacks = v.FilteredShares((*[spectrum.Bands]float64)(heard), virtualizable); lacks {
			a.missingMips.Store(true)
		}
	}
	return audibilities{float32(float64(ahead * index)), float32(float64(now * near))}
}

// mayGetLouder reports whether sends, or equalizers of buses, may make voice s louder than its gains alone. Filters
// of the voice only attenuate.
func (a *audio) mayGetLouder(s *slot) bool {
	sp := a.spectral.Load()
	return s.hasSends || sp != nil && sp.buses[s.bus].notFlat
}

// noteFilters stores in e the cutoffs of the voice s at index i in Hz, and the power factor by which its response
// changes its audibility. The factor 0 means that no response applies.
func (a *audio) noteFilters(e *audioEvent, s *slot, i int) {
	lowPass, highPass := s.voice.Cutoffs()
	if screen := s.record.screen(); screen != nil {
		if hz := screen.Cutoff(); hz > 0 && (lowPass == 0 || hz < lowPass) {
			lowPass = hz
		}
	}
	e.LowPass, e.HighPass = float32(lowPass), float32(highPass)
	if !s.shaped || s.power == 0 {
		return
	}
	if index, _ := s.voice.Energies(); index > 0 {
		e.Muffled = float32(max(float64(a.scores.Remaining(i))/float64(s.power*index), 1e-30)) // a factor; 0 means no filters
	}
}
