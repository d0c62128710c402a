// Package passfilter has the low-pass and the high-pass of voices and buses, with cutoffs that move. Both are two-pole
// Butterworth filters, built as trapezoidal state-variable filters (Zavalishin, Simper). Those are stable however their
// cutoffs move. The high-pass comes first.
//
//	var f passfilter.Filter
//	f.Start(48000, 2000, 0) // a low-pass of 2 kHz; 0 leaves the high-pass off
//	f.Ramp(property.LowPass, frame, 500, 4800)
//	ok := f.Process(block, frame)
//
// A voice with a filter reads its source, filters it, and then applies gain and pan. A filter belongs to the audio
// side, and to one voice or bus at a time. Blocks of any length give the same bits.
package passfilter

import (
	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/internal/property"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// Filter holds the low-pass and high-pass state of one voice or bus. The zero Filter is off.
type Filter struct {
	High, Low  Stage
	rate       int
	start, end int64            // frames of the present coefficient ramp
	ramping    bool             // a coefficient ramp is in progress or about to begin
	stale      bool             // the states must be cleared before the next use
	warped     *spectrum.Warped // the spectrum bands at the rate
}

// coefficientGrid is the length of a coefficient ramp: each ramp ends at a multiple of it, in frames of the
// mix.
const coefficientGrid = 32

// Piece is the number of frames filtered at a time. Tiny states are cleared at multiples of it in frames
// of the mix, at the same frames for all voices.
const Piece = 256

// Values has the value of each filter, in the order of property.Filters: the cutoffs of the low-pass and the high-pass
// in Hz. 0 is off.
type Values [property.NumFilters]float64

// Init resets f and gives it constant values. w has the sample rate and the spectrum bands at that rate.
func (f *Filter) Init(w *spectrum.Warped, values Values) {
	rate := w.Rate()
	*f = Filter{rate: rate, warped: w}
	for i, p := range f.stages() {
		p.init(At(property.LowPass+property.ID(i), values[i], rate), values[i] != 0, rate)
	}
}

// stages returns the stages in the order of property.Filters.
func (f *Filter) stages() [property.NumFilters]*Stage { return [...]*Stage{&f.Low, &f.High} }

// stage returns f.High if high is true, otherwise f.Low.
func (f *Filter) stage(high bool) *Stage {
	if high {
		return &f.High
	}
	return &f.Low
}

// On reports whether the low-pass or the high-pass is on, so that the filter changes the signal.
func (f *Filter) On() bool { return f.Low.on || f.High.on }

// MarkStale makes the next ClearIfStale set the states to 0, because the filter has missed samples.
func (f *Filter) MarkStale() { f.stale = true }

// rampCutoff moves the cutoff c of the stage p. c is a field of p: its own cutoff or the spatial one. The parameter to
// is the final cutoff, in log2 Hz. The move begins at frame of the mix and lasts the given number of frames; with 0 or
// less the change is immediate. If off is true, c is off after the move; a stage that is off already stays off.
// Otherwise the stage is switched on if it was off. From frame on, the coefficients are computed again.
func (f *Filter) rampCutoff(p *Stage, c *Cutoff, frame int64, to float64, off bool, frames int64) {
	was := p.on
	if _, wet := p.Now(frame); was && wet == 0 { // inaudible: switch it off
		*p = Stage{Cutoff: p.Cutoff, spatial: p.spatial, hasSpatial: p.hasSpatial}
	}
	if was || !off || f.On() { // even if the result is the same, so that the bits equal those after switching on and off
		f.interrupt(frame)
	}
	if off && !was {
		return
	}
	if off && (frames <= 0 || c.wetAt(frame) == 0) { // switched off at once or while inaudible
		*c = Cutoff{Move: move.Constant(to)}
		if _, wet := p.Now(frame); wet == 0 {
			*p = Stage{Cutoff: p.Cutoff, spatial: p.spatial, hasSpatial: p.hasSpatial}
		} else if frames <= 0 {
			f.end = -1
		}
		return
	}
	c.ramp(frame, to, off, frames, int64(f.rate+199)/200)
	if !p.on {
		p.on, p.startsMidSound, p.left, p.right = true, p == &f.Low && frames > 0, dsp.SVFStates{}, dsp.SVFStates{}
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
		for _, p := range [...]*Stage{&f.High, &f.Low} {
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
	for _, p := range [...]*Stage{&f.High, &f.Low} {
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
		if _, wet := p.Targets(); !moving && wet == 0 && p.from == p.to {
			p.on, p.left, p.right = false, dsp.SVFStates{}, dsp.SVFStates{}
		}
	}
	f.start, f.end, f.ramping = frame, next, !done
	if done {
		f.Low.startsMidSound = false
	}
}

// ClearIfStale sets the states of both stages to 0 if f.stale is true, and clears f.stale. A low-pass then no longer
// begins with the present sample as its state. f.stale means that the voice was silent or skipped, so that the states
// have missed samples.
func (f *Filter) ClearIfStale() {
	if f.stale {
		f.stale = false
		for _, p := range [...]*Stage{&f.High, &f.Low} {
			p.startsMidSound, p.left, p.right = false, dsp.SVFStates{}, dsp.SVFStates{}
		}
	}
}

// nextPiece returns how many of the n frames from frame of the mix on can be filtered at once. A piece ends at the end
// of the present coefficient ramp and at multiples of Piece. If no ramp covers frame although the cutoffs move,
// nextPiece begins the next ramp first.
func (f *Filter) nextPiece(n, frame int64) int64 {
	if f.ramping && (frame >= f.end || frame < f.start) {
		f.beginRamp(frame)
	}
	if f.ramping {
		n = min(n, f.end-frame)
	}
	return min(n, Piece-frame%Piece)
}

// flushTinyStates sets states below silentState to 0, so that they never become denormal. It acts only if frame, a
// frame number of the mix, is a multiple of Piece.
func (f *Filter) flushTinyStates(frame int64) {
	if frame%Piece == 0 {
		for _, p := range [...]*Stage{&f.High, &f.Low} {
			p.left.FlushTiny(silentState)
			p.right.FlushTiny(silentState)
		}
	}
}

// Mono filters src into dst with the high-pass and the low-pass that are on, and advances their left states. src has
// one channel and begins at frame of the mix. dst must be at least as long as src and may be the same slice.
// Coefficient ramps advance, too.
func (f *Filter) Mono(dst, src []float32, frame int64) {
	for len(src) > 0 {
		n := f.nextPiece(int64(len(src)), frame)
		x, y := src[:n], dst[:n]
		switch {
		case f.ramping:
			if f.High.on {
				f.High.rampMono(y, x, true, f.rampPosition(frame), f.rampStep())
				x = y
			}
			if f.Low.on {
				f.Low.rampMono(y, x, false, f.rampPosition(frame), f.rampStep())
				x = y
			}
		case f.High.on && f.Low.on:
			highLowMono(y, x, &f.High.to, &f.Low.to, &f.High.left, &f.Low.left)
			x = y
		case f.High.on:
			f.High.to.HighPass(y, x, &f.High.left)
			x = y
		case f.Low.on:
			f.Low.to.LowPass(y, x, &f.Low.left)
			x = y
		}
		if &x[0] != &y[0] { // the filter was just switched off
			copy(y, x)
		}
		dst, src, frame = dst[n:], src[n:], frame+n
		f.flushTinyStates(frame)
	}
}

// Stereo filters x in place with the high-pass and the low-pass that are on, and advances the states of both channels.
// x begins at frame of the mix. Coefficient ramps advance, too.
func (f *Filter) Stereo(x []pcm.Frame, frame int64) {
	for len(x) > 0 {
		n := f.nextPiece(int64(len(x)), frame)
		y := x[:n]
		if f.High.on {
			if f.ramping {
				f.High.rampStereo(y, true, f.rampPosition(frame), f.rampStep())
			} else {
				highStereo(y, &f.High.to, &f.High.left, &f.High.right)
			}
		}
		if f.Low.on {
			if f.ramping {
				f.Low.rampStereo(y, false, f.rampPosition(frame), f.rampStep())
			} else {
				lowStereo(y, &f.Low.to, &f.Low.left, &f.Low.right)
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

// The low-pass of a voice has a second cutoff, of the spatial position; the lower cutoff is effective. If only the
// direct path of a voice to its bus is muffled, and not its sends, a Filter of its own has this cutoff and filters the
// output of the voice.

// StartSpatial resets f for the direct path of a voice that starts. w has the sample rate and the spectrum bands at
// that rate. hz is the constant cutoff in Hz; 0 leaves the filter off.
func (f *Filter) StartSpatial(w *spectrum.Warped, hz float64) {
	f.Init(w, Values{})
	f.RampSpatial(0, hz, 0)
}

// Started reports whether the filter has been started.
func (f *Filter) Started() bool { return f.rate > 0 }

// RampSpatial moves the low-pass cutoff of the spatial position to hz; 0 switches it off. The move begins at frame of
// the mix and lasts the given number of frames; with 0 or less the change is immediate. If the low-pass was off, an
// immediate change switches it on without a fade. A gradual move to the present target has no effect, even while
// another move to it is under way. It returns false, without an effect, if there is no such cutoff to switch off.
func (f *Filter) RampSpatial(frame int64, hz float64, frames int64) bool {
	p := &f.Low
	if hz == 0 && !p.hasSpatial {
		return false
	}
	to := At(property.LowPass, hz, f.rate)
	if !p.hasSpatial {
		p.hasSpatial, p.spatial = true, Cutoff{Move: move.Constant(openLowPass(f.rate))}
	}
	off := hz == 0
	if frames <= 0 && !off && !p.on { // the filter starts together with the cutoff
		p.spatial = Cutoff{Move: move.Constant(to), wet: move.Constant(1)}
		p.on, p.startsMidSound, p.left, p.right = true, false, dsp.SVFStates{}, dsp.SVFStates{}
		p.to = p.coefficients(frame, f.rate)
		p.from = p.to
		return true
	}
	if p.spatial.To != to || off != (p.spatial.wet.To == 0) || frames <= 0 && p.spatial.End() > frame {
		f.rampCutoff(p, &p.spatial, frame, to, off, frames)
	}
	return true
}

// Apply filters x, the stereo output of a voice, in place and advances the filter states. x begins at frame of the mix.
// Each call must continue where the last one ended, except after MarkStale, which makes Apply clear the states first.
func (f *Filter) Apply(x []pcm.Frame, frame int64) {
	f.ClearIfStale()
	f.Stereo(x, frame)
}

// States are the states of a low-pass and of a high-pass, left and right. The zero States are silence.
type States [2][2]dsp.SVFStates

// States returns the states of the filter. Stale states count as silence.
func (f *Filter) States() (s States) {
	if !f.stale {
		s = States{{f.Low.left, f.Low.right}, {f.High.left, f.High.right}}
	}
	return s
}

// SetStates gives the stages that are on the states s, so that the signal has no step after another filter.
func (f *Filter) SetStates(s *States) {
	if f.Low.on {
		f.Low.left, f.Low.right = s[0][0], s[0][1]
	}
	if f.High.on {
		f.High.left, f.High.right = s[1][0], s[1][1]
	}
}

// Cutoffs has the cutoff of each filter, in the order of property.Filters.
type Cutoffs [property.NumFilters]Cutoff

// Cutoffs returns the present cutoffs, without the spatial one.
func (f *Filter) Cutoffs() (all Cutoffs) {
	for i, p := range f.stages() {
		all[i] = p.Cutoff
	}
	return all
}

// ContinueCutoffs gives a new filter the given cutoffs and switches all stages on. The cutoffs may have begun to move
// before. A stage that has exactly its cutoff already does not change.
func (f *Filter) ContinueCutoffs(all *Cutoffs) {
	for i, p := range f.stages() {
		if all[i] != p.Cutoff {
			p.Cutoff, p.on = all[i], true
			f.ramping, f.end = true, -1
		}
	}
}
