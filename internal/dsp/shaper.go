package dsp

import (
	"math"

	"voicepool/pcm"
)

// The curve of a Shaper is p(u) = u - 4/3 u³ + 6/5 u⁵ - 4/7 u⁷ + 1/9 u⁹ for |u| <= 1, and p(±1) = ±128/315
// beyond. Its slope is (1 - u²)⁴, so four derivatives are continuous. The harmonics of clipping therefore
// decay quickly, and only a small part of them exceeds the oversampled band.
const (
	p3 = -4.0 / 3
	p5 = 6.0 / 5
	p7 = -4.0 / 7
	p9 = 1.0 / 9

	crest = 128.0 / 315 // p(1)

	a4  = -1.0 / 3 // of the antiderivative
	a6  = 1.0 / 5
	a8  = -1.0 / 14
	a10 = 1.0 / 90

	areaOfOne = 0x1.39b39b39b39b4p-2 // of the antiderivative, with the rounding of area
)

// shortest is the smallest step for a quotient of differences. In a shorter step, the value in the middle
// differs from the mean by less than 1e-8.
const shortest = 0x1p-12

// straighten is the share of the curvature that is subtracted from each sample. It compensates the treble
// loss of linear interpolation between samples: the mean of a small signal, together with its later
// compensation, is flat within 0.01 dB up to a tenth of the rate.
const straighten = 0.0872

// Shaper is a smooth clipping curve for two channels. Its output is delayed by 1.5 frames: it is the mean of
// p along the line from the last input to the present one, computed with the antiderivative of p. For a large
// gain, p acts like a hard clip within one frame. The mean attenuates most the harmonics that would alias to
// low frequencies: J. D. Parker, V. Zavalishin and E. Le Bivic, "Reducing the Aliasing of Nonlinear
// Waveshaping Using Continuous-Time Convolution" (DAFx 2016).
type Shaper struct {
	before, last Pair // the last two inputs
	u, area      Pair // end of the last step, and the antiderivative there
}

// Shape shapes x in place, with the linear gain a before the curve and b after it.
func (s *Shaper) Shape(x []pcm.Frame, a, b float64) {
	if n := len(x) &^ 1; level != generic && n > 0 {
		means(&s.before[0], &x[0][0], n, a, b)
		x = x[n:]
	}
	for i := range x {
		s.next(&x[i], a, b)
	}
}

// ShapeMoving is Shape with an a and a b for each frame. len(ab) >= len(x).
func (s *Shaper) ShapeMoving(x []pcm.Frame, ab []Pair) {
	ab = ab[:len(x)]
	for i := range x {
		s.next(&x[i], ab[i][0], ab[i][1])
	}
}

// next shapes one frame in place and advances the state.
func (s *Shaper) next(x *pcm.Frame, a, b float64) {
	for c := range x {
		in, last, from, below := float64(x[c]), s.last[c], s.u[c], s.area[c]
		u := float64((last + float64(straighten*((last-s.before[c])+(last-in)))) * a)
		above := area(u)
		s.before[c], s.last[c], s.u[c], s.area[c] = last, in, u, above
		if step := u - from; math.Abs(step) < shortest {
			x[c] = float32(float64(Shaped((u+from)/2) * b))
		} else {
			x[c] = float32(float64((above - below) / step * b))
		}
	}
}

// area returns the antiderivative of the curve p at u, 0 at 0.
func area(u float64) float64 {
	u = math.Abs(u)
	if u > 1 {
		return areaOfOne + float64((u-1)*crest)
	}
	s := float64(u * u)
	p := float64(s*a10) + a8
	p = float64(p*s) + a6
	p = float64(p*s) + a4
	p = float64(p*s) + 0.5
	return float64(p * s)
}

// Shaped returns the curve p of a Shaper at u.
func Shaped(u float64) float64 {
	if u > 1 {
		u = 1
	} else if u < -1 {
		u = -1
	}
	s := float64(u * u)
	p := float64(s*p9) + p7
	p = float64(p*s) + p5
	p = float64(p*s) + p3
	return float64((float64(p*s) + 1) * u)
}
