package voice

import "voicepool/pcm"

// ActingLowPass returns the cutoff of the low-pass that acts at a frame, in Hz, and the one to which it
// is on its way: the lower one of the voice's own and that of its place; 0: off.
func (v *Voice) ActingLowPass(frame int64) (is, goes float64) {
	if v.filter == nil {
		return 0, 0
	}
	hz := func(at, heard float64) float64 {
		if heard == 0 {
			return 0
		}
		return pcm.Exp2(at)
	}
	return hz(v.filter.low.acts(frame)), hz(v.filter.low.goes())
}
