package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// A bus has a Filter, too, for all that it gives: the stereo one of voices. It looks at the states at
// multiples of filterPiece of the mix, whatever has been silent before.

// Begin makes f the filter of a bus, with the cutoffs in Hz; 0: off.
func (f *Filter) Begin(rate int, lowPass, highPass float64) {
	f.begin(rate, lowPass, highPass)
	f.warped = spectrum.Warp(rate)
}

// Passes multiplies gains by what the filter of a bus lets through, as those of a voice do, and reports
// whether that still moves.
func (f *Filter) Passes(frame int64, gains *[SpectrumBands]float64) (moves bool) {
	f.passes(frame, f.warped, (*spectrum.Gains)(gains))
	return !f.settled(frame)
}

// TurnLowPass moves the cutoff of the low-pass of a bus, straight in its logarithm; hz 0 is off.
func (f *Filter) TurnLowPass(frame int64, hz float64, frames int64) {
	f.turn(&f.low, &f.low.Cutoff, frame, LowPassAt(hz, f.rate), hz == 0, frames)
}

// TurnHighPass is TurnLowPass for the high-pass.
func (f *Filter) TurnHighPass(frame int64, hz float64, frames int64) {
	f.turn(&f.high, &f.high.Cutoff, frame, HighPassAt(hz, f.rate), hz == 0, frames)
}

// Works reports whether the filter changes anything, or a cutoff is on its way.
func (f *Filter) Works() bool { return f.low.on || f.high.on || f.moves }

// Moves reports whether a cutoff is on its way.
func (f *Filter) Moves() bool { return f.moves }

// Rings reports whether silence in gives something else out.
func (f *Filter) Rings() bool {
	for _, p := range [...]*pass{&f.high, &f.low} {
		if p.left != (dsp.PoleStates{}) || p.right != (dsp.PoleStates{}) {
			return true
		}
	}
	return false
}

// brokenState is what no state exceeds: beyond it something is no sound.
const brokenState = 1e15

// Process takes a block of a bus through the filter, in place. frame is that of its first frame: blocks
// follow each other, or what lies between them is passed by Skip, but for what is silent while nothing
// moves or rings. It reports whether what came was sound; if not, the filter begins anew from rest.
func (f *Filter) Process(block []pcm.Frame, frame int64) (ok bool) {
	f.stereo(block, frame)
	ok = true
	for _, p := range [...]*pass{&f.high, &f.low} {
		for _, s := range [...]*dsp.PoleStates{&p.left, &p.right} {
			band, low := math.Abs(float64(s.Band)), math.Abs(float64(s.Low))
			ok = ok && band <= brokenState && low <= brokenState // false for NaN
		}
	}
	if !ok {
		f.high.left, f.high.right, f.low.left, f.low.right = dsp.PoleStates{}, dsp.PoleStates{}, dsp.PoleStates{}, dsp.PoleStates{}
	}
	return ok
}

// Skip is Process for n silent frames into a filter that does not ring.
func (f *Filter) Skip(n, frame int64) {
	if last := (frame + n - 1) / lineGrid * lineGrid; f.moves && last > frame { // no earlier line leaves a trace
		n, frame = frame+n-last, last
	}
	for n > 0 && f.moves {
		k := f.next(n, frame)
		f.high.fresh, f.low.fresh = false, false
		n, frame = n-k, frame+k
	}
}

// Tail returns for how many frames the filter rings at most, louder than -90 dBFS, after an input of
// full scale: where its cutoffs are at a frame, or on their way from there.
func (f *Filter) Tail(frame int64) (frames int64) {
	for _, p := range [...]*pass{&f.high, &f.low} {
		if p.on {
			frames += tailAt(min(p.At(frame), p.To), f.rate)
		}
	}
	return frames
}

// FilterTail is Tail for one filter whose cutoff, in Hz, rests.
func FilterTail(hz float64, rate int) int64 { return tailAt(pcm.Log2(hz), rate) }

// tailAt is the Tail of one filter at the logarithm of a cutoff. Its poles are (1+s)/(1-s) for s of
// g (-1 +- i) / sqrt 2, and what is left at the end of an input is at most four times as large: the sum
// of the magnitudes of either state's response is less than two.
func tailAt(cutoff float64, rate int) int64 {
	a := pcm.TanPi(min(pcm.Exp2(cutoff)/float64(rate), highestCutoff)) / math.Sqrt2
	square := float64(a * a)
	pole := (float64((1-a)*(1-a)) + square) / (float64((1+a)*(1+a)) + square)
	return int64(math.Ceil(2*17/-pcm.Log2(pole))) + 1 // 17 bits are 4 over -90 dB
}
