package passfilter

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/property"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// A bus has a Filter, too: it filters the output of the bus in stereo. Its states are checked at multiples of
// Piece in frames of the mix, regardless of silence before.

// Start resets f for use as the filter of a bus. rate is the sample rate in Hz. lowPass and highPass are the constant
// cutoffs in Hz; 0 switches that filter off.
func (f *Filter) Start(rate int, lowPass, highPass float64) {
	f.Init(spectrum.Warp(rate), Values{lowPass, highPass})
}

// ApplyResponse multiplies g, a power gain for each spectrum band, by the responses of the low-pass and the high-pass
// that are on. In each band the response at frame of the mix or the final response counts, whichever is larger. A
// low-pass or high-pass does not change g while unfiltered signal is mixed in at frame, or if it will be off at the end
// of its move.
func (f *Filter) ApplyResponse(frame int64, g *spectrum.Gains) {
	if p := &f.Low; p.on {
		p.applyResponse(frame, g, f.warped, true)
	}
	if p := &f.High; p.on {
		p.applyResponse(frame, g, f.warped, false)
	}
}

// Settled reports whether the result of ApplyResponse is constant from frame of the mix on.
func (f *Filter) Settled(frame int64) bool { return f.Low.settled(frame) && f.High.settled(frame) }

// Ramp moves the cutoff of the filter id to hz, 20..20,000 Hz. The move begins at frame of the mix and lasts the given
// number of frames; with 0 or less the change is immediate. The move is linear in the logarithm of the cutoff. If hz is
// 0, the filter is off at the end of the move.
func (f *Filter) Ramp(id property.ID, frame int64, hz float64, frames int64) {
	p := f.stages()[id-property.LowPass]
	f.rampCutoff(p, &p.Cutoff, frame, At(id, hz, f.rate), hz == 0, frames)
}

// Active reports whether the low-pass or the high-pass is on or its cutoff moves. If it is false, Process does not
// change the block.
func (f *Filter) Active() bool { return f.Low.on || f.High.on || f.ramping }

// Ramping reports whether the coefficients have not yet reached the final cutoffs.
func (f *Filter) Ramping() bool { return f.ramping }

// HasTail reports whether the filter would still output sound if its input were silent now. This is so if any state of
// the low-pass or the high-pass is not 0.
func (f *Filter) HasTail() bool {
	for _, p := range [...]*Stage{&f.High, &f.Low} {
		if p.left != (dsp.SVFStates{}) || p.right != (dsp.SVFStates{}) {
			return true
		}
	}
	return false
}

// brokenState is above any state that valid samples can cause.
const brokenState = 1e15

// Process filters block, the stereo output of a bus, in place and advances the filter states. block begins at frame of
// the mix. ok is false if a filter state is then NaN or above 1e15 in magnitude. In this case the states are cleared,
// and block is invalid.
//
// Frames may be left out between two calls only while HasTail is false. If a cutoff moves during these frames, Skip
// must be called for them.
func (f *Filter) Process(block []pcm.Frame, frame int64) (ok bool) {
	f.Stereo(block, frame)
	ok = true
	for _, p := range [...]*Stage{&f.High, &f.Low} {
		for _, s := range [...]*dsp.SVFStates{&p.left, &p.right} {
			band, low := math.Abs(float64(s.Band)), math.Abs(float64(s.Low))
			ok = ok && band <= brokenState && low <= brokenState // false for NaN
		}
	}
	if !ok {
		f.High.left, f.High.right, f.Low.left, f.Low.right = dsp.SVFStates{}, dsp.SVFStates{}, dsp.SVFStates{}, dsp.SVFStates{}
	}
	return ok
}

// Skip advances the moves of the cutoffs over n frames that Process does not filter. The first of them is frame of the
// mix. HasTail must be false.
func (f *Filter) Skip(n, frame int64) {
	if last := (frame + n - 1) / coefficientGrid * coefficientGrid; f.ramping && last > frame { // earlier ramps have no effect
		n, frame = frame+n-last, last
	}
	for n > 0 && f.ramping {
		k := f.nextPiece(n, frame)
		f.High.startsMidSound, f.Low.startsMidSound = false, false
		n, frame = n-k, frame+k
	}
}

// Tail returns for how many frames at most the filter sounds after its input has ended. The input is a full-scale
// signal, and the tail ends when the output stays below -90 dBFS. For each filter that is on, the cutoff at frame of
// the mix or the final one counts, whichever is lower. The tails of low-pass and high-pass are added. Tail is 0 if both
// are off.
func (f *Filter) Tail(frame int64) (frames int64) {
	for _, p := range [...]*Stage{&f.High, &f.Low} {
		if p.on {
			frames += tailAt(min(p.At(frame), p.To), f.rate)
		}
	}
	return frames
}

// Tail returns for how many frames at most a low-pass or a high-pass sounds after its input has ended. The input
// is a full-scale signal, and the tail ends when the output stays below -90 dBFS. hz is the constant cutoff, above 0.
// rate is the sample rate in Hz.
func Tail(hz float64, rate int) int64 { return tailAt(pcm.Log2(hz), rate) }

// tailAt returns for how many frames at most one filter sounds after a full-scale input has ended, until it stays below
// -90 dBFS. cutoff is the binary logarithm of the cutoff in Hz. rate is the sample rate in Hz.
//
// The poles are (1+s)/(1-s) for s of g (-1 +- i) / sqrt 2. The state at the end of an input is at most four times the
// input: the sum of the magnitudes of either state's response is less than two.
func tailAt(cutoff float64, rate int) int64 {
	a := pcm.TanPi(min(pcm.Exp2(cutoff)/float64(rate), highestCutoff)) / math.Sqrt2
	square := float64(a * a)
	pole := (float64((1-a)*(1-a)) + square) / (float64((1+a)*(1+a)) + square)
	return int64(math.Ceil(2*17/-pcm.Log2(pole))) + 1 // 17 bits are 4 over -90 dB
}
