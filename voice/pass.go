package voice

import (
	"math"

	"voicepool/pcm"
)

// pass is a low-pass or a high-pass.
type pass struct {
	Cutoff
	place    Cutoff  // of a low-pass, that of the voice's place: the lower of the two acts
	placed   bool    // it has one, or had
	from, to weights // of the line
	left     states
	right    states // of a stereo sound
	on       bool
	fresh    bool // a low-pass that begins amid a sound, and so at its place
}

// states are the two of a filter. The output of a trapezoidal integrator is the mean of its state
// before and after a frame.
type states struct{ band, low float32 }

// weights are the coefficients of the filter, see step, and how much of it is heard.
type weights struct{ keep, couple, follow, ahead, damp, depth float32 }

// silentState is 400 dB under full scale. A state below it is none, so that none becomes denormal.
const silentState = 1e-20

func (p *pass) rest(at float64, on bool, rate int) {
	p.Cutoff, p.on = Cutoff{Move: Rest(at)}, on
	if on {
		p.depth = Rest(1)
		p.to = p.weights(0, rate)
	}
}

// acts returns the logarithm of the cutoff that acts at a frame, and how much of the filter is heard.
func (p *pass) acts(frame int64) (at, heard float64) {
	at, heard = p.At(frame), p.heard(frame)
	if p.placed {
		at, heard = min(at, p.place.At(frame)), max(heard, p.place.heard(frame))
	}
	return at, heard
}

// goes returns the same of where it is on its way to.
func (p *pass) goes() (at, heard float64) {
	at, heard = p.To, p.depth.To
	if p.placed {
		at, heard = min(at, p.place.To), max(heard, p.place.depth.To)
	}
	return at, heard
}

// moving reports whether a cutoff is on its way at a frame.
func (p *pass) moving(frame int64) bool {
	return p.End() > frame || p.placed && p.place.End() > frame
}

// weights returns those of a frame.
func (p *pass) weights(frame int64, rate int) weights {
	at, depth := p.acts(frame)
	g := pcm.TanPi(min(pcm.Exp2(at)/float64(rate), highestCutoff))
	a1 := 1 / (1 + float64(g*(g+math.Sqrt2)))
	a2 := float64(g * a1)
	if depth > 0 && depth < 1 {
		depth = 0.5 - float64(0.5*pcm.CosPi(depth))
	}
	return weights{
		keep: float32(float64(2*a1) - 1), couple: float32(2 * a2), follow: float32(2 * float64(g*a2)),
		ahead: float32(a1), damp: float32(a1 * (g + math.Sqrt2)), depth: float32(depth),
	}
}

// to returns the way from w to other weights.
func (w *weights) to(other *weights) weights {
	return weights{
		other.keep - w.keep, other.couple - w.couple, other.follow - w.follow,
		other.ahead - w.ahead, other.damp - w.damp, other.depth - w.depth,
	}
}

// moved returns w after a share of a way, but for its depth.
func (w *weights) moved(way *weights, share float32) weights {
	return weights{
		keep: w.keep + float32(way.keep*share), couple: w.couple + float32(way.couple*share),
		follow: w.follow + float32(way.follow*share), ahead: w.ahead + float32(way.ahead*share),
		damp: w.damp + float32(way.damp*share),
	}
}

func (s *states) settle() {
	if s.band < silentState && s.band > -silentState && s.low < silentState && s.low > -silentState {
		*s = states{}
	}
}

// step returns the states after a sample. The order of the operations is part of the result.
func step(keep, couple, follow, x, band, low float32) (band2, low2 float32) {
	e := x - low
	return float32(keep*band) + float32(couple*e), low + float32(couple*band) + float32(follow*e)
}

func (w *weights) step(x, band, low float32) (band2, low2 float32) {
	return step(w.keep, w.couple, w.follow, x, band, low)
}

// through returns the output of a high-pass for a sample. What is far below the cutoff is in the
// state, to which x is so near that nothing is lost in their difference.
func through(ahead, damp, x, band, low float32) float32 {
	return float32(ahead*(x-low)) - float32(damp*band)
}

func (w *weights) high(x, band, low float32) float32 { return through(w.ahead, w.damp, x, band, low) }

func lowMono(dst, src []float32, w *weights, s *states) {
	h, band, low := *w, s.band, s.low
	dst = dst[:len(src)]
	for i, x := range src {
		b, l := h.step(x, band, low)
		dst[i] = float32(0.5 * (low + l))
		band, low = b, l
	}
	*s = states{band, low}
}

func highMono(dst, src []float32, w *weights, s *states) {
	h, band, low := *w, s.band, s.low
	dst = dst[:len(src)]
	for i, x := range src {
		b, l := h.step(x, band, low)
		dst[i] = h.high(x, band, low)
		band, low = b, l
	}
	*s = states{band, low}
}

// bothMono gives the bits of highMono and then lowMono, in less time: one does not wait for the
// other's states.
func bothMono(dst, src []float32, w, v *weights, s, t *states) {
	h, g, band, low, band2, low2 := *w, *v, s.band, s.low, t.band, t.low
	dst = dst[:len(src)]
	for i, x := range src {
		b, l := h.step(x, band, low)
		y := h.high(x, band, low)
		band, low = b, l
		b, l = g.step(y, band2, low2)
		dst[i] = float32(0.5 * (low2 + l))
		band2, low2 = b, l
	}
	*s, *t = states{band, low}, states{band2, low2}
}

func lowStereo(x []pcm.Frame, w *weights, s, t *states) {
	h, band, low, band2, low2 := *w, s.band, s.low, t.band, t.low
	for i := range x {
		v := &x[i]
		b, l := h.step(v[0], band, low)
		c, m := h.step(v[1], band2, low2)
		v[0], v[1] = float32(0.5*(low+l)), float32(0.5*(low2+m))
		band, low, band2, low2 = b, l, c, m
	}
	*s, *t = states{band, low}, states{band2, low2}
}

func highStereo(x []pcm.Frame, w *weights, s, t *states) {
	h, band, low, band2, low2 := *w, s.band, s.low, t.band, t.low
	for i := range x {
		v := &x[i]
		b, l := h.step(v[0], band, low)
		c, m := h.step(v[1], band2, low2)
		v[0], v[1] = h.high(v[0], band, low), h.high(v[1], band2, low2)
		band, low, band2, low2 = b, l, c, m
	}
	*s, *t = states{band, low}, states{band2, low2}
}

// glideMono is highMono or lowMono in a line of weights, from a frame of it on.
func (p *pass) glideMono(dst, src []float32, high bool, at int, each float32) {
	if p.fresh {
		p.fresh, p.left.low = false, src[0]
	}
	band, low, h, d := p.left.band, p.left.low, p.from, p.from.to(&p.to)
	dst = dst[:len(src)]
	for i, x := range src {
		share := float32(float32(at+i) * each)
		b, l := step(h.keep+float32(d.keep*share), h.couple+float32(d.couple*share), h.follow+float32(d.follow*share), x, band, low)
		y := float32(0.5 * (low + l))
		if high {
			y = through(h.ahead+float32(d.ahead*share), h.damp+float32(d.damp*share), x, band, low)
		}
		band, low = b, l
		dst[i] = x + float32((h.depth+float32(d.depth*share))*(y-x))
	}
	p.left = states{band, low}
}

func (p *pass) glideStereo(x []pcm.Frame, high bool, at int, each float32) {
	if p.fresh {
		p.fresh, p.left.low, p.right.low = false, x[0][0], x[0][1]
	}
	band, low, band2, low2, h, d := p.left.band, p.left.low, p.right.band, p.right.low, p.from, p.from.to(&p.to)
	for i := range x {
		share := float32(float32(at+i) * each)
		keep, couple, follow := h.keep+float32(d.keep*share), h.couple+float32(d.couple*share), h.follow+float32(d.follow*share)
		v := &x[i]
		left, right := v[0], v[1]
		b, l := step(keep, couple, follow, left, band, low)
		c, m := step(keep, couple, follow, right, band2, low2)
		y, z := float32(0.5*(low+l)), float32(0.5*(low2+m))
		if high {
			ahead, damp := h.ahead+float32(d.ahead*share), h.damp+float32(d.damp*share)
			y, z = through(ahead, damp, left, band, low), through(ahead, damp, right, band2, low2)
		}
		band, low, band2, low2 = b, l, c, m
		depth := h.depth + float32(d.depth*share)
		v[0], v[1] = left+float32(depth*(y-left)), right+float32(depth*(z-right))
	}
	p.left, p.right = states{band, low}, states{band2, low2}
}
