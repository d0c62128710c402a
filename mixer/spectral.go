package mixer

import (
	"voicepool/internal/spectrum"
	"voicepool/mixer/internal/refiner"
	"voicepool/voice"
)

// spectral holds spectral responses for scores. It is allocated for the first filter or send.
type spectral struct {
	known  bool // the responses of buses have been computed
	buses  []busResponse
	voices []spectrum.Gains // by index: left^2 + right^2 per band over all paths of a voice; the last is the incoming start
}

// enableSpectral makes scores include filters and sends from now on. Scores are the audibilities that the choice of a
// victim compares. It allocates s.spectral on the first call; later calls have no effect. With Config.IgnoreFilters
// it never has an effect. Control side, with the mutex held, or in New.
func (s *shared) enableSpectral() {
	if s.ignoreFilters || s.spectral.Load() != nil {
		return
	}
	spectrum.Warp(s.rate).Prepare()
	sp := &spectral{buses: make([]busResponse, len(s.tree)), voices: make([]spectrum.Gains, len(s.playheads)+1)}
	for i := range sp.buses {
		sp.buses[i].ownFrame = -1
	}
	s.spectral.Store(sp)
}

// spectralBuses reports whether any of buses is configured with a cutoff, a send or an equalizer. Scores then need
// spectral data from the beginning.
func spectralBuses(buses []BusConfig) bool {
	for i := range buses {
		if b := &buses[i]; len(b.Sends) > 0 || b.LowPass != 0 || b.HighPass != 0 {
			return true
		}
		for j := range buses[i].Effects {
			if buses[i].Effects[j].Filters() {
				return true
			}
		}
	}
	return false
}

// requestSpectrum requests the spectrum of the sound of the start r, so that its score can include filters. The
// refiner computes it in the background. If r may leave its loop, it requests the spectrum with and without the loop.
// With Config.IgnoreFilters, or without a sound, it has no effect. The caller holds m.mutex.
func (m *Mixer) requestSpectrum(r *record) {
	s := r.sound.Load()
	if s == nil || m.ignoreFilters {
		return
	}
	m.refiner.Request(refiner.Level{Sound: s, Level: voice.SpectrumLevel, Looped: r.loop})
	if r.hasPitchRange && r.extra.Load().pitchRange.mayLeaveLoop || r.options.Rounds != 0 {
		m.refiner.Request(refiner.Level{Sound: s, Level: voice.SpectrumLevel, Looped: !r.loop})
	}
}
