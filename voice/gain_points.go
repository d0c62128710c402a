package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/internal/panning"
	"voicepool/pcm"
	"voicepool/sounds"
)

// gainPoints are gains at equidistant frames; no move ends before the last of them. Vector kernels compute
// them together, with the same bits as one by one.
type gainPoints struct {
	first, grid int64 // first frame, and the distance to the next
	count       int
	left, right values
}

// values has one value per point. Kernels compute four at a time; values beyond the last point are undefined.
type values [maxRamps]float64

// padded returns the first p.count values of x, rounded up to a multiple of four, because kernels compute four values
// at a time. The result shares memory with x.
func (p *gainPoints) padded(x *values) []float64 { return x[:(p.count+3)&^3] }

// moving reports whether a move is not over before the first point of p. end is the frame of the mix where the move
// ends. A move that ends exactly at the first point counts as moving.
func (p *gainPoints) moving(end int64) bool { return end >= p.first }

// line sets x to the values of a straight line at the points of p. The line begins at the frame start with the value
// from. After the given number of frames its value is from+change. The line continues beyond both ends, and snapEnd
// must then correct the last point. frames must not be 0.
func (p *gainPoints) line(x *values, from, change float64, start, frames int64) {
	dsp.Line(p.padded(x), from, change, p.first-start, p.grid, frames)
}

// snapEnd sets the last value of x to at, the final value of a move, if the move has ended at the last point of p. end
// is the frame of the mix where the move ends.
func (p *gainPoints) snapEnd(x *values, end int64, at float64) {
	if p.first+int64(p.count-1)*p.grid >= end {
		x[p.count-1] = at
	}
}

// gainsAt sets p.left and p.right to the linear left and right factors of the voice at each point (frame) of p. They
// equal the results of gains at these frames. No move of v may end before the last point, and the spatial position of v
// must not narrow a stereo image.
func (v *Voice) gainsAt(p *gainPoints) {
	var gain, x values
	p.gainFactors(&gain, v)
	if v.fadeOut.ToSilence {
		p.fadeOut(&x, &v.fadeOut)
		for i := range p.count {
			gain[i] = float64(float64(v.baseGain*x[i]) * gain[i])
		}
	} else {
		p.scale(&gain, v.baseGain)
	}
	if in, back := p.moving(v.fadeIn.End()), p.moving(v.resume.End()); in || back {
		var y values
		p.fadeIn(&x, &v.fadeIn)
		p.fadeIn(&y, &v.resume)
		for i := range p.count {
			gain[i] = float64(gain[i] * float64(x[i]*y[i]))
		}
	}
	if v.crowd.From != 0 || v.crowd.To != 0 {
		p.move(&x, &v.crowd)
		for i := range p.count {
			gain[i] = float64(gain[i] * pcm.Decibels(x[i]).Linear())
		}
	}
	if v.space != nil {
		p.move(&x, &v.space.Gain)
		for i := range p.count {
			gain[i] = float64(gain[i] * x[i])
		}
	}
	if !p.moving(v.pan.End()) && (v.space == nil || !p.moving(v.space.Pan.End())) {
		left, right := v.cachedPan(v.Pan(p.first))
		for i := range p.count {
			p.left[i], p.right[i] = float64(gain[i]*left), float64(gain[i]*right)
		}
		return
	}
	p.panGains(&x, v)
	for i := range p.count {
		p.left[i], p.right[i] = float64(gain[i]*p.left[i]), float64(gain[i]*p.right[i])
	}
}

// scale multiplies the value of x at each point of p by factor.
func (p *gainPoints) scale(x *values, factor float64) {
	for i := range p.count {
		x[i] = float64(x[i] * factor)
	}
}

// move sets x to the values of m at the points of p. m must be linear; its shape is not used.
func (p *gainPoints) move(x *values, m *move.Move) {
	if !p.moving(m.End()) {
		for i := range p.count {
			x[i] = m.To
		}
		return
	}
	p.line(x, m.From, m.To-m.From, m.Start, m.Frames)
	p.snapEnd(x, m.End(), m.To)
}

// gainFactors sets x to the linear factors of v's moving gain at the points of p, along the shape of the move.
func (p *gainPoints) gainFactors(x *values, v *Voice) {
	m := &v.gain
	switch {
	case !p.moving(m.End()):
		factor := v.targetGain()
		for i := range p.count {
			x[i] = factor
		}
		return
	case m.Shape <= sounds.InDecibels:
		p.move(x, m)
		dsp.Factors(p.padded(x))
		return
	}
	low, high := pcm.Decibels(m.From).Gain(), pcm.Decibels(m.To).Gain()
	p.line(x, 0, 1, m.Start, m.Frames)
	if low > high {
		low, high = high, low
		for i := range p.count {
			x[i] = 1 - x[i]
		}
	}
	p.progress(x, m.Shape)
	for i := range p.count {
		x[i] = low + float64((high-low)*x[i])
	}
	p.snapEnd(x, m.End(), pcm.Decibels(m.To).Gain())
}

// fadeIn sets x to the linear factors of the fade-in c at the points of p. After the end of the fade they are 1.
func (p *gainPoints) fadeIn(x *values, c *move.Fade) {
	if !p.moving(c.End()) {
		for i := range p.count {
			x[i] = 1
		}
		return
	}
	p.line(x, 0, 1, c.Start, c.Frames)
	p.fadeFactors(x, c.Shape)
	p.snapEnd(x, c.End(), 1)
}

// fadeOut sets x to the linear factors of the fade-out c at the points of p. If c has ended at the last point, the
// factor there is 0.
func (p *gainPoints) fadeOut(x *values, c *move.Fade) {
	if c.Shape == sounds.Natural {
		p.line(x, 0, 1, c.Start, c.Frames)
		dsp.CosPi(p.padded(x))
		for i := range p.count {
			x[i] = 0.5 + float64(0.5*x[i])
		}
	} else {
		dsp.Line(p.padded(x), 0, 1, c.End()-p.first, -p.grid, c.Frames)
		p.fadeFactors(x, c.Shape)
	}
	for i := range p.count {
		x[i] = float64(c.Level * x[i])
	}
	p.snapEnd(x, c.End(), 0)
}

// fadeFactors converts each value of x in place. Before, it is a share 0..1 of the way from silence to full gain.
// Afterwards it is the linear factor of a fade with the shape s at this share.
func (p *gainPoints) fadeFactors(x *values, s sounds.Shape) {
	switch s {
	case sounds.Natural:
		s = sounds.RaisedCosine
	case sounds.InDecibels:
		for i := range x {
			x[i] = float64(float64(pcm.Silence) * (1 - x[i]))
		}
		dsp.Factors(p.padded(x))
		return
	}
	p.progress(x, s)
}

// progress converts each value of x in place. Before, it is the share 0..1 of a move's time that has passed. Afterwards
// it is the progress 0..1 of the amplitude under shape s. Only RaisedCosine and ConstantPower change x.
func (p *gainPoints) progress(x *values, s sounds.Shape) {
	switch s {
	case sounds.RaisedCosine:
		dsp.CosPi(p.padded(x))
		for i := range p.count {
			x[i] = 0.5 - float64(0.5*x[i])
		}
	case sounds.ConstantPower:
		for i := range x {
			x[i] = float64(x[i]/2) - 0.5
		}
		dsp.CosPi(p.padded(x))
	}
}

// panGains sets p.left and p.right to the left and right factors of v's moving pan at the points of p. The pan of the
// spatial position is included, other gains are not. x is scratch space. A stereo sound counts as not narrowed: its
// spread is not used.
func (p *gainPoints) panGains(x *values, v *Voice) {
	law, beside := v.panLaw(), 0.0
	switch {
	case v.space == nil:
		p.move(x, &v.pan)
	case !p.moving(v.pan.End()):
		beside = v.pan.To
		p.move(x, &v.space.Pan)
	default:
		var y values
		p.move(x, &v.pan)
		p.move(&y, &v.space.Pan)
		for i := range p.count {
			x[i] = move.ClampPan(x[i] + y[i])
		}
	}
	if law == panning.Mono {
		dsp.Pans(p.padded(&p.left), p.padded(&p.right), p.padded(x), beside)
		return
	}
	for i := range p.count {
		x[i] = move.ClampPan(x[i] + beside)
		p.left[i] = x[i] / 2
	}
	dsp.CosPi(p.padded(&p.left))
	for i := range p.count {
		p.right[i] = 1
		if x[i] <= 0 {
			p.left[i], p.right[i] = 1, p.left[i]
		}
	}
}
