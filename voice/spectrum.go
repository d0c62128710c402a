package voice

import (
	"voicepool/internal/spectrum"
)

// soundSpectrum is the spectrum of a sound, by hop of its loudness index.
type soundSpectrum struct{ hops []spectrum.Hop }

// measureSpectrum measures the spectrum of the sound and stores it. looped selects the spectrum for looping voices. It
// has no effect if the spectrum exists already or the sound cannot have one.
func (s *Sound) measureSpectrum(looped bool) {
	if s.Refined(SpectrumLevel, looped) {
		return
	}
	hops := spectrum.Measure(&spectrum.Sound{Samples: s.Samples(), Channels: s.channels, Rate: s.rate, Hop: s.envelope.Hop, Loop: s.loop}, looped)
	s.spectra[setIndex(looped)].Store(&soundSpectrum{hops})
}

// SpectrumBands is the number of spectrum bands: 0.68 octaves each, from 50 Hz to 14 kHz. The first and the
// last band include everything beyond.
const SpectrumBands = spectrum.Bands

// FilteredShares estimates how much a frequency response lowers the two results of Energies. response is a power gain
// for each spectrum band. index and near are the shares of the two energies that remain, 0..1. If needNear is false,
// near is 0.
//
// A sound without a measured spectrum counts as pink noise, and so does a position behind the end of the spectrum.
// lacks reports that the spectrum of the sound can be measured but does not exist yet. A request for the spectrum is
// then recorded for DrainMissing. Audio side.
func (v *Voice) FilteredShares(response *[SpectrumBands]float64, needNear bool) (index, near float64, lacks bool) {
	hop := &spectrum.Pink
	if looped := v.Looping(); v.sound.spectra[setIndex(looped)].Load() != nil {
		hops := v.sound.spectra[setIndex(looped)].Load().hops
		if at := v.sound.envelope.hop(v.Position()); at < int64(len(hops)) {
			hop = &hops[at]
		}
	} else if lacks = !v.sound.Refined(SpectrumLevel, looped); lacks {
		v.sound.recordMissing(SpectrumLevel, looped)
	}
	g := (*spectrum.Gains)(response)
	if !needNear {
		return hop.Through(g), 0, lacks
	}
	return hop.Through(g), hop.Now.Through(g), lacks
}

// HasSpectrum reports whether the spectrum of the sound has been measured. Looping and other voices use different
// spectra; the present state of v selects the spectrum.
func (v *Voice) HasSpectrum() bool { return v.sound.spectra[setIndex(v.Looping())].Load() != nil }

// HasActiveFilter reports whether the low-pass or the high-pass of the voice is on. It is false without a filter.
func (v *Voice) HasActiveFilter() bool { return v.filter.active() }

// ApplyResponse multiplies gains by the frequency response of the voice's filters. gains is a power gain for each
// spectrum band. In each band the response at frame of the mix or the final response counts, whichever is larger. A
// low-pass or high-pass does not lower gains while unfiltered signal is mixed in at frame, or if it will be off at the
// end of its move. Without a filter ApplyResponse has no effect. Audio side.
func (v *Voice) ApplyResponse(frame int64, gains *[SpectrumBands]float64) {
	if v.filter != nil {
		v.filter.applyResponse(frame, v.sound.warped, (*spectrum.Gains)(gains))
	}
}

// ApplyResponse multiplies gains by the frequency response of s, the direct filter of the voice v. gains is a power
// gain for each spectrum band. In each band the response at frame of the mix or the final response counts, whichever is
// larger. It has no effect if the filter is off or will be off at the end of its move, or while unfiltered signal is
// mixed in at frame.
func (s *DirectFilter) ApplyResponse(v *Voice, frame int64, gains *[SpectrumBands]float64) {
	s.filter.applyResponse(frame, v.sound.warped, (*spectrum.Gains)(gains))
}

// Settled reports whether the response for ApplyResponse is constant from frame of the mix on.
func (s *DirectFilter) Settled(frame int64) bool { return s.filter.settled(frame) }

// applyResponse multiplies g, a power gain for each spectrum band, by the responses of the low-pass and the high-pass
// that are on. In each band the response at frame of the mix or the final response counts, whichever is larger. A
// low-pass or high-pass does not change g while unfiltered signal is mixed in at frame, or if it will be off at the end
// of its move. w has the bands for the sample rate of the filter.
func (f *Filter) applyResponse(frame int64, w *spectrum.Warped, g *spectrum.Gains) {
	if p := &f.low; p.on {
		p.applyResponse(frame, g, w, true)
	}
	if p := &f.high; p.on {
		p.applyResponse(frame, g, w, false)
	}
}

// applyResponse multiplies g, a power gain for each spectrum band, by the response of the stage p. In each band the
// response at frame of the mix or the final response counts, whichever is larger. While unfiltered signal is mixed in,
// and if p is off at the end of its move, g does not change. low means that p is a low-pass. w has the bands for the
// sample rate of the filter.
func (p *filterStage) applyResponse(frame int64, g *spectrum.Gains, w *spectrum.Warped, low bool) {
	target, wet := p.targets()
	now, wetNow := p.now(frame)
	if wet == 0 || wetNow < 1 { // the unfiltered signal is audible, too
		return
	}
	most := w.Pass(target, low)
	if now != target {
		more := w.Pass(now, low)
		most.Most(&more)
	}
	g.Times(&most)
}

// settled reports whether the frequency response of the filter is constant from frame of the mix on. It returns true
// for a nil Filter.
func (f *Filter) settled(frame int64) bool {
	return f == nil || f.low.settled(frame) && f.high.settled(frame)
}

// settled reports whether the frequency response of the stage is constant from frame of the mix on. It returns true for
// a stage that is off.
func (p *filterStage) settled(frame int64) bool {
	return !p.on || !p.moving(frame) && p.wet.End() <= frame && (!p.hasSpatial || p.spatial.wet.End() <= frame)
}
