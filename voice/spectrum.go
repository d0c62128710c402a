package voice

import (
	"voicepool/internal/spectrum"
)

// measured is the spectrum of a sound, by hop of its loudness index.
type measured struct{ hops []spectrum.Hop }

func (s *Sound) measureSpectrum(looped bool) {
	if s.Refined(SpectrumLevel, looped) {
		return
	}
	hops := spectrum.Measure(&spectrum.Sound{Samples: s.Samples(), Channels: s.channels, Rate: s.rate, Hop: s.envelope.Hop, Loop: s.loop}, looped)
	s.spectra[setOf(looped)].Store(&measured{hops})
}

// SpectrumBands is in how many bands spectra are known: 0.68 octaves each, from 50 Hz to 14 kHz, the first
// and the last with all that is beyond.
const SpectrumBands = spectrum.Bands

// Through returns what is left of the powers that Indices returns, as factors, where so much of each band
// is heard; the latter only if near is true. Where nobody has measured the sound's spectrum, it is pink; lacks says that somebody should.
// Audio side.
func (v *Voice) Through(heard *[SpectrumBands]float64, near bool) (index, soon float64, lacks bool) {
	hop := &spectrum.Pink
	if looped := v.Looping(); v.sound.spectra[setOf(looped)].Load() != nil {
		hops := v.sound.spectra[setOf(looped)].Load().hops
		if at := v.sound.envelope.hop(v.Position()); at < int64(len(hops)) {
			hop = &hops[at]
		}
	} else if lacks = !v.sound.Refined(SpectrumLevel, looped); lacks {
		v.sound.need(SpectrumLevel, looped)
	}
	g := (*spectrum.Gains)(heard)
	if !near {
		return hop.Through(g), 0, lacks
	}
	return hop.Through(g), hop.Now.Through(g), lacks
}

// KnowsSpectrum reports whether somebody has measured the spectrum that Through goes by.
func (v *Voice) KnowsSpectrum() bool { return v.sound.spectra[setOf(v.Looping())].Load() != nil }

// Filters reports whether a filter of the voice acts.
func (v *Voice) Filters() bool { return v.filter.active() }

// Passes multiplies gains, as powers, by what the filters of the voice let through at a frame, or where
// they are on their way to, whichever is more in each band. Audio side.
func (v *Voice) Passes(frame int64, gains *[SpectrumBands]float64) {
	if v.filter != nil {
		v.filter.passes(frame, v.sound.warped, (*spectrum.Gains)(gains))
	}
}

// Passes multiplies gains by what the screen of a voice lets through, as the voice's Passes does.
func (s *Screen) Passes(v *Voice, frame int64, gains *[SpectrumBands]float64) {
	s.filter.passes(frame, v.sound.warped, (*spectrum.Gains)(gains))
}

// Settled reports whether what Passes lets through stays as it is from a frame on.
func (s *Screen) Settled(frame int64) bool { return s.filter.settled(frame) }

func (f *Filter) passes(frame int64, w *spectrum.Warped, g *spectrum.Gains) {
	if p := &f.low; p.on {
		p.passes(frame, g, w, true)
	}
	if p := &f.high; p.on {
		p.passes(frame, g, w, false)
	}
}

func (p *pass) passes(frame int64, g *spectrum.Gains, w *spectrum.Warped, low bool) {
	goes, heard := p.goes()
	is, now := p.acts(frame)
	if heard == 0 || now < 1 { // without it all is heard
		return
	}
	most := w.Pass(goes, low)
	if is != goes {
		more := w.Pass(is, low)
		most.Most(&more)
	}
	g.Times(&most)
}

// settled reports whether what passes lets through stays as it is from a frame on.
func (f *Filter) settled(frame int64) bool {
	return f == nil || f.low.settled(frame) && f.high.settled(frame)
}

func (p *pass) settled(frame int64) bool {
	return !p.on || !p.moving(frame) && p.depth.End() <= frame && (!p.placed || p.place.depth.End() <= frame)
}
