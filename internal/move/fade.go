package move

import (
	"voicepool/pcm"
	"voicepool/sounds"
)

// Fade is a fade-in or a fade-out. The zero value is a constant 1.
type Fade struct {
	Start, Frames int64
	ToSilence     bool
	Shape         sounds.Shape
	Level         float64 // initial factor of a fade-out, 0..1
}

// At returns the linear factor of the fade at frame of the mix, which must be the start of the fade or later. After its
// end the factor is 1 for a fade-in and 0 for a fade-out.
func (c *Fade) At(frame int64) float64 {
	switch {
	case frame-c.Start < c.Frames:
		return c.during(frame)
	case c.ToSilence:
		return 0
	}
	return 1
}

// during returns the factor of the fade at frame of the mix. The signal is multiplied by it; it is not in decibels.
// frame must lie within the fade: at its start or later, and before its end.
func (c *Fade) during(frame int64) float64 {
	t := frame - c.Start
	switch {
	case c.ToSilence && c.Shape == sounds.Natural:
		return float64(c.Level * (0.5 + float64(0.5*pcm.CosPi(float64(t)/float64(c.Frames)))))
	case c.ToSilence:
		return float64(c.Level * fadeFactor(c.Shape, float64(c.Frames-t)/float64(c.Frames)))
	}
	return fadeFactor(c.Shape, float64(t)/float64(c.Frames))
}

// fadeFactor returns the linear factor of a fade with the shape s. share is the share of the way from silence to full
// gain, 0..1. Natural counts as RaisedCosine.
func fadeFactor(s sounds.Shape, share float64) float64 {
	switch s {
	case sounds.Natural:
		s = sounds.RaisedCosine
	case sounds.InDecibels:
		return pcm.Decibels(float64(pcm.Silence) * (1 - share)).Gain()
	}
	return Progress(s, share)
}

// End returns the first frame after the fade: Start + Frames.
func (c *Fade) End() int64 { return c.Start + c.Frames }

// Progress returns how far the amplitude has moved from its smaller to its larger value, 0..1, along the shape s. t is
// the share of the move's time that has passed, 0..1. A move downwards is the mirror image. Shapes other than
// RaisedCosine and ConstantPower return t.
func Progress(s sounds.Shape, t float64) float64 {
	switch s {
	case sounds.RaisedCosine:
		return 0.5 - float64(0.5*pcm.CosPi(t))
	case sounds.ConstantPower:
		return pcm.SinPi(t / 2)
	}
	return t
}
