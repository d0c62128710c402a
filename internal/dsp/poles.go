package dsp

import "voicepool/pcm"

// Poles are the coefficients of a two-pole Butterworth filter, a low-pass or a high-pass, in the form of a
// trapezoidal state-variable filter (Zavalishin, Simper).
type Poles struct {
	Keep, Couple, Follow float32 // for the states
	Ahead, Damp          float32 // for the output of a high-pass
	Depth                float32 // mix of the filtered signal, while it moves
}

// PoleStates are the two states. The output of a trapezoidal integrator is the mean of its state before and
// after a frame.
type PoleStates struct{ Band, Low float32 }

// FlushTiny clears states whose magnitudes are both below least, so that they never become denormal.
func (s *PoleStates) FlushTiny(least float32) {
	if s.Band < least && s.Band > -least && s.Low < least && s.Low > -least {
		*s = PoleStates{}
	}
}

// step returns the states after sample x, from the states before it. The order of the operations is part of
// the result.
func step(keep, couple, follow, x, band, low float32) (band2, low2 float32) {
	e := x - low
	return float32(keep*band) + float32(couple*e), low + float32(couple*band) + float32(follow*e)
}

// through returns the output of a high-pass for sample x, from the states before it. For frequencies far below
// the cutoff x is close to the state, so their difference is exact.
func through(ahead, damp, x, band, low float32) float32 {
	return float32(ahead*(x-low)) - float32(damp*band)
}

// Step returns the states of the filter after sample x, from the states before it.
func (p *Poles) Step(x, band, low float32) (band2, low2 float32) {
	return step(p.Keep, p.Couple, p.Follow, x, band, low)
}

// High returns the output of a high-pass for sample x, from the states before it.
func (p *Poles) High(x, band, low float32) float32 { return through(p.Ahead, p.Damp, x, band, low) }

// Difference returns other minus p, coefficient by coefficient.
func (p *Poles) Difference(other *Poles) Poles {
	return Poles{
		other.Keep - p.Keep, other.Couple - p.Couple, other.Follow - p.Follow,
		other.Ahead - p.Ahead, other.Damp - p.Damp, other.Depth - p.Depth,
	}
}

// Plus returns p plus a share, 0..1, of a difference.
func (p *Poles) Plus(way *Poles, share float32) Poles {
	return Poles{
		p.Keep + float32(way.Keep*share), p.Couple + float32(way.Couple*share), p.Follow + float32(way.Follow*share),
		p.Ahead + float32(way.Ahead*share), p.Damp + float32(way.Damp*share), p.Depth + float32(way.Depth*share),
	}
}

// LowPass filters src to dst, which may be the same, and updates the states s. Depth is ignored. len(dst) >=
// len(src).
func (p *Poles) LowPass(dst, src []float32, s *PoleStates) {
	h, band, low := *p, s.Band, s.Low
	dst = dst[:len(src)]
	for i, x := range src {
		b, l := h.Step(x, band, low)
		dst[i] = float32(0.5 * (low + l))
		band, low = b, l
	}
	*s = PoleStates{band, low}
}

// HighPass is LowPass with the output of a high-pass.
func (p *Poles) HighPass(dst, src []float32, s *PoleStates) {
	h, band, low := *p, s.Band, s.Low
	dst = dst[:len(src)]
	for i, x := range src {
		b, l := h.Step(x, band, low)
		dst[i] = h.High(x, band, low)
		band, low = b, l
	}
	*s = PoleStates{band, low}
}

// CoefficientRamp is a linear coefficient ramp from From to From + Change.
type CoefficientRamp struct {
	From, Change Poles
	At           int     // completed frames
	Step         float32 // 1 / length in frames
}

// share returns the progress of the ramp, 0..1, i frames after At.
func (l *CoefficientRamp) share(i int) float32 { return float32(float32(l.At+i) * l.Step) }

// Filter filters src to dst, which may be the same, while the coefficients move along the ramp; high selects a
// high-pass. It updates s, but not At. len(dst) >= len(src).
func (l *CoefficientRamp) Filter(dst, src []float32, high bool, s *PoleStates) {
	band, low, h, d := s.Band, s.Low, l.From, l.Change
	dst = dst[:len(src)]
	for i, x := range src {
		share := l.share(i)
		b, m := step(h.Keep+float32(d.Keep*share), h.Couple+float32(d.Couple*share), h.Follow+float32(d.Follow*share), x, band, low)
		y := float32(0.5 * (low + m))
		if high {
			y = through(h.Ahead+float32(d.Ahead*share), h.Damp+float32(d.Damp*share), x, band, low)
		}
		band, low = b, m
		dst[i] = x + float32((h.Depth+float32(d.Depth*share))*(y-x))
	}
	*s = PoleStates{band, low}
}

// FilterFrames is Filter for two channels, in place. s and t are the states of the left and the right channel.
func (l *CoefficientRamp) FilterFrames(x []pcm.Frame, high bool, s, t *PoleStates) {
	band, low, band2, low2, h, d := s.Band, s.Low, t.Band, t.Low, l.From, l.Change
	for i := range x {
		share := l.share(i)
		keep, couple, follow := h.Keep+float32(d.Keep*share), h.Couple+float32(d.Couple*share), h.Follow+float32(d.Follow*share)
		v := &x[i]
		left, right := v[0], v[1]
		b, m := step(keep, couple, follow, left, band, low)
		c, n := step(keep, couple, follow, right, band2, low2)
		y, z := float32(0.5*(low+m)), float32(0.5*(low2+n))
		if high {
			ahead, damp := h.Ahead+float32(d.Ahead*share), h.Damp+float32(d.Damp*share)
			y, z = through(ahead, damp, left, band, low), through(ahead, damp, right, band2, low2)
		}
		band, low, band2, low2 = b, m, c, n
		depth := h.Depth + float32(d.Depth*share)
		v[0], v[1] = left+float32(depth*(y-left)), right+float32(depth*(z-right))
	}
	*s, *t = PoleStates{band, low}, PoleStates{band2, low2}
}
