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

// enableSpectral makes scores include filters and sends from now on, unless Config.IgnoreFilters is set. Later calls
// have no effect. Control side, with the mutex held, or in New.
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

// spectralBuses reports whether any of buses is configured with a filter, an equalizer or a send, so that scores need
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

// requestSpectrum requests the spectrum of the sound of the start of r from the refiner, unless filters are ignored.
// If r may leave its loop, it also requests the spectrum for the other loop mode. The caller holds the mutex.
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
