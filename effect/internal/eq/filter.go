package eq

import "voicepool/internal/dsp"

// pair is a number for the left and one for the right.
type pair = dsp.Pair

// step takes a sample through a filter that moves. The order of the operations is part of the result:
//
//	e   = x - s2
//	y   = (direct x + first s1) + second e
//	s1' = keep s1 + couple e
//	s2' = (s2 + couple s1) + follow e
//
// This is Simper's filter with its two halves multiplied out. At 0 Hz e and s1 are 0, so what
// reaches the output there is direct x, exactly. A filter that stands still does the same four
// frames at once, see dsp.StateVariable.
func step(c *coefficients, x, s1, s2 float64) (y, t1, t2 float64) {
	e := x - s2
	y = float64(c[direct]*x) + float64(c[first]*s1) + float64(c[second]*e)
	t1 = float64(c[keep]*s1) + float64(c[couple]*e)
	t2 = s2 + float64(c[couple]*s1) + float64(c[follow]*e)
	return y, t1, t2
}

// silent is 400 dB under full scale. A state below it is none.
const silent = 1e-20
