package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// A voice that has a filter goes source, high-pass, low-pass, then gain and place. Both are
// Butterworth filters of two poles, as trapezoidal state-variable filters (Zavalishin, Simper),
// which are stable however their cutoffs move.

// Filter is what a voice with a low-pass or a high-pass has besides. It belongs to one voice at a
// time, which LendFilter gives it to. A copy of such a voice needs one of its own: see
// Split. The zero Filter is off.
type Filter struct {
	high, low  pass
	rate       int
	start, end int64            // the line of weights that is under way
	moves      bool             // a line is under way, or one is to begin
	stale      bool             // it begins from rest
	ready      *banked          // what a bank has made for the stretch that is mixed next; nil: nothing
	warped     *spectrum.Warped // of a bus: the bands at its rate
	pre        *Pre             // of a voice that is heard before its fader, too; nil: it is not
}

// lineGrid is how many frames of the mix a line of weights has: it ends at a multiple of it.
const lineGrid = 32

// filterPiece is how many frames are filtered at a time. The states are looked at in frames of the
// mix that are multiples of it: in the same ones for all voices.
const filterPiece = 256

// begin makes f what a voice starts with.
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

// active reports whether the filter does anything.
func (f *Filter) active() bool { return f != nil && (f.low.on || f.high.on) }

// turn moves a cutoff of p: c.
func (f *Filter) turn(p *pass, c *Cutoff, frame int64, to float64, off bool, frames int64) {
	was := p.on
	if _, heard := p.acts(frame); was && heard == 0 { // nobody hears it: it may as well be off
		*p = pass{Cutoff: p.Cutoff, place: p.place, placed: p.placed}
	}
	if was || !off || f.active() { // also where nothing changes, as if it had been on and off again
		f.interrupt(frame)
	}
	if off && !was {
		return
	}
	if off && (frames <= 0 || c.heard(frame) == 0) { // nobody hears how
		*c = Cutoff{Move: Rest(to)}
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
		f.end, p.fresh = -1, false // at once
	}
}

// interrupt ends the line that is under way at a frame. What follows begins there.
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

// wake has a filter that was not heard begin from rest.
func (f *Filter) wake() {
	if f.stale {
		f.stale = false
		for _, p := range [...]*pass{&f.high, &f.low} {
			p.fresh, p.left, p.right = false, dsp.PoleStates{}, dsp.PoleStates{}
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
	return min(n, filterPiece-frame%filterPiece)
}

// pass looks at the states after the frames before one, if it is time.
func (f *Filter) pass(frame int64) {
	if frame%filterPiece == 0 {
		for _, p := range [...]*pass{&f.high, &f.low} {
			p.left.Settle(silentState)
			p.right.Settle(silentState)
		}
	}
}

// mono takes src, of which the first frame has a number, through the filter to dst, which may be the
// same.
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
		if &x[0] != &y[0] { // it has just become off
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

// share returns how far a frame is in the line, in frames; each is the share of one.
func (f *Filter) share(frame int64) int { return int(frame - f.start) }

func (f *Filter) each() float32 { return 1 / float32(f.end-f.start) }
