package voice

import "voicepool/pcm"

// ActingLowPass returns the effective low-pass cutoff at a frame and its target, in Hz, or 0 if off. It is the
// lower cutoff of the voice's and the position's.
func (v *Voice) ActingLowPass(frame int64) (now, target float64) {
	if v.filter == nil {
		return 0, 0
	}
	hz := func(at, heard float64) float64 {
		if heard == 0 {
			return 0
		}
		return pcm.Exp2(at)
	}
	low := &v.filter.passes.Low
	return hz(low.Now(frame)), hz(low.Targets())
}

// Gains returns the linear left and right factors of the voice at a frame.
func (v *Voice) Gains(frame int64) (left, right float64) { return v.gains(frame) }
