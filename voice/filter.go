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
	high, low  filterStage
	rate       int
	start, end int64            // frames of the present coefficient ramp
	ramping    bool             // a coefficient ramp is in progress or about to begin
	stale      bool             // the states must be cleared before the next use
	batched    *batchedVoice    // output of a batch for the next block; nil: not filtered yet
	warped     *spectrum.Warped // of a bus: the spectrum bands at its rate
	prefader   *Prefader        // pre-fader output of the voice; nil: not used
}

// coefficientGrid is the length of a coefficient ramp: each ramp ends at a multiple of it, in frames of the
// mix.
const coefficientGrid = 32

// filterPiece is the number of frames filtered at a time. Tiny states are cleared at multiples of it in frames
// of the mix, at the same frames for all voices.
const filterPiece = 256

// init resets f and gives it constant cutoffs. rate is the sample rate in Hz. lowHz and highHz are the cutoffs of the
// low-pass and the high-pass in Hz; 0 leaves that filter off.
func (f *Filter) init(rate int, lowHz, highHz float64) {
	*f = Filter{rate: rate}
	f.low.init(LowPassAt(lowHz, rate), lowHz != 0, rate)
	f.high.init(HighPassAt(highHz, rate), highHz != 0, rate)
}

// stage returns f.high if high is true, otherwise f.low.
func (f *Filter) stage(high bool) *filterStage {
	if high {
		return &f.high
	}
	return &f.low
}

// active reports whether the low-pass or the high-pass is on, so that the filter changes the signal. It returns false
// for a nil Filter.
func (f *Filter) active() bool { return f != nil && (f.low.on || f.high.on) }

// rampCutoff moves the cutoff c of the stage p. c is a field of p: its own cutoff or the spatial one. The parameter to
// is the final cutoff, in log2 Hz. The move begins at frame of the mix and lasts the given number of frames; with 0 or
// less the change is immediate. If off is true, c is off after the move; a stage that is off already stays off.
// Otherwise the stage is switched on if it was off. From frame on, the coefficients are computed again.
func (f *Filter) rampCutoff(p *filterStage, c *Cutoff, frame int64, to float64, off bool, frames int64) {
	was := p.on
	if _, wet := p.now(frame); was && wet == 0 { // inaudible: switch it off
		*p = filterStage{Cutoff: p.Cutoff, spatial: p.spatial, hasSpatial: p.hasSpatial}
	}
	if was || !off || f.active() { // even if the result is the same, so that the bits equal those after switching on and off
		f.interrupt(frame)
	}
	if off && !was {
		return
	}
	if off && (frames <= 0 || c.wetAt(frame) == 0) { // switched off at once or while inaudible
		*c = Cutoff{Move: Constant(to)}
		if _, wet := p.now(frame); wet == 0 {
			*p = filterStage{Cutoff: p.Cutoff, spatial: p.spatial, hasSpatial: p.hasSpatial}
		} else if frames <= 0 {
			f.end = -1
		}
		return
	}
	c.ramp(frame, to, off, frames, int64(f.rate+199)/200)
	if !p.on {
		p.on, p.startsMidSound, p.left, p.right = true, p == &f.low && frames > 0, dsp.SVFStates{}, dsp.SVFStates{}
		p.to = p.coefficients(frame, f.rate)
	}
	if frames <= 0 {
		f.end, p.startsMidSound = -1, false // immediately
	}
}

// interrupt ends the present coefficient ramp at frame of the mix and keeps the coefficients reached there. It sets
// f.ramping, so that the next filtered piece begins a new ramp from these coefficients.
func (f *Filter) interrupt(frame int64) {
	if f.ramping && frame < f.end && frame >= f.start {
		share := float32(frame-f.start) / float32(f.end-f.start)
		for _, p := range [...]*filterStage{&f.high, &f.low} {
			way := p.from.Difference(&p.to)
			p.to = p.from.Plus(&way, share)
		}
	}
	if !f.ramping || frame < f.end {
		f.end = frame
	}
	f.ramping = true
}

// beginRamp begins a linear ramp of the filter coefficients. The ramp lasts from the given frame of the mix to the next
// multiple of coefficientGrid after it. It starts with the coefficients at the end of the last ramp. After a gap it
// starts with the coefficients for the cutoffs at frame.
//
// beginRamp sets the fields p.from and p.to of each stage p that is on, and the fields f.start, f.end and f.ramping.
// f.ramping becomes false if the coefficients no longer change. A stage that has become inaudible is switched off.
func (f *Filter) beginRamp(frame int64) {
	next := (frame/coefficientGrid + 1) * coefficientGrid
	done := true
	for _, p := range [...]*filterStage{&f.high, &f.low} {
		if !p.on {
			continue
		}
		if p.from = p.to; frame != f.end {
			p.from = p.coefficients(frame, f.rate)
		}
		moving := p.moving(frame)
		if !moving {
			p.to = p.coefficients(frame, f.rate)
			done = done && p.from == p.to
		} else {
			p.to = p.coefficients(next, f.rate)
			done = false
		}
		if _, wet := p.targets(); !moving && wet == 0 && p.from == p.to {
			p.on, p.left, p.right = false, dsp.SVFStates{}, dsp.SVFStates{}
		}
	}
	f.start, f.end, f.ramping = frame, next, !done
	if done {
		f.low.startsMidSound = false
	}
}

// clearIfStale sets the states of both stages to 0 if f.stale is true, and clears f.stale. A low-pass then no longer
// begins with the present sample as its state. f.stale means that the voice was silent or skipped, so that the states
// have missed samples.
func (f *Filter) clearIfStale() {
	if f.stale {
		f.stale = false
		for _, p := range [...]*filterStage{&f.high, &f.low} {
			p.startsMidSound, p.left, p.right = false, dsp.SVFStates{}, dsp.SVFStates{}
		}
	}
}

// nextPiece returns how many of the n frames from frame of the mix on can be filtered at once. A piece ends at the end
// of the present coefficient ramp and at multiples of filterPiece. If no ramp covers frame although the cutoffs move,
// nextPiece begins the next ramp first.
func (f *Filter) nextPiece(n, frame int64) int64 {
	if f.ramping && (frame >= f.end || frame < f.start) {
		f.beginRamp(frame)
	}
	if f.ramping {
		n = min(n, f.end-frame)
	}
	return min(n, filterPiece-frame%filterPiece)
}

// flushTinyStates sets states below silentState to 0, so that they never become denormal. It acts only if frame, a
// frame number of the mix, is a multiple of filterPiece.
func (f *Filter) flushTinyStates(frame int64) {
	if frame%filterPiece == 0 {
		for _, p := range [...]*filterStage{&f.high, &f.low} {
			p.left.FlushTiny(silentState)
			p.right.FlushTiny(silentState)
		}
	}
}

// mono filters src into dst with the high-pass and the low-pass that are on, and advances their left states. src has
// one channel and begins at frame of the mix. dst must be at least as long as src and may be the same slice.
// Coefficient ramps advance, too.
func (f *Filter) mono(dst, src []float32, frame int64) {
	for len(src) > 0 {
		n := f.nextPiece(int64(len(src)), frame)
		x, y := src[:n], dst[:n]
		switch {
		case f.ramping:
			if f.high.on {
				f.high.rampMono(y, x, true, f.rampPosition(frame), f.rampStep())
				x = y
			}
			if f.low.on {
				f.low.rampMono(y, x, false, f.rampPosition(frame), f.rampStep())
				x = y
			}
		case f.high.on && f.low.on:
			highLowMono(y, x, &f.high.to, &f.low.to, &f.high.left, &f.low.left)
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
		f.flushTinyStates(frame)
	}
}

// stereo filters x in place with the high-pass and the low-pass that are on, and advances the states of both channels.
// x begins at frame of the mix. Coefficient ramps advance, too.
func (f *Filter) stereo(x []pcm.Frame, frame int64) {
	for len(x) > 0 {
		n := f.nextPiece(int64(len(x)), frame)
		y := x[:n]
		if f.high.on {
			if f.ramping {
				f.high.rampStereo(y, true, f.rampPosition(frame), f.rampStep())
			} else {
				highStereo(y, &f.high.to, &f.high.left, &f.high.right)
			}
		}
		if f.low.on {
			if f.ramping {
				f.low.rampStereo(y, false, f.rampPosition(frame), f.rampStep())
			} else {
				lowStereo(y, &f.low.to, &f.low.left, &f.low.right)
			}
		}
		x, frame = x[n:], frame+n
		f.flushTinyStates(frame)
	}
}

// rampPosition returns how many frames of the present coefficient ramp are over at frame of the mix.
func (f *Filter) rampPosition(frame int64) int { return int(frame - f.start) }

// rampStep returns 1 divided by the length of the present coefficient ramp in frames.
func (f *Filter) rampStep() float32 { return 1 / float32(f.end-f.start) }
