package voice

import (
	"voicepool/internal/spectrum"
	"voicepool/sounds"
)

// FilteredShares estimates how much a frequency response lowers the two results of Envelope.BothAt. response is a
// power gain for each spectrum band. index and near are the shares of the two energies that remain, 0..1. If needNear
// is false, near is 0.
//
// A sound without a measured spectrum counts as pink noise, and so does a position behind the end of the spectrum.
// lacks reports that the spectrum of the sound can be measured but does not exist yet. A request for the spectrum is
// then recorded for DrainMissing. Audio side.
func (v *Voice) FilteredShares(response *[sounds.SpectrumBands]float64, needNear bool) (index, near float64, lacks bool) {
	hop := &spectrum.Pink
	looped := v.Looping()
	if measured := v.data().Spectrum(looped); measured != nil {
		if at := v.sound.Envelope().HopAt(v.Position()); at < int64(len(measured.Hops)) {
			hop = &measured.Hops[at]
		}
	} else if lacks = !v.sound.Refined(sounds.SpectrumLevel, looped); lacks {
		v.data().RecordMissing(sounds.SpectrumLevel, looped)
	}
	g := (*spectrum.Gains)(response)
	if !needNear {
		return hop.Through(g), 0, lacks
	}
	return hop.Through(g), hop.Now.Through(g), lacks
}

// HasSpectrum reports whether the spectrum of the sound has been measured. Looping and other voices use different
// spectra; the present state of v selects the spectrum.
func (v *Voice) HasSpectrum() bool { return v.data().Spectrum(v.Looping()) != nil }

// HasActiveFilter reports whether the low-pass or the high-pass of the voice is on. It is false without a filter.
func (v *Voice) HasActiveFilter() bool { return v.filter.active() }

// ApplyResponse multiplies gains by the frequency response of the voice's filters. gains is a power gain for each
// spectrum band. In each band the response at frame of the mix or the final response counts, whichever is larger. A
// low-pass or high-pass does not lower gains while unfiltered signal is mixed in at frame, or if it will be off at the
// end of its move. Without a filter ApplyResponse has no effect. Audio side.
func (v *Voice) ApplyResponse(frame int64, gains *[sounds.SpectrumBands]float64) {
	if v.filter != nil {
		v.filter.passes.ApplyResponse(frame, (*spectrum.Gains)(gains))
	}
}
