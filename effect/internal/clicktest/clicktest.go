// Package clicktest detects clicks in tests of effects: energy above 2 kHz in the response to a low tone.
package clicktest

import "math"

// PeakAbove2kHz returns the largest magnitude above 2 kHz (1: full scale) of x from index from on. rate is in Hz. The
// filter is a Butterworth high-pass of 8 poles, as four sections of the bilinear transform. x is not changed.
func PeakAbove2kHz(x []float64, rate, from int) (peak float64) {
	y := append([]float64(nil), x...)
	w := math.Tan(math.Pi * 2000 / float64(rate))
	for k := range 4 {
		q := 1 / (2 * math.Cos(math.Pi*(2*float64(k)+1)/16))
		a := 1 / (1 + w/q + w*w)
		var s1, s2 float64
		for i, v := range y {
			y[i] = a*v + s1
			s1, s2 = -2*a*v-2*(w*w-1)*a*y[i]+s2, a*v-(1-w/q+w*w)*a*y[i]
		}
	}
	for _, v := range y[from:] {
		peak = max(peak, math.Abs(v))
	}
	return peak
}
