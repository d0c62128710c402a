package reverb

import (
	"math"

	"voicepool/pcm"
)

// Where the shelves of a line have half of their decibels: so a decay in decibels a second is half way
// to that of Low at 200 Hz, and to that of High at 5 kHz. Two octaves beyond, less than 1 % is left.
const (
	lowCorner  = 200
	highCorner = 5000
)

// The numbers of a line: of its low shelf, of its high shelf, and the gain.
const (
	lowKeep = iota
	lowCouple
	lowFollow
	lowFirst
	lowSecond
	highKeep
	highCouple
	highFollow
	highFirst
	highSecond
	highDirect // the gain of all of it, too
	perLane
)

// absorption is what each line loses at its end, in two shelves: trapezoidal state-variable filters,
// which are stable while they move (Simper, "Linear trapezoidal integrated state variable filter").
type absorption struct {
	c [perLane][lanes]float32
	s [4][lanes]float32 // their states
}

// take has numbers act, of one line after the other.
func (a *absorption) take(x []float64) {
	for lane := range lanes {
		for i := range a.c {
			a.c[i][lane] = float32(x[lane*perLane+i])
		}
	}
}

func (a *absorption) clear() { a.s = [4][lanes]float32{} }

// settle drops what is too quiet in the states, or they would become denormal.
func (a *absorption) settle() {
	for i := range a.s {
		for j, x := range a.s[i] {
			if x < quiet*1e-5 && x > -quiet*1e-5 {
				a.s[i][j] = 0
			}
		}
	}
}

// filter filters the ends of all lines.
func (a *absorption) filter(y *[lanes]float32) {
	c, s := &a.c, &a.s
	for i := range y {
		x := y[i]
		d := x - s[1][i]
		v := float32(c[lowKeep][i]*s[0][i]) + float32(c[lowCouple][i]*d)
		w := s[1][i] + (float32(c[lowCouple][i]*s[0][i]) + float32(c[lowFollow][i]*d))
		s[0][i], s[1][i] = float32(2*v)-s[0][i], float32(2*w)-s[1][i]
		x += float32(c[lowFirst][i]*v) + float32(c[lowSecond][i]*w)
		d = x - s[3][i]
		v = float32(c[highKeep][i]*s[2][i]) + float32(c[highCouple][i]*d)
		w = s[3][i] + (float32(c[highCouple][i]*s[2][i]) + float32(c[highFollow][i]*d))
		s[2][i], s[3][i] = float32(2*v)-s[2][i], float32(2*w)-s[3][i]
		y[i] = float32(c[highDirect][i]*x) + (float32(c[highFirst][i]*v) + float32(c[highSecond][i]*w))
	}
}

// shelf is a shelf of the cookbook: m0 + m1, m2 of the filter with g and k.
type shelf struct{ g, k, m0, m1, m2 float64 }

// newShelf returns a shelf of a gain in dB at a share of the rate.
func newShelf(high bool, corner float64, gain float64) shelf {
	a := pcm.Decibels(gain / 2).Linear()
	s := shelf{g: pcm.TanPi(min(corner, 0.49)), k: math.Sqrt2, m0: 1}
	if high {
		s.g = float64(s.g * math.Sqrt(a))
		s.m0 = float64(a * a)
		s.m1, s.m2 = float64(float64(s.k*(1-a))*a), 1-s.m0
		return s
	}
	s.g /= math.Sqrt(a)
	s.m1, s.m2 = float64(s.k*(a-1)), float64(a*a)-1
	return s
}

// power returns the squared magnitude at a share of the rate.
func (s *shelf) power(share float64) float64 {
	w := pcm.TanPi(min(share, 0.499)) / s.g
	w2 := float64(w * w)
	re, im := s.m0+s.m2-float64(s.m0*w2), float64((float64(s.m0*s.k)+s.m1)*w)
	down, aside := 1-w2, float64(s.k*w)
	return (float64(re*re) + float64(im*im)) / (float64(down*down) + float64(aside*aside))
}

// put writes the numbers of the shelf at work: how much its states keep, and what is heard of them.
func (s *shelf) put(x []float64, gain float64) {
	keep := 1 / (1 + float64(s.g*(s.g+s.k)))
	x[0], x[1] = keep, float64(s.g*keep)
	x[2] = float64(s.g * x[1])
	x[3], x[4] = float64(s.m1*gain), float64(s.m2*gain)
}
