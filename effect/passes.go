package effect

import (
	"voicepool/internal/spectrum"
	"voicepool/sounds"
)

// Filters reports whether the effect is an equaliser, the only kind for which Processor.Passes computes a
// frequency response.
func (e *Effect) Filters() bool { return e.kind != nil && e.kind.Bands > 0 }

// Passes multiplies the power gain of each frequency band in gains by the response of an equaliser in this band.
// During a ramp it uses the response at frame or at the end of the ramp, the larger of both in each band. It reports
// whether a ramp is still running. For other kinds it leaves gains unchanged and returns false. The mixer uses it to
// estimate how audible a voice is. Audio side.
func (p *Processor) Passes(frame int64, gains *[sounds.SpectrumBands]float64) (moves bool) {
	e, ok := p.engine.(*eqEngine)
	if !ok {
		return false
	}
	passes := func(at func(i int) float64) spectrum.Gains {
		all := spectrum.Flat()
		if at(p.bypass) >= 0.5 {
			return all
		}
		var values [maxValues]float64
		for i := range p.kind.Len() {
			values[i] = p.value(i, at(i))
		}
		bands := p.kind.eqValues(values[:p.kind.Len()])
		bands.Passes(p.rate, e.warped, &all)
		return all
	}
	most := passes(func(i int) float64 { return p.moves[i].To })
	if moves = frame < p.constantFrom; moves {
		now := passes(func(i int) float64 { return p.moves[i].At(frame) })
		most.Most(&now)
	}
	(*spectrum.Gains)(gains).Times(&most)
	return moves
}
