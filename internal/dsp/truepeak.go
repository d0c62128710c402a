package dsp

import (
	"math"

	"voicepool/pcm"
)

// Lengths of interpolators, in frames.
const (
	QuarterTaps = 32
	EighthTaps  = 64
)

// Interpolator fills taps, whose length is even. The sum of the products of taps and samples is the signal at
// a fraction of a frame, between 0 and 1, after sample len(taps)/2-1. The taps are a sinc under a squared
// cosine window.
func Interpolator(taps []float64, fraction float64) {
	interpolate(taps, fraction, func(cosine float64) float64 { return cosine * cosine })
}

// FineInterpolator is Interpolator with the square root of a cosine window. With 64 taps it loses 1.5 dB at
// 0.98 of the Nyquist frequency, where a squared cosine loses 4.5 dB. In return it has a ripple of 0.08 dB up
// to 0.8 of the Nyquist frequency.
func FineInterpolator(taps []float64, fraction float64) { interpolate(taps, fraction, math.Sqrt) }

// interpolate fills taps with a sinc around a fraction of a frame, scaled to the sum 1. window returns the
// factor of a tap from a cosine, 1 in the middle.
func interpolate(taps []float64, fraction float64, window func(cosine float64) float64) {
	sum := 0.0
	for i := range taps {
		x := float64(i-len(taps)/2+1) - fraction
		w := pcm.CosPi(x / float64(len(taps)+1))
		taps[i] = float64(pcm.SinPi(x) / float64(x*math.Pi) * window(w))
		sum += taps[i]
	}
	for i := range taps {
		taps[i] /= sum
	}
}

// mirrored holds the taps for two positions at equal distances from the middle between two frames, as half
// their sum and half their difference. Their taps mirror each other, so the first half is enough. For the
// middle itself sum holds the taps.
type mirrored struct{ sum, difference [EighthTaps / 2]float64 }

// quarter is for the positions 1/4 and 3/4 with the shorter taps; eighth is for 1/8 and 7/8, 2/8 and 6/8, 3/8
// and 5/8 with the longer ones.
var (
	quarterMiddle = mirror(QuarterTaps, 0.5, Interpolator).sum
	quarter       = mirror(QuarterTaps, 0.25, Interpolator)
	eighthMiddle  = mirror(EighthTaps, 0.5, FineInterpolator).sum
	eighth        = [...]mirrored{
		mirror(EighthTaps, 0.125, FineInterpolator),
		mirror(EighthTaps, 0.25, FineInterpolator),
		mirror(EighthTaps, 0.375, FineInterpolator),
	}
)

// mirror returns the taps for a fraction and for 1 - fraction, of an interpolator with length taps.
func mirror(length int, fraction float64, fill func([]float64, float64)) (m mirrored) {
	var taps [EighthTaps]float64
	fill(taps[:length], fraction)
	for k := range length / 2 {
		a, b := taps[k], taps[length-1-k]
		m.sum[k], m.difference[k] = (a+b)/2, (a-b)/2
	}
	return m
}

// TruePeakBound is an upper bound of the results of TruePeaks for samples within -1..+1: the largest sum of
// the magnitudes of the taps.
var TruePeakBound = bound()

// bound returns the value of TruePeakBound.
func bound() (largest float64) {
	for _, fraction := range []float64{0.25, 0.5} {
		var taps [QuarterTaps]float64
		Interpolator(taps[:], fraction)
		sum := 0.0
		for _, x := range taps {
			sum += math.Abs(x)
		}
		largest = max(largest, sum)
	}
	return float64(largest * (1 + 0x1p-40)) // for the rounding errors of the sums
}

// TruePeaks sets dst[i] to the largest magnitude of both channels from src[i+15] to src[i+16], both included,
// with four-fold oversampling. It follows ITU-R BS.1770-4, annex 2, with fewer taps. len(src) >= len(dst)+31;
// samples are finite.
func TruePeaks(dst []float64, src []pcm.Frame) {
	if n := len(dst) &^ 3; n > 0 && level != generic {
		src = src[:len(dst)+QuarterTaps-1]
		truePeaks(&dst[0], &src[0][0], n, &quarterRows[0][0][0])
		dst, src = dst[n:], src[n:]
	}
	const run, before = 64, QuarterTaps/2 - 1
	var x [2][run + QuarterTaps - 1]float64
	for len(dst) > 0 {
		n := min(len(dst), run)
		for i, f := range src[:n+QuarterTaps-1] {
			x[0][i], x[1][i] = float64(f[0]), float64(f[1])
		}
		for i := range dst[:n] {
			peak := 0.0
			for c := range x {
				window := (*[QuarterTaps]float64)(x[c][i:])
				q1, q2, q3 := quarters(window)
				peak = larger(larger(peak, window[before]), window[before+1])
				peak = larger(larger(larger(peak, q1), q2), q3)
			}
			dst[i] = peak
		}
		dst, src = dst[n:], src[n:]
	}
}

// quarters returns the values at 1/4, 2/4 and 3/4 of the way between the two middle samples of x.
func quarters(x *[QuarterTaps]float64) (q1, q2, q3 float64) {
	var m0, m1, s0, s1, d0, d1 float64 // even and odd taps
	for k := 0; k < QuarterTaps/2; k += 2 {
		a, b := x[k], x[QuarterTaps-1-k]
		m0 += float64((a + b) * quarterMiddle[k])
		s0 += float64((a + b) * quarter.sum[k])
		d0 += float64((a - b) * quarter.difference[k])
		a, b = x[k+1], x[QuarterTaps-2-k]
		m1 += float64((a + b) * quarterMiddle[k+1])
		s1 += float64((a + b) * quarter.sum[k+1])
		d1 += float64((a - b) * quarter.difference[k+1])
	}
	s, d := s0+s1, d0+d1
	return s + d, m0 + m1, s - d
}

// FinePeak returns the largest magnitude of both channels at the seven positions between src[31] and src[32]
// of eight-fold oversampling. It uses FineInterpolator with twice the taps of TruePeaks. len(src) >= 64;
// samples are finite.
func FinePeak(src []pcm.Frame) float64 {
	src = src[:EighthTaps]
	if level != generic {
		return finePeak(&src[0][0], &eighthRows[0][0][0])
	}
	var x, y [2][EighthTaps / 2]float64 // sums and differences of mirrored frames
	for k := range EighthTaps / 2 {
		a, b := src[k], src[EighthTaps-1-k]
		x[0][k], x[1][k] = float64(a[0])+float64(b[0]), float64(a[1])+float64(b[1])
		y[0][k], y[1][k] = float64(a[0])-float64(b[0]), float64(a[1])-float64(b[1])
	}
	peak := 0.0
	for c := range x {
		peak = larger(peak, dot(&x[c], &eighthMiddle))
		for p := range eighth {
			s, d := dot(&x[c], &eighth[p].sum), dot(&y[c], &eighth[p].difference)
			peak = larger(larger(peak, s+d), s-d)
		}
	}
	return peak
}

// dot returns the sum of the products of x and taps, with four partial sums.
func dot(x, taps *[EighthTaps / 2]float64) float64 {
	var a, b, c, d float64
	for k := 0; k < len(x); k += 4 {
		a += float64(x[k] * taps[k])
		b += float64(x[k+1] * taps[k+1])
		c += float64(x[k+2] * taps[k+2])
		d += float64(x[k+3] * taps[k+3])
	}
	return (a + b) + (c + d)
}

// larger returns the larger of a peak and the magnitude of x.
func larger(peak, x float64) float64 {
	if x = math.Abs(x); x > peak {
		return x
	}
	return peak
}
