package mixer

import (
	"voicepool/internal/spectrum"
	"voicepool/mixer/internal/busmix"
	"voicepool/voice"
)

// applyResponse computes how much power of each frequency band of the voice v reaches the output, after all filters,
// buses and sends. It stores the result at index i of a.responses.Voices. v belongs to the start of r. reach holds the
// linear gains of the voice itself. direct is the power, left^2 + right^2, of its path through its own bus. If the bus
// is muted, or silenced by another solo, the stored result is 0. If no filter and no send applies, it stores no result
// and returns false. It also returns false while a.responses is nil.
func (a *audio) applyResponse(i int, v *voice.Voice, r *record, reach busmix.Stereo, direct float64) bool {
	responses := a.responses.Load()
	if responses == nil {
		return false
	}
	if !responses.Known() {
		a.graph.refreshResponses()
	}
	bus := &responses.Buses[r.bus]
	if !bus.NotFlat && !v.HasActiveFilter() && r.sends == 0 {
		return false
	}
	heard := &responses.Voices[i]
	if *heard = bus.Through; a.graph.Buses[r.bus].Silent() {
		*heard = spectrum.Gains{}
		return true
	}
	heard.Scale(direct)
	power := reach.Power()
	if bus.Sends {
		heard.Add(&bus.Sent, power)
	}
	if screen := r.screen(); screen != nil { // on the path to the bus
		screen.ApplyResponse(v, a.now, (*[spectrum.Bands]float64)(heard))
	}
	if r.sends > 0 {
		extra := r.extra.Load()
		if r.isSpatial { // sends have their own attenuation and may be audible if the voice is not
			power = busmix.NewStereo(v.PeakSendGains(a.now)).Power()
		}
		for j := range r.sends {
			s := &extra.sends[j]
			gain, from := s.Gain.MaxGain(a.now), power
			if s.Pre {
				from = v.PeakPrefaderPower(a.now)
			}
			heard.Add(&responses.Buses[s.Bus].Total, float64(from*float64(gain*gain)))
		}
	}
	v.ApplyResponse(a.now, (*[spectrum.Bands]float64)(heard))
	return true
}

// sendsConstant reports whether the sends of the start of r are constant from the given frame of the mix on. This
// requires that the gains of the sends, their attenuation by distance and the filter of the direct path are not
// fading. It is true without sends.
func (r *record) sendsConstant(frame int64) bool {
	sends := r.voiceSends()
	if sends == nil {
		return true
	}
	if r.isSpatial && r.spatial.space.Sends.End() > frame {
		return false
	}
	if screen := r.screen(); screen != nil && !screen.Settled(frame) {
		return false
	}
	for i := range sends {
		if sends[i].Gain.End() > frame {
			return false
		}
	}
	return true
}

// sendResponseChanged reports whether the frequency response of any bus that the start of r sends to has changed since
// the scores were refreshed. It is false without sends, and while scores ignore filters.
func (a *audio) sendResponseChanged(r *record) bool {
	responses := a.responses.Load()
	return responses != nil && responses.TotalChanged(r.voiceSends())
}

// audibilities holds the loudness of a voice from now on, and in the next 20 ms.
type audibilities struct{ remaining, soon float32 }

// audibilitiesOf returns how audible the voice v at index i is, as powers: over its remaining sound and in the next 20
// ms. Each is the loudness of the sound multiplied by the parameter power: left^2 + right^2 of the gains. If shaped is
// true, the stored response of the voice replaces that parameter, summed over its bands. Then soon is valid only if
// virtualizable is true. If the spectrum of the sound is missing, a.missingMips is set to request it.
func (a *audio) audibilitiesOf(i int, shaped bool, power float64, v *voice.Voice, virtualizable bool) audibilities {
	index, near := v.Energies()
	ahead, now := power, power
	if shaped {
		heard := &a.responses.Load().Voices[i]
		var lacks bool
		if ahead, now, lacks = v.FilteredShares((*[spectrum.Bands]float64)(heard), virtualizable); lacks {
			a.missingMips.Store(true)
		}
	}
	return audibilities{float32(float64(ahead * index)), float32(float64(now * near))}
}

// mayGetLouder reports whether the voice s may become louder than its gains alone allow, through its sends or through
// effects on its buses. Filters of the voice itself only attenuate, so they do not count.
func (a *audio) mayGetLouder(s *slot) bool {
	responses := a.responses.Load()
	return s.hasSends || responses != nil && responses.Buses[s.bus].NotFlat
}

// noteFilters stores in e the cutoffs of the voice s at index i in Hz. In e.Muffled it stores the power factor by
// which filters, effects and sends change how audible the voice is. If no such response applies, e.Muffled stays
// unchanged, which means 0 for a new event.
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
