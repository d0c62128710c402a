package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// A voice that has a filter goes source, high-pass, low-pass, then gain and place. Both are
// Butterworth filters of two poles, as trapezoidal state-variable filters (Zavalishin, Simper),
// which are stable however their cutoffs move.

// The range of a cutoff, in Hz. One beyond 0.49 of the rate counts as 0.49 of it. 0 is off.
const (
	MinCutoff = 20
	MaxCutoff = 20000
)

// highestCutoff is the share of the rate beyond which no cutoff goes.
const highestCutoff = 0.49

// Filter is what a voice with a low-pass or a high-pass has besides. It belongs to one voice at a
// time, which LendFilter gives it to. A copy of such a voice needs one of its own: see
// Split. The zero Filter is off.
type Filter struct {
	high, low  pass
	rate       int
	start, end int64 // the line of weights that is under way
	phase      int32 // frames since the states were looked at
	moves      bool  // a line is under way, or one is to begin
	stale      bool  // it begins from rest
}

// Cutoff is a cutoff on its way: the Move is that of its binary logarithm, in Hz. Off is 0.49 of the
// rate for a low-pass, 20 Hz for a high-pass.
type Cutoff struct {
	Move
	depth Move // how much of the filter is heard, 0..1: 0 where it is off
}

// pass is a low-pass or a high-pass.
type pass struct {
	Cutoff
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

// lineGrid is how many frames of the mix a line of weights has: it ends at a multiple of it.
const lineGrid = 32

// filterPiece is how many frames are filtered at a time, and how many there are between two looks
// at the states.
const filterPiece = 256

// silentState is 400 dB under full scale. A state below it is none, so that none becomes denormal.
const silentState = 1e-20

// openAt returns the logarithm of the cutoff that is as good as no low-pass.
func openAt(rate int) float64 { return pcm.Log2(float64(highestCutoff * float64(rate))) }

var closedAt = pcm.Log2(MinCutoff) // as good as no high-pass

// LowPassAt and HighPassAt return where a cutoff comes to rest, as Cutoff has it; hz 0: off.
func LowPassAt(hz float64, rate int) float64 {
	if hz == 0 {
		return openAt(rate)
	}
	return min(pcm.Log2(hz), openAt(rate))
}

// HighPassAt is described at LowPassAt.
func HighPassAt(hz float64, rate int) float64 {
	if hz == 0 {
		return closedAt
	}
	return min(pcm.Log2(hz), openAt(rate))
}

// Hz returns the cutoff at a frame; 0: it is off.
func (c *Cutoff) Hz(frame int64) float64 {
	if c.heard(frame) == 0 {
		return 0
	}
	return pcm.Exp2(c.At(frame))
}

// Goal returns the cutoff to which it is on its way; 0: off.
func (c *Cutoff) Goal() float64 {
	if c.depth.To == 0 {
		return 0
	}
	return pcm.Exp2(c.To)
}

// heard returns how much of the filter is heard at a frame, in proportion to time.
func (c *Cutoff) heard(frame int64) float64 {
	if frame < c.depth.Start {
		return c.depth.From
	}
	return c.depth.At(frame)
}

// turn starts a move to a place. A filter that comes to be is heard within fade frames from here on;
// one that goes is not heard any more within the last of them.
func (c *Cutoff) turn(frame int64, to float64, off bool, frames, fade int64) {
	frames = max(frames, 0)
	fade = min(frames, fade)
	depth := Move{From: c.heard(frame), To: 1, Start: frame, Frames: fade}
	if off {
		depth.To, depth.Start = 0, frame+frames-fade
	}
	c.depth = depth
	c.Turn(frame, to, frames)
}

// weights returns those of a frame.
func (p *pass) weights(frame int64, rate int) weights {
	g := pcm.TanPi(min(pcm.Exp2(p.At(frame))/float64(rate), highestCutoff))
	a1 := 1 / (1 + float64(g*(g+math.Sqrt2)))
	a2 := float64(g * a1)
	depth := p.heard(frame)
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

// begin makes f what a voice starts with.
func (f *Filter) begin(rate int, lowHz, highHz float64) {
	*f = Filter{rate: rate}
	f.low.rest(LowPassAt(lowHz, rate), lowHz != 0, rate)
	f.high.rest(HighPassAt(highHz, rate), highHz != 0, rate)
}

func (p *pass) rest(at float64, on bool, rate int) {
	p.Cutoff, p.on = Cutoff{Move: Rest(at)}, on
	if on {
		p.depth = Rest(1)
		p.to = p.weights(0, rate)
	}
}

// active reports whether the filter does anything.
func (f *Filter) active() bool { return f != nil && (f.low.on || f.high.on) }

// moving reports whether a cutoff is on its way.
func (f *Filter) moving() bool { return f != nil && f.moves }

// turn moves a cutoff.
func (f *Filter) turn(p *pass, frame int64, to float64, off bool, frames int64) {
	if off && !p.on {
		return
	}
	if !f.active() {
		f.phase = 0
	}
	f.interrupt(frame)
	if off && (frames <= 0 || p.heard(frame) == 0) { // nobody hears how
		*p = pass{Cutoff: Cutoff{Move: Rest(to)}}
		return
	}
	p.turn(frame, to, off, frames, int64(f.rate+199)/200)
	if !p.on {
		p.on, p.fresh, p.left, p.right = true, p == &f.low && frames > 0, states{}, states{}
		p.to = p.weights(frame, f.rate)
	}
	if frames <= 0 {
		f.end, p.fresh = -1, false // at once
	}
}

// interrupt ends the line that is under way at a frame. What follows begins there.
func (f *Filter) interrupt(frame int64) {
	if f.moves && frame < f.end && frame >= f.start {
		share := float32(frame-f.start) / float32(f.end-f.start)
		for _, p := range [...]*pass{&f.high, &f.low} {
			way := p.from.to(&p.to)
			p.to = p.from.moved(&way, share)
			p.to.depth = p.from.depth + float32(way.depth*share)
		}
	}
	if !f.moves || frame < f.end {
		f.end = frame
	}
	f.moves = true
}

// line begins a line of weights at a frame. It begins where the last one has ended, or, after a gap,
// where the moves are. With the last one done, the filter rests.
func (f *Filter) line(frame int64) {
	next := (frame/lineGrid + 1) * lineGrid
	done := true
	for _, p := range [...]*pass{&f.high, &f.low} {
		if !p.on {
			continue
		}
		if p.from = p.to; frame != f.end {
			p.from = p.weights(frame, f.rate)
		}
		if p.End() <= frame {
			p.to = p.weights(frame, f.rate)
			done = done && p.from == p.to
		} else {
			p.to = p.weights(next, f.rate)
			done = false
		}
		if p.from == p.to && p.End() <= frame && p.depth.To == 0 {
			p.on, p.left, p.right = false, states{}, states{}
		}
	}
	f.start, f.end, f.moves = frame, next, !done
	if done {
		f.low.fresh = false
	}
}

// wake has a filter that was not heard begin from rest.
func (f *Filter) wake() {
	if f.stale {
		f.stale, f.phase = false, 0
		for _, p := range [...]*pass{&f.high, &f.low} {
			p.fresh, p.left, p.right = false, states{}, states{}
		}
	}
}

// next returns how many of n frames come before the filter has to be looked at, and looks where it
// has to.
func (f *Filter) next(n, frame int64) int64 {
	if f.moves && (frame >= f.end || frame < f.start) {
		f.line(frame)
	}
	if f.moves {
		n = min(n, f.end-frame)
	}
	return min(n, filterPiece-int64(f.phase))
}

// pass notes that n frames have gone through.
func (f *Filter) pass(n int64) {
	if f.phase += int32(n); f.phase == filterPiece {
		f.phase = 0
		for _, p := range [...]*pass{&f.high, &f.low} {
			p.left.settle()
			p.right.settle()
		}
	}
}

func (s *states) settle() {
	if s.band < silentState && s.band > -silentState && s.low < silentState && s.low > -silentState {
		*s = states{}
	}
}

// mono takes src, of which the first frame has a number, through the filter to dst, which may be the
// same. The number means nothing while the cutoffs rest.
func (f *Filter) mono(dst, src []float32, frame int64) {
	for len(src) > 0 {
		n := f.next(int64(len(src)), frame)
		x, y := src[:n], dst[:n]
		switch {
		case f.moves:
			if f.high.on {
				f.high.glideMono(y, x, true, f.share(frame), f.each())
				x = y
			}
			if f.low.on {
				f.low.glideMono(y, x, false, f.share(frame), f.each())
				x = y
			}
		case f.high.on && f.low.on:
			bothMono(y, x, &f.high.to, &f.low.to, &f.high.left, &f.low.left)
			x = y
		case f.high.on:
			highMono(y, x, &f.high.to, &f.high.left)
			x = y
		case f.low.on:
			lowMono(y, x, &f.low.to, &f.low.left)
			x = y
		}
		if &x[0] != &y[0] { // it has just become off
			copy(y, x)
		}
		f.pass(n)
		dst, src, frame = dst[n:], src[n:], frame+n
	}
}

// stereo is mono for two channels, in place.
func (f *Filter) stereo(x []pcm.Frame, frame int64) {
	for len(x) > 0 {
		n := f.next(int64(len(x)), frame)
		y := x[:n]
		if f.high.on {
			if f.moves {
				f.high.glideStereo(y, true, f.share(frame), f.each())
			} else {
				highStereo(y, &f.high.to, &f.high.left, &f.high.right)
			}
		}
		if f.low.on {
			if f.moves {
				f.low.glideStereo(y, false, f.share(frame), f.each())
			} else {
				lowStereo(y, &f.low.to, &f.low.left, &f.low.right)
			}
		}
		f.pass(n)
		x, frame = x[n:], frame+n
	}
}

// share returns how far a frame is in the line, in frames; each is the share of one.
func (f *Filter) share(frame int64) int { return int(frame - f.start) }

func (f *Filter) each() float32 { return 1 / float32(f.end-f.start) }

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

// LendFilter gives a filter to a voice that has none, to have from a frame on, with the cutoffs in
// Hz; 0: off.
func (v *Voice) LendFilter(frame int64, f *Filter, lowPass, highPass float64) {
	if v.filter != nil {
		return
	}
	v.filter = f
	if f.begin(v.sound.rate, lowPass, highPass); f.active() {
		v.Replan(frame)
	}
}

// Split has a copy of a voice go on with a filter of its own, f, from where the filter of both is.
func (v *Voice) Split(f *Filter) {
	if v.filter != nil {
		*f = *v.filter
		v.filter = f
	}
}

// SetLowPass moves the cutoff of the low-pass, 20..20,000 Hz, straight in its logarithm; 0 is off. One
// that is not off needs a filter.
func (v *Voice) SetLowPass(frame int64, hz float64, frames int64) {
	if f := v.filter; f != nil {
		f.turn(&f.low, frame, LowPassAt(hz, f.rate), hz == 0, frames)
	}
	v.Replan(frame)
}

// SetHighPass is SetLowPass for the high-pass.
func (v *Voice) SetHighPass(frame int64, hz float64, frames int64) {
	if f := v.filter; f != nil {
		f.turn(&f.high, frame, HighPassAt(hz, f.rate), hz == 0, frames)
	}
	v.Replan(frame)
}

// LowPass returns the cutoff of the low-pass at a frame, in Hz, and the one to which it is on its
// way; 0: off.
func (v *Voice) LowPass(frame int64) (is, goes float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.low.Hz(frame), v.filter.low.Goal()
}

// HighPass is LowPass for the high-pass.
func (v *Voice) HighPass(frame int64) (is, goes float64) {
	if v.filter == nil {
		return 0, 0
	}
	return v.filter.high.Hz(frame), v.filter.high.Goal()
}

// give is run for a voice whose samples may have a way of their own to go, through a filter or to a
// narrower place, before they are added to dst, if there is one.
func (v *Voice) give(dst []pcm.Frame, n, frame int64) int64 {
	at := int(frame - v.segStart)
	switch {
	case dst != nil && v.filter.active():
		return v.runFiltered(dst, n, frame)
	case dst != nil && v.folds():
		return v.runFolded(dst, n, at)
	}
	return v.run(dst, n, at)
}

// runFiltered is run for a voice with a filter. It is read at full gain first.
func (v *Voice) runFiltered(dst []pcm.Frame, n, frame int64) (done int64) {
	v.filter.wake()
	ramp := v.ramp
	for done < n {
		var piece [filterPiece]pcm.Frame
		part := min(n-done, filterPiece)
		at := int(frame + done - v.segStart)
		v.ramp = dsp.Ramp{Left: 1, Right: 1}
		got := v.run(piece[:part], part, at)
		if v.ramp = ramp; got == 0 {
			break
		}
		g := ramp
		g.Start = at
		v.addFiltered(dst[done:done+got], piece[:got], frame+done, g)
		done += got
	}
	return done
}

// addFiltered takes a piece through the filter, and adds it to dst.
func (v *Voice) addFiltered(dst, piece []pcm.Frame, frame int64, g dsp.Ramp) {
	if v.sound.channels == 1 {
		var samples [filterPiece]float32
		for i := range piece {
			samples[i] = piece[i][0]
		}
		x := samples[:len(piece)]
		v.filter.mono(x, x, frame)
		monoUnity.mix(dst, &store{wide: x}, 0, dsp.One, g)
		return
	}
	v.filter.stereo(piece, frame)
	if v.folds() {
		own, other := v.space.shares()
		g.Fold(dst, piece, own, other)
		return
	}
	dsp.Frames(dst, piece, g)
}

// mixFiltered is MixSteady for a voice with a filter whose cutoffs rest.
func (v *Voice) mixFiltered(dst []pcm.Frame, pos int64, g dsp.Ramp) {
	v.filter.wake()
	s := &v.steady
	direct := s.kernel == monoUnity && s.from.wide != nil
	for len(dst) > 0 {
		part := dst[:min(len(dst), filterPiece)]
		if direct {
			var samples [filterPiece]float32
			x := samples[:len(part)]
			v.filter.mono(x, s.from.wide[pos>>32:][:len(part)], 0)
			monoUnity.mix(part, &store{wide: x}, 0, dsp.One, g)
		} else {
			var piece [filterPiece]pcm.Frame
			s.kernel.mix(piece[:len(part)], s.from, pos, s.step, dsp.Ramp{Left: 1, Right: 1, Ahead: g.Ahead})
			v.addFiltered(part, piece[:len(part)], 0, g)
		}
		pos += int64(len(part)) * s.step
		dst = dst[len(part):]
	}
}
