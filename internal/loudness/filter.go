// Package loudness implements loudness measurement after ITU-R BS.1770-4 and EBU R 128: the K filter,
// integrated loudness in LUFS, and true peak.
//
// All results are functions of the samples alone, with the same bits on every machine. Only constructors
// allocate, so either side may measure.
package loudness

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// MinWeightedRate is the rate in Hz below which the K filter changes no sample: its shelf would be beyond the
// Nyquist frequency.
const MinWeightedRate = 8000

// biquad holds the coefficients of a second-order filter, a0 = 1.
type biquad struct {
	b0, b1, b2, a1, a2 float64
}

// Filter is the K filter for one channel: a shelf that models the head, then a high-pass. A copy continues
// independently from the same state.
type Filter struct {
	shelf, high    biquad
	s1, s2, h1, h2 float64 // states of both filters
}

// NewFilter returns a filter with cleared states for a rate in Hz.
func NewFilter(rate int) Filter {
	switch {
	case rate < MinWeightedRate:
		return Filter{shelf: biquad{b0: 1}, high: biquad{b0: 1}}
	case rate == 48000: // the exact coefficients of the standard
		return Filter{
			shelf: biquad{1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585},
			high:  biquad{1, -2, 1, -1.99004745483398, 0.99007225036621},
		}
	}
	return Filter{shelf: shelf(rate), high: highPass(rate)}
}

// shelf returns the first filter of the standard for a rate in Hz: +4 dB from 1,682 Hz up.
func shelf(rate int) biquad {
	const (
		frequency = 1681.974450955533
		q         = 0.7071752369554196
		gain      = pcm.Decibels(3.999843853973347)
	)
	k := tangent(frequency, rate)
	kk, kq := float64(k*k), k/q
	high := gain.Linear()
	middle := pcm.Exp2(float64(0.4996667741545416 * pcm.Log2(high)))
	a0 := 1 + kq + kk
	return biquad{
		(high + float64(middle*kq) + kk) / a0, 2 * (kk - high) / a0, (high - float64(middle*kq) + kk) / a0,
		2 * (kk - 1) / a0, (1 - kq + kk) / a0,
	}
}

// highPass returns the second filter for a rate in Hz, which attenuates below 38 Hz. Its numerator is the standard's,
// as in other implementations, so it gains 0.2 dB at 8 kHz.
func highPass(rate int) biquad {
	const (
		frequency = 38.13547087602444
		q         = 0.5003270373238773
	)
	k := tangent(frequency, rate)
	kk, kq := float64(k*k), k/q
	a0 := 1 + kq + kk
	return biquad{1, -2, 1, 2 * (kk - 1) / a0, (1 - kq + kk) / a0}
}

// tangent returns the tangent of half the angle of one frame at a frequency. The frequency and the rate are in Hz.
func tangent(frequency float64, rate int) float64 {
	x := frequency / float64(rate)
	return pcm.SinPi(x) / pcm.CosPi(x)
}

// Next filters one sample and returns the result.
func (f *Filter) Next(x float64) float64 {
	c := &f.shelf
	y := float64(c.b0*x) + f.s1
	f.s1 = float64(c.b1*x) - float64(c.a1*y) + f.s2
	f.s2 = float64(c.b2*x) - float64(c.a2*y)
	c = &f.high
	z := float64(c.b0*y) + f.h1
	f.h1 = float64(c.b1*y) - float64(c.a1*z) + f.h2
	f.h2 = float64(c.b2*y) - float64(c.a2*z)
	return z
}

// Energy returns sum plus the squares of the filtered samples, added in the order of the samples. They are
// interleaved, with one channel per filter.
func Energy(filters []Filter, samples []float32, sum float64) float64 {
	switch len(filters) {
	case 1:
		return energy1(&filters[0], samples, sum)
	case 2:
		return energy2(&filters[0], &filters[1], samples, sum)
	}
	for channels := len(filters); len(samples) >= channels; samples = samples[channels:] {
		for c := range filters {
			y := filters[c].Next(float64(samples[c]))
			sum += float64(y * y)
		}
	}
	return sum
}

// energy1 is Energy for one filter, with all states in registers.
func energy1(f *Filter, samples []float32, sum float64) float64 {
	a, b := f.shelf, f.high
	s1, s2, h1, h2 := f.s1, f.s2, f.h1, f.h2
	for _, x := range samples {
		x := float64(x)
		y := float64(a.b0*x) + s1
		s1 = float64(a.b1*x) - float64(a.a1*y) + s2
		s2 = float64(a.b2*x) - float64(a.a2*y)
		z := float64(b.b0*y) + h1
		h1 = float64(b.b1*y) - float64(b.a1*z) + h2
		h2 = float64(b.b2*y) - float64(b.a2*z)
		sum += float64(z * z)
	}
	f.s1, f.s2, f.h1, f.h2 = s1, s2, h1, h2
	return sum
}

// energy2 is Energy for two filters.
func energy2(left, right *Filter, samples []float32, sum float64) float64 {
	b := both(left, right)
	sum = b.Energy(samples, sum)
	for c, f := range [...]*Filter{left, right} {
		f.s1, f.s2, f.h1, f.h2 = b.State[0][c], b.State[1][c], b.State[2][c], b.State[3][c]
	}
	return sum
}

// both combines two filters into one of two channels.
func both(left, right *Filter) (b dsp.Biquads) {
	for c, f := range [...]*Filter{left, right} {
		for i, q := range [...]biquad{f.shelf, f.high} {
			for k, x := range [...]float64{q.b0, q.b1, q.b2, q.a1, q.a2} {
				b.Taps[5*i+k][c] = x
			}
		}
		for i, x := range [...]float64{f.s1, f.s2, f.h1, f.h2} {
			b.State[i][c] = x
		}
	}
	return b
}

// least is the magnitude below which states are cleared: -400 dB.
const least = 1e-20

// FlushTiny clears states below -400 dB before they become denormal and slow. Call it from time to time, at frames
// that do not depend on the block length.
func (f *Filter) FlushTiny() {
	for _, s := range [...]*float64{&f.s1, &f.s2, &f.h1, &f.h2} {
		if *s < least && *s > -least {
			*s = 0
		}
	}
}
