package drive

import "voicepool/pcm"

// The shaper is f(x) = b p(x a) with
//
//	p(u) = u - 4/3 u³ + 6/5 u⁵ - 4/7 u⁷ + 1/9 u⁹  for |u| <= 1, and p(±1) = ±128/315 beyond.
//
// Its slope is (1 - u²)⁴, so it has four derivatives without a jump: the harmonics of what clips fall
// soon, and little of them is beyond what oversampling holds. With a gain G, a is G/4 and b is
// 4 times the makeup. So full scale without gain lies 12 dB below where p is flat.
const (
	p3 = -4.0 / 3
	p5 = 6.0 / 5
	p7 = -4.0 / 7
	p9 = 1.0 / 9

	flat = 4 // the input from which on it is flat, with a gain of 1
)

// shape puts x through the shaper.
func shape(x []pcm.Frame, a, b float32) {
	for i := range x {
		v := &x[i]
		v[0], v[1] = shaped(v[0], a, b), shaped(v[1], a, b)
	}
}

// shapeMoving does so with an a and a b for each frame.
func shapeMoving(x []pcm.Frame, ab [][2]float32) {
	ab = ab[:len(x)]
	for i := range x {
		v, a, b := &x[i], ab[i][0], ab[i][1]
		v[0], v[1] = shaped(v[0], a, b), shaped(v[1], a, b)
	}
}

// shaped is f.
func shaped(x, a, b float32) float32 {
	u := min(max(float32(x*a), -1), 1)
	s := float32(u * u)
	p := float32(s*p9) + p7
	p = float32(p*s) + p5
	p = float32(p*s) + p3
	p = float32(p*s) + 1
	return float32(float32(p*u) * b)
}
