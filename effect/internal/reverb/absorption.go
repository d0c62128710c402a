package reverb

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Frequencies at which the shelves of a line have half of their gain in decibels. The decay rate in decibels
// per second is half way to the rate of Low at 200 Hz and to the rate of High at 5 kHz, and within 1 % of it
// two octaves further out.
const (
	lowCorner  = 200
	highCorner = 5000
)

// factorsPerLine is the number of values per line, in the order of the factors in dsp.Absorption.
const factorsPerLine = dsp.AbsorptionFactors

// absorption is the loss at the end of each line: two shelves as trapezoidal state-variable filters, which
// are stable while they move (Simper, "Linear trapezoidal integrated state variable filter").
type absorption struct{ dsp.Absorption }

// set sets the filter factors of all lines from x, which holds factorsPerLine numbers for each line.
func (a *absorption) set(x []float64) {
	for lane := range lineCount {
		for i := range a.Factors {
			a.Factors[i][lane] = float32(x[lane*factorsPerLine+i])
		}
	}
}

// clear makes the filters forget all past samples.
func (a *absorption) clear() { a.States = [4][lineCount]float32{} }

// shelf is a shelf filter of the cookbook, with the output weights m0 + m1, m2 for the filter with g and k.
type shelf struct{ g, k, m0, m1, m2 float64 }

// tangents are the frequencies after the bilinear transform at a rate.
type tangents struct {
	low, high float64 // the corners
	bands     [len(halfOctaves)]float64
}

// newTangents returns tan(pi f/rate) for the corner frequencies and the bands f, limited below half the rate, in Hz.
func newTangents(rate float64) (t tangents) {
	t.low, t.high = pcm.TanPi(min(lowCorner/rate, 0.49)), pcm.TanPi(min(highCorner/rate, 0.49))
	for i, h := range halfOctaves {
		t.bands[i] = pcm.TanPi(min(h.hertz/rate, 0.499))
	}
	return t
}

// newShelf returns a low or high shelf with a gain in dB. corner is the tangent of its corner frequency, see
// tangents.
func newShelf(high bool, corner float64, gain float64) shelf {
	a := pcm.Decibels(gain / 2).Linear()
	s := shelf{g: corner, k: math.Sqrt2, m0: 1}
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

// power returns the squared magnitude of the shelf at the frequency with the given tangent, as in tangents.
func (s *shelf) power(tangent float64) float64 {
	w := tangent / s.g
	w2 := float64(w * w)
	re, im := s.m0+s.m2-float64(s.m0*w2), float64((float64(s.m0*s.k)+s.m1)*w)
	down, aside := 1-w2, float64(s.k*w)
	return (float64(re*re) + float64(im*im)) / (float64(down*down) + float64(aside*aside))
}

// put writes the factors of the shelf for dsp.Absorption to x: how its states move, and their weights in the
// output, multiplied by gain.
func (s *shelf) put(x []float64, gain float64) {
	keep := 2 / (1 + float64(s.g*(s.g+s.k)))
	x[dsp.LowFeedback], x[dsp.LowCoupling] = keep-1, float64(s.g*keep)
	x[dsp.LowInput] = float64(s.g * x[dsp.LowCoupling])
	x[dsp.LowFirst], x[dsp.LowSecond] = float64(s.m1*gain)/2, float64(s.m2*gain)/2
}
