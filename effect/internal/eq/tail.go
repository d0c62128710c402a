package eq

import (
	"math"

	"voicepool/pcm"
)

// inaudible is -90 dB.
const inaudible = 0x1p-15

// Tail returns an upper bound of the frames after the end of any input of peak 1 during which the output is
// above -90 dBFS. Control side.
//
// With the impulse response h, the output n frames after the end is at most the sum of |h(m)| over m >= n.
// That is at most r^n times the sum of |h(m)| r^-m, for any r between the largest pole and 1. For bands in
// series, such sums multiply.
func Tail(v *Values, rate int) int64 {
	var rings [Bands]tailBound
	n, largest := 0, 1e-3
	for i := range v.N {
		if v.Bands[i].Type == None {
			continue
		}
		if s := v.Bands[i].shape(rate); !s.flat() {
			rings[n] = newTailBound(&s)
			largest = max(largest, rings[n].pole)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	least, log := math.Inf(1), pcm.Log2(largest)
	for _, share := range [...]float64{0.98, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3} {
		r := pcm.Exp2(float64(share * log))
		bits := -pcm.Log2(inaudible)
		for i := range rings[:n] {
			bits += pcm.Log2(rings[i].sum(r))
		}
		least = min(least, bits/-float64(share*log))
	}
	return int64(math.Ceil(max(least, 0))) + 1
}

// tailBound bounds the impulse response of a band: its first sample, and then b0 and b1 over the poles. pole is
// the magnitude of the largest.
type tailBound struct {
	start, pole   float64
	b0            float64    // the second sample
	secondResidue float64    // |b0 p + b1|, for the first pole p
	poles         [2]float64 // their magnitudes
	parts         [2]float64 // magnitudes of their residues
}

// newTailBound returns the constants of the bound of |h(m)| for a shape. Its poles are the bilinear transforms of the
// prototype's.
func newTailBound(s *shape) tailBound {
	c := s.coefficients()
	one, two := float64(c[first]*c[coupling]), float64(c[second]*c[lowInput])
	b0, b1 := one-two, float64(two*c[bandFeedback])-one-float64(float64(c[second]*c[coupling])*c[coupling])
	h := tailBound{start: math.Abs(c[direct] + c[second]), b0: math.Abs(b0)}
	if s.k < 2 { // complex conjugate poles
		a, b := -float64(float64(s.g*s.k)/2), float64(s.g*math.Sqrt(1-float64(float64(s.k*s.k)/4)))
		square := float64(a*a) + float64(b*b)
		under := 1 - float64(2*a) + square
		re, im := (1-square)/under, 2*b/under
		h.pole = math.Sqrt((1 + float64(2*a) + square) / under)
		x, y := float64(b0*re)+b1, float64(b0*im)
		h.secondResidue = math.Sqrt(float64(x*x) + float64(y*y))
		h.poles = [2]float64{h.pole, h.pole}
		h.parts = [2]float64{h.secondResidue / (2 * im), h.secondResidue / (2 * im)}
		return h
	}
	fast := float64(s.k/2) + math.Sqrt(float64(float64(s.k*s.k)/4)-1)
	p, q := (1-s.g/fast)/(1+s.g/fast), (1-float64(s.g*fast))/(1+float64(s.g*fast))
	h.poles = [2]float64{math.Abs(p), math.Abs(q)}
	h.pole = max(h.poles[0], h.poles[1])
	h.secondResidue = math.Abs(float64(b0*p) + b1)
	h.parts = [2]float64{h.secondResidue / (p - q), math.Abs(float64(b0*q)+b1) / (p - q)}
	return h
}

// sum returns an upper bound of the sum of |h(m)| r^-m over all m; r must exceed both poles. It uses the better
// bound: a partial fraction of the two poles, or the poles in series, which is better if they are nearly equal.
func (h *tailBound) sum(r float64) float64 {
	p, q := r-h.poles[0], r-h.poles[1]
	apart := h.parts[0]/p + h.parts[1]/q
	row := h.b0/q + h.secondResidue/float64(p*q)
	if apart < row {
		return h.start + apart
	}
	return h.start + row
}
