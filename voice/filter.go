package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// The signal path of a voice with a filter is: source, high-pass, low-pass, then gain and pan. Both filters
// are two-pole Butterworth filters, built as trapezoidal state-variable filters (Zavalishin, Simper). Those
// are stable however their cutoffs move.

// Filter holds the low-pass and high-pass state of one voice. AttachFilter assigns it to a voice, and it
// belongs to one voice at a time: a copy of the voice needs its own, see SplitFilter. The zero Filter is off.
type Filter struct {
	high, low  pass
	rate       int
	start, end int64            // frames of the present coefficient ramp
	moves      bool             // a coefficient ramp is in progress or about to begin
	stale      bool             // the states must be cleared before the next use
	ready      *banked          // output of a batch for the next block; nil: not filtered yet
	warped     *spectrum.Warped // of a bus: the spectrum bands at its rate
	pre        *Prefader        // pre-fader output of the voice; nil: not used
}

// lineGrid is the length of a coefficient ramp: each ramp ends at a multiple of it, in frames of the mix.
const lineGrid = 32

// filterPiece is the number of frames filtered at a time. Tiny states are cleared at multiples of it in frames
// of the mix, at the same frames for all voices.
const filterPiece = 256

// begin initializes f for a voice that starts.
func (f *Filter) begin(rate int, lowHz, highHz float64) {
	*f = Filter{rate: rate}
	f.low.rest(LowPassAt(lowHz, rate), lowHz != 0, rate)
	f.high.rest(HighPassAt(highHz, rate), highHz != 0, rate)
}

// which returns the high-pass or the low-pass.
func (f *Filter) which(high bool) *pass {
	if high {
		return &f.high
	}
	return &f.low
}

// active reports whether the filter changes the signal.
func (f *Filter) active() bool { return f != nil && (f.low.on || f.high.on) }

// turn moves c, a cutoff of p.
func (f *Filter) turn(p *pass, c *Cutoff, frame int64, to float64, off bool, frames int64) {
	was := p.on
	if _, heard := p.acts(frame); was && heard == 0 { // inaudible: switch it off
		*p = pass{Cutoff: p.Cutoff, place: p.place, placed: p.placed}
	}
	if was || !off || f.active() { // even if the result is the same, so that the bits equal those after switching on and off
		f.interrupt(frame)
	}
	if off && !was {
		return
	}
	if off && (frames <= 0 || c.heard(frame) == 0) { // switched off at once or while inaudible
		*c = Cutoff{Move: Constant(to)}
		if _, heard := p.acts(frame); heard == 0 {
			*p = pass{Cutoff: p.Cutoff, place: p.place, placed: p.placed}
		} else if frames <= 0 {
			f.end = -1
		}
		return
	}
	c.turn(frame, to, off, frames, int64(f.rate+199)/200)
	if !p.on {
		p.on, p.fresh, p.left, p.right = true, p == &f.low && frames > 0, dsp.PoleStates{}, dsp.PoleStates{}
		p.to = p.weights(frame, f.rate)
	}
	if frames <= 0 {
		f.end, p.fresh = -1, false // immediately
	}
}

// interrupt ends the present coefficient ramp at a frame, so that a new one can begin there.
func (f *Filter) interrupt(frame int64) {
	if f.moves && frame < f.end && frame >= f.start {
		share := float32(frame-f.start) / float32(f.end-f.start)
		for _, p := range [...]*pass{&f.high, &f.low} {
			way := p.from.Way(&p.to)
			p.to = p.from.Moved(&way, share)
		}
	}
	if !f.moves || frame < f.end {
		f.end = frame
	}
	f.moves = true
}

// line begins a coefficient ramp at a frame. It starts from the end of the last ramp or, after a gap, from
// the present values of the moves. After the last ramp the filter has constant coefficients.
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
		moving := p.moving(frame)
		if !moving {
			p.to = p.weights(frame, f.rate)
			done = done && p.from == p.to
		} else {
			p.to = p.weights(next, f.rate)
			done = false
		}
		if _, heard := p.goes(); !moving && heard == 0 && p.from == p.to {
			p.on, p.left, p.right = false, dsp.PoleStates{}, dsp.PoleStates{}
		}
	}
	f.start, f.end, f.moves = frame, next, !done
	if done {
		f.low.fresh = false
	}
}

// wake clears the states of a filter whose voice was silent.
func (f *Filter) wake() {
	if f.stale {
		f.stale = false
		for _, p := range [...]*pass{&f.high, &f.low} {
			p.fresh, p.left, p.right = false, dsp.PoleStates{}, dsp.PoleStates{}
		}
	}
}

// next returns how many of n frames can be filtered before the next ramp or state check, and begins a
// ramp if one is due.
func (f *Filter) next(n, frame int64) int64 {
	if f.moves && (frame >= f.end || frame < f.start) {
		f.line(frame)
	}
	if f.moves {
		n = min(n, f.end-frame)
	}
	return min(n, filterPiece-frame%filterPiece)
}

// pass clears tiny states if the frame is a multiple of filterPiece.
func (f *Filter) pass(frame int64) {
	if frame%filterPiece == 0 {
		for _, p := range [...]*pass{&f.high, &f.low} {
			p.left.Settle(silentState)
			p.right.Settle(silentState)
		}
	}
}

// mono filters src, whose first frame has the number frame, into dst. dst may be src.
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
			f.high.to.HighPass(y, x, &f.high.left)
			x = y
		case f.low.on:
			f.low.to.LowPass(y, x, &f.low.left)
			x = y
		}
		if &x[0] != &y[0] { // the filter was just switched off
			copy(y, x)
		}
		dst, src, frame = dst[n:], src[n:], frame+n
		f.pass(frame)
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
		x, frame = x[n:], frame+n
		f.pass(frame)
	}
}

// share returns how many frames of the ramp precede frame; each returns the share of one frame.
func (f *Filter) share(frame int64) int { return int(frame - f.start) }

func (f *Filter) each() float32 { return 1 / float32(f.end-f.start) }
