package eq

import "voicepool/internal/dsp"

// pair is a left and a right number.
type pair = dsp.Pair

// step filters one sample with moving coefficients. The order of the operations is part of the result:
//
//	e   = x - s2
//	y   = (direct x + first s1) + second e
//	s1' = bandFeedback s1 + coupling e
//	s2' = (s2 + coupling s1) + lowInput e
//
// This is Simper's filter with its two halves multiplied out. At 0 Hz e and s1 are 0, so the output is
// exactly direct x. A filter with constant coefficients computes four frames at once, see dsp.StateVariable.
func step(c *coefficients, x, s1, s2 float64) (y, t1, t2 float64) {
	e := x - s2
	y = float64(c[direct]*x) + float64(c[first]*s1) + float64(c[second]*e)
	t1 = float64(c[bandFeedback]*s1) + float64(c[coupling]*e)
	t2 = s2 + float64(c[coupling]*s1) + float64(c[lowInput]*e)
	return y, t1, t2
}

// silentState is 400 dB below full scale. Smaller states are set to 0.
const silentState = 1e-20
