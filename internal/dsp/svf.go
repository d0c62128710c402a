package dsp

import "voicepool/pcm"

// SVFCoefficients are the coefficients of a two-pole Butterworth filter, a low-pass or a high-pass, in the form of a
// trapezoidal state-variable filter (Zavalishin, Simper).
type SVFCoefficients struct {
	BandFeedback, Coupling, LowInput float32 // for the states
	HighInput, HighDamping           float32 // for the output of a high-pass
	Mix                              float32 // mix of the filtered signal, while it moves
}

// SVFStates are the two states. The output of a trapezoidal integrator is the mean of its state before and
// after a frame.
type SVFStates struct{ Band, Low float32 }

// FlushTiny clears states whose magnitudes are both below least, so that they never become denormal.
func (s *SVFStates) FlushTiny(least float32) {
	if s.Band < least && s.Band > -least && s.Low < least && s.Low > -least {
		*s = SVFStates{}
	}
}

// step returns the states after sample x, from the states before it. The order of the operations is part of
// the result.
func step(bandFeedback, coupling, lowInput, x, band, low float32) (band2, low2 float32) {
	e := x - low
	return float32(bandFeedback*band) + float32(coupling*e), low + float32(coupling*band) + float32(lowInput*e)
}

// highPass returns the output of a high-pass for sample x, from the states before it. For frequencies far below
// the cutoff x is close to the state, so their difference is exact.
func highPass(highInput, highDamping, x, band, low float32) float32 {
	return float32(highInput*(x-low)) - float32(highDamping*band)
}

// Step returns the states of the filter after sample x, from the states before it.
func (p *SVFCoefficients) Step(x, band, low float32) (band2, low2 float32) {
	return step(p.BandFeedback, p.Coupling, p.LowInput, x, band, low)
}

// High returns the output of a high-pass for sample x, from the states before it.
func (p *SVFCoefficients) High(x, band, low float32) float32 {
	return highPass(p.HighInput, p.HighDamping, x, band, low)
}

// Difference returns other minus p, coefficient by coefficient.
func (p *SVFCoefficients) Difference(other *SVFCoefficients) SVFCoefficients {
	return SVFCoefficients{
		other.BandFeedback - p.BandFeedback, other.Coupling - p.Coupling, other.LowInput - p.LowInput,
		other.HighInput - p.HighInput, other.HighDamping - p.HighDamping, other.Mix - p.Mix,
	}
}

// Plus returns p plus a share, 0..1, of a difference.
func (p *SVFCoefficients) Plus(difference *SVFCoefficients, share float32) SVFCoefficients {
	return SVFCoefficients{
		p.BandFeedback + float32(difference.BandFeedback*share), p.Coupling + float32(difference.Coupling*share), p.LowInput + float32(difference.LowInput*share),
		p.HighInput + float32(difference.HighInput*share), p.HighDamping + float32(difference.HighDamping*share), p.Mix + float32(difference.Mix*share),
	}
}

// LowPass filters src to dst, which may be the same, and updates the states s. Mix is ignored. len(dst) >=
// len(src).
func (p *SVFCoefficients) LowPass(dst, src []float32, s *SVFStates) {
	h, band, low := *p, s.Band, s.Low
	dst = dst[:len(src)]
	for i, x := range src {
		b, l := h.Step(x, band, low)
		dst[i] = float32(0.5 * (low + l))
		band, low = b, l
	}
	*s = SVFStates{band, low}
}

// HighPass is LowPass with the output of a high-pass.
func (p *SVFCoefficients) HighPass(dst, src []float32, s *SVFStates) {
	h, band, low := *p, s.Band, s.Low
	dst = dst[:len(src)]
	for i, x := range src {
		b, l := h.Step(x, band, low)
		dst[i] = h.High(x, band, low)
		band, low = b, l
	}
	*s = SVFStates{band, low}
}

// CoefficientRamp is a linear coefficient ramp from From to From + Change.
type CoefficientRamp struct {
	From, Change SVFCoefficients
	At           int     // completed frames
	Step         float32 // 1 / length in frames
}

// share returns the progress of the ramp, 0..1, i frames after At.
func (l *CoefficientRamp) share(i int) float32 { return float32(float32(l.At+i) * l.Step) }

// Filter filters src to dst, which may be the same, while the coefficients move along the ramp; high selects a
// high-pass. It updates s, but not At. len(dst) >= len(src).
func (l *CoefficientRamp) Filter(dst, src []float32, high bool, s *SVFStates) {
	band, low, h, d := s.Band, s.Low, l.From, l.Change
	dst = dst[:len(src)]
	for i, x := range src {
		share := l.share(i)
		b, m := step(h.BandFeedback+float32(d.BandFeedback*share), h.Coupling+float32(d.Coupling*share), h.LowInput+float32(d.LowInput*share), x, band, low)
		y := float32(0.5 * (low + m))
		if high {
			y = highPass(h.HighInput+float32(d.HighInput*share), h.HighDamping+float32(d.HighDamping*share), x, band, low)
		}
		band, low = b, m
		dst[i] = x + float32((h.Mix+float32(d.Mix*share))*(y-x))
	}
	*s = SVFStates{band, low}
}

// FilterFrames is Filter for two channels, in place. s and t are the states of the left and the right channel.
func (l *CoefficientRamp) FilterFrames(x []pcm.Frame, high bool, s, t *SVFStates) {
	band, low, band2, low2, h, d := s.Band, s.Low, t.Band, t.Low, l.From, l.Change
	for i := range x {
		share := l.share(i)
		bandFeedback, coupling, lowInput := h.BandFeedback+float32(d.BandFeedback*share), h.Coupling+float32(d.Coupling*share), h.LowInput+float32(d.LowInput*share)
		v := &x[i]
		left, right := v[0], v[1]
		b, m := step(bandFeedback, coupling, lowInput, left, band, low)
		c, n := step(bandFeedback, coupling, lowInput, right, band2, low2)
		y, z := float32(0.5*(low+m)), float32(0.5*(low2+n))
		if high {
			highInput, highDamping := h.HighInput+float32(d.HighInput*share), h.HighDamping+float32(d.HighDamping*share)
			y, z = highPass(highInput, highDamping, left, band, low), highPass(highInput, highDamping, right, band2, low2)
		}
		band, low, band2, low2 = b, m, c, n
		mix := h.Mix + float32(d.Mix*share)
		v[0], v[1] = left+float32(mix*(y-left)), right+float32(mix*(z-right))
	}
	*s, *t = SVFStates{band, low}, SVFStates{band2, low2}
}
