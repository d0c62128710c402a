package compressor

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// curve is the static curve: how far a level is to be lowered. Levels are in octaves, binary
// logarithms of an amplitude, of 6.02 dB each.
//
// It is equation 4 of Giannoulis, Massberg and Reiss without its three cases. With the way d
// above the threshold and the knee's width w, c is d + w/2 held within 0..w, and the reduction
// is slope (c^2/(2w) + max(d - w/2, 0)).
type curve struct {
	dsp.Knee
	quiet float32 // amplitudes up to this are surely not lowered; negative while it moves
}

// newCurve takes the threshold and the width of the knee in octaves.
func newCurve(threshold, width, slope float64) curve {
	c := curve{dsp.Knee{Begin: float32(threshold - float64(width/2)), Width: float32(width), Slope: float32(slope)}, -1}
	if c.Width > 0 {
		c.Bend = 0.5 / c.Width
	}
	return c
}

// hush finds the amplitude up to which nothing is lowered. The logarithm is off by less than
// 3e-5, so a thousandth is a wide margin.
func (c *curve) hush() { c.quiet = float32(pcm.Exp2(float64(c.Begin)) * (1 - 0x1p-10)) }
