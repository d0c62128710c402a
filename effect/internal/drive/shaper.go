package drive

import (
	"math"

	"voicepool/pcm"
)

// The shaper is f(x) = b p(x a) with
//
//	p(u) = u - 4/3 u³ + 6/5 u⁵ - 4/7 u⁷ + 1/9 u⁹  for |u| <= 1, and p(±1) = ±128/315 beyond.
//
// Its slope is (1 - u²)⁴, so it has four derivatives without a jump: the harmonics of what clips fall
// soon, and little of them is beyond what oversampling holds. With a gain G, a is G/4 and b is
// 4 times the makeup. So full scale without gain lies 12 dB below where p is flat.
//
// A large gain passes the bend of p within a frame, and p looks like a hard clip. So what comes out is
// the mean of p over the straight way from the last u to this one, by the antiderivative of p: J. D.
// Parker, V. Zavalishin and E. Le Bivic, "Reducing the Aliasing of Nonlinear Waveshaping Using
// Continuous-Time Convolution" (DAFx 2016). Such a mean lowers most what folds back to low frequencies.
const (
	p3 = -4.0 / 3
	p5 = 6.0 / 5
	p7 = -4.0 / 7
	p9 = 1.0 / 9

	flat = 4           // the input from which on it is flat, with a gain of 1
	top  = 128.0 / 315 // p(1)

	a4  = -1.0 / 3 // of the antiderivative
	a6  = 1.0 / 5
	a8  = -1.0 / 14
	a10 = 1.0 / 90
)

// near is a step that is too short for a quotient of differences. The value in its middle differs from
// the mean by less than 1e-8.
const near = 0x1p-12

// straighten is how much of the curvature is taken away from each sample, so that the straight ways between
// them lower no frequency: with this the mean of a small signal, and what raises it afterwards, are
// flat within 0.01 dB up to a tenth of the rate.
const straighten = 0.0872

// shaper is the shaper for one side. It is 1.5 frames late.
type shaper struct {
	before, last float64 // the inputs
	u, area      float64 // of the end of the last step, and its antiderivative
}

// next returns the mean over the step to x.
func (s *shaper) next(x float32, a, b float64) float32 {
	in := float64(x)
	v := s.last + float64(straighten*((s.last-s.before)+(s.last-in)))
	s.before, s.last = s.last, in
	from, below := s.u, s.area
	s.u = float64(v * a)
	s.area = area(s.u)
	step := s.u - from
	if math.Abs(step) < near {
		return float32(float64(shaped((s.u+from)/2) * b))
	}
	return float32(float64((s.area - below) / step * b))
}

// area is the antiderivative of p.
func area(u float64) float64 {
	u = math.Abs(u)
	if u > 1 {
		return (0.5 + a4 + a6 + a8 + a10) + float64((u-1)*top)
	}
	s := float64(u * u)
	p := float64(s*a10) + a8
	p = float64(p*s) + a6
	p = float64(p*s) + a4
	p = float64(p*s) + 0.5
	return float64(p * s)
}

// shaped is p.
func shaped(u float64) float64 {
	u = min(max(u, -1), 1)
	s := float64(u * u)
	p := float64(s*p9) + p7
	p = float64(p*s) + p5
	p = float64(p*s) + p3
	return float64((float64(p*s) + 1) * u)
}

// shape puts x through the shapers of both sides.
func shape(s *[2]shaper, x []pcm.Frame, a, b float64) {
	l, r := s[0], s[1]
	for i := range x {
		v := &x[i]
		v[0], v[1] = l.next(v[0], a, b), r.next(v[1], a, b)
	}
	s[0], s[1] = l, r
}

// shapeMoving does so with an a and a b for each frame.
func shapeMoving(s *[2]shaper, x []pcm.Frame, ab [][2]float64) {
	ab = ab[:len(x)]
	for i := range x {
		v, a, b := &x[i], ab[i][0], ab[i][1]
		v[0], v[1] = s[0].next(v[0], a, b), s[1].next(v[1], a, b)
	}
}
