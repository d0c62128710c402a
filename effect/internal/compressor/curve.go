package compressor

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// curve is the static curve: the reduction for a level. Levels are in octaves, binary logarithms of an
// amplitude, of 6.02 dB each.
//
// It is equation 4 of Giannoulis, Massberg and Reiss without its three cases. Let d be the level above the
// threshold, w the width of the knee, and c the value of d + w/2 clamped to 0..w. The reduction is slope
// (c^2/(2w) + max(d - w/2, 0)).
type curve struct {
	dsp.Knee
	quiet float32 // amplitudes up to this have no reduction; negative while the curve moves
}

// newCurve returns a curve with the threshold and the width of the knee in octaves of amplitude. slope is the
// reduction per octave above the knee, 1 - 1/ratio.
func newCurve(threshold, width, slope float64) curve {
	c := curve{dsp.Knee{Begin: float32(threshold - float64(width/2)), Width: float32(width), Slope: float32(slope)}, -1}
	if c.Width > 0 {
		c.Bend = 0.5 / c.Width
	}
	return c
}

// computeQuiet computes quiet, the amplitude up to which the reduction is 0. The error of the logarithm is less than
// 3e-5, so a thousandth is a wide margin.
func (c *curve) computeQuiet() { c.quiet = float32(pcm.Exp2(float64(c.Begin)) * (1 - 0x1p-10)) }
