// Package acoustics measures the impulse responses of rooms.
package acoustics

import (
	"math"
	"slices"

	"voicepool/internal/fourier"
)

// section is a filter of two poles and two zeros, by Bristow-Johnson's cookbook.
type section struct{ b0, b1, a1, a2, x1, x2, y1, y2 float64 }

// newSection returns a filter section of two poles without history: a low-pass, or a high-pass if high is true, with
// a corner in Hz, the quality factor q and a rate in Hz.
func newSection(corner, q float64, high bool, rate int) section {
	w := 2 * math.Pi * corner / float64(rate)
	alpha, c := math.Sin(w)/(2*q), math.Cos(w)
	b0, b1 := (1-c)/2, 1-c
	if high {
		b0, b1 = (1+c)/2, -(1 + c)
	}
	a0 := 1 + alpha
	return section{b0: b0 / a0, b1: b1 / a0, a1: -2 * c / a0, a2: (1 - alpha) / a0}
}

// next filters one sample.
func (s *section) next(x float64) float64 {
	y := s.b0*(x+s.x2) + s.b1*s.x1 - s.a1*s.y1 - s.a2*s.y2
	s.x2, s.x1, s.y2, s.y1 = s.x1, x, s.y1, y
	return y
}

// Octave returns x after a zero-phase band-pass of one octave around a frequency in Hz: four poles in each direction.
// rate is in Hz.
func Octave(x []float64, hertz float64, rate int) []float64 {
	out := slices.Clone(x)
	filterOctave(out, hertz, rate)
	return out
}

// filterOctave replaces x with its Octave.
func filterOctave(x []float64, hertz float64, rate int) {
	for range 2 {
		// All four sections run in one loop, so that the processor computes them in parallel.
		a, b := newSection(hertz/math.Sqrt2, 0.5411961, true, rate), newSection(hertz/math.Sqrt2, 1.3065630, true, rate)
		c, d := newSection(hertz*math.Sqrt2, 0.5411961, false, rate), newSection(hertz*math.Sqrt2, 1.3065630, false, rate)
		for i, v := range x {
			x[i] = d.next(c.next(b.next(a.next(v))))
		}
		slices.Reverse(x)
	}
}

// Curve returns the decay of the octave around a frequency in Hz, in dB at each frame and 0 at the first one. It is
// averaged over responses, at least one, of equal length and a rate in Hz, by Schroeder's backward integration.
func Curve(responses [][]float64, hertz float64, rate int) []float64 {
	left := make([]float64, len(responses[0]))
	octave := make([]float64, len(left))
	for _, x := range responses {
		copy(octave, x)
		filterOctave(octave, hertz, rate)
		for i, y := range octave {
			left[i] += y * y
		}
	}
	sum := 0.0
	for i, e := range slices.Backward(left) {
		sum += e
		left[i] = sum
	}
	for i, e := range left {
		left[i] = 10 * math.Log10(e/sum)
	}
	return left
}

// Decay returns the reverberation time of an octave in seconds: the Slope of its Curve.
func Decay(responses [][]float64, hertz float64, rate int) float64 {
	return Slope(Curve(responses, hertz, rate), rate)
}

// Slope returns the time in seconds that a curve in dB takes to fall by 60 dB: a line through the curve from -5 to
// -35 dB, extrapolated.
func Slope(curve []float64, rate int) float64 {
	var n, st, sd, stt, std float64
	for i, db := range curve {
		if db > -5 || db < -35 {
			continue
		}
		t := float64(i) / float64(rate)
		n, st, sd, stt, std = n+1, st+t, sd+db, stt+t*t, std+t*db
	}
	return -60 / ((n*std - st*sd) / (n*stt - st*st))
}

// Density returns the normalised echo density of x at a frame: the share of samples beyond the standard deviation
// within 20 ms, relative to noise. It follows Abel and Huang, "A Simple, Robust Measure of Reverberation Echo
// Density", AES 121, 2006.
func Density(x []float64, at, rate int) float64 {
	half := rate / 100
	var power, weights float64
	window := func(i int) float64 { return 0.5 + 0.5*math.Cos(math.Pi*float64(i-at)/float64(half)) }
	for i := at - half; i <= at+half; i++ {
		power, weights = power+window(i)*x[i]*x[i], weights+window(i)
	}
	deviation, beyond := math.Sqrt(power/weights), 0.0
	for i := at - half; i <= at+half; i++ {
		if math.Abs(x[i]) > deviation {
			beyond += window(i)
		}
	}
	return beyond / weights / math.Erfc(1/math.Sqrt2)
}

// Dense returns the time in seconds from the first reflection until the response is as dense as noise: until
// its Density, computed each millisecond from 20 ms on, is 0.9. It returns +Inf if that never happens.
func Dense(x []float64, rate int) float64 {
	first := slices.IndexFunc(x, func(x float64) bool { return x != 0 })
	for at := first + rate/50; at < len(x)-rate/50; at += rate / 1000 {
		if Density(x, at, rate) >= 0.9 {
			return float64(at-first) / float64(rate)
		}
	}
	return math.Inf(1)
}

// Correlation returns the correlation of the two channels of a response, -1..1, at no delay. A silent channel gives
// NaN.
func Correlation(left, right []float64) float64 {
	var ll, rr, lr float64
	for i, l := range left {
		r := right[i]
		ll, rr, lr = ll+l*l, rr+r*r, lr+l*r
	}
	return lr / math.Sqrt(ll*rr)
}

// Window is the number of frames that Spectrum analyzes.
const Window = 1 << 15

// Spectrum returns the powers of Window/2 frequencies from 0 up to half the rate, computed from the first Window
// frames of x, or all frames if x is shorter.
func Spectrum(x []float64) []float64 {
	re := make([]complex128, Window)
	for i := range min(Window, len(x)) {
		re[i] = complex(x[i], 0)
	}
	fourier.New(Window).Apply(re)
	out := make([]float64, Window/2)
	for i := range out {
		out[i] = real(re[i])*real(re[i]) + imag(re[i])*imag(re[i])
	}
	return out
}

// Ringing returns how many dB the highest peak of the spectrum between 500 Hz and 4 kHz is above its mean,
// one second after the impulse. Metallic rooms have high values; noise has about 10 dB.
func Ringing(x []float64, rate int) float64 {
	s := Spectrum(x[rate:])
	most, sum := 0.0, 0.0
	from, to := 500*Window/rate, 4000*Window/rate
	for _, p := range s[from:to] {
		most, sum = max(most, p), sum+p
	}
	return 10 * math.Log10(most/(sum/float64(to-from)))
}
