package eq

import (
	"math"

	"voicepool/pcm"
)

// maxFrequency limits cutoffs to this share of the rate.
const maxFrequency = 0.49

// shape is the analogue prototype of a band: (m0 (s² + k s + 1) + m1 s + m2) / (s² + k s + 1), where s is 1
// at the cutoff. g is the bilinear transform's tan(pi cutoff/rate).
type shape struct{ g, k, m0, m1, m2 float64 }

// flat reports whether the band passes its input unchanged.
func (s *shape) flat() bool { return s.m0 == 1 && s.m1 == 0 && s.m2 == 0 }

// shape returns the transfer function of the band at a rate in Hz: Bristow-Johnson's cookbook, in Simper's form.
func (b *Band) shape(rate int) shape {
	s := shape{g: pcm.TanPi(min(b.Freq/float64(rate), maxFrequency)), k: 1 / b.Q, m0: 1}
	a := pcm.Decibels(b.Gain / 2).Linear() // the square root of the gain
	switch b.Type {
	case LowShelf:
		s.g /= math.Sqrt(a)
		s.m1, s.m2 = float64(s.k*(a-1)), float64(a*a)-1
	case Peak:
		s.k /= a
		s.m1 = float64(s.k * (float64(a*a) - 1))
	case HighShelf:
		s.g = float64(s.g * math.Sqrt(a))
		s.m0 = float64(a * a)
		s.m1, s.m2 = float64(float64(s.k*(1-a))*a), 1-s.m0
	case LowPass:
		s.m0, s.m2 = 0, 1
	case HighPass:
		s.m1, s.m2 = -s.k, -1
	case Notch:
		s.m1 = -s.k
	}
	return s
}

// power returns the squared magnitude of the shape at the frequency with tan(pi frequency/rate) = w.
func (s *shape) power(w float64) float64 {
	w /= s.g
	w2 := float64(w * w)
	re, im := s.m0+s.m2-float64(s.m0*w2), float64((float64(s.m0*s.k)+s.m1)*w)
	down, aside := 1-w2, float64(s.k*w)
	return (float64(re*re) + float64(im*im)) / (float64(down*down) + float64(aside*aside))
}

// Indices of a band's coefficients, see step. The error e is the input minus the second state.
const (
	bandFeedback = iota // factor of the first state in its next value
	coupling            // factor of e in the first state, and of the first state in the second
	lowInput            // factor of e in the second state
	direct              // factor of the input in the output: the gain at 0 Hz
	first               // factor of the first state in the output
	second              // factor of e in the output
	count
)

type coefficients [count]float64

// coefficients returns the trapezoidal state-variable filter of the shape. Its a1, a2 and a3 are Simper's;
// the states are his ic1eq and ic2eq.
func (s *shape) coefficients() coefficients {
	a1 := 1 / (1 + float64(s.g*(s.g+s.k)))
	a2 := float64(s.g * a1)
	a3 := float64(s.g * a2)
	rest := float64((1 + float64(s.g*s.k)) * a1) // 1 - a3, without cancellation
	return coefficients{
		bandFeedback: float64(2*a1) - 1,
		coupling:     2 * a2,
		lowInput:     2 * a3,
		direct:       s.m0 + s.m2,
		first:        float64(s.m1*a1) + float64(s.m2*a2),
		second:       float64(s.m1*a2) - float64(s.m2*rest),
	}
}

// passing returns coefficients with the same state updates whose output is the input.
func (c coefficients) passing() coefficients {
	c[direct], c[first], c[second] = 1, 0, 0
	return c
}

// passes reports whether the output is the input for all states.
func (c *coefficients) passes() bool { return c[direct] == 1 && c[first] == 0 && c[second] == 0 }
