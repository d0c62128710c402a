// Package synth generates the embedded sounds: it has small building blocks (oscillators, envelopes, noise,
// filters, struck bodies, strings, a reverb) and one short recipe per sound. It runs when the sounds are
// generated, and when tests compare them with the embedded files, never in a game.
//
// All sounds have the same bits on every machine: synth uses exact functions from pcm and an integer random
// source, and converts every product before adding it.
package synth

import "voicepool/pcm"

// Rate is the sample rate of all sounds, in Hz.
const Rate = 48000

// Signal returns its next sample at each call. A Signal has state, so it serves one reader, once. Control
// signals (a frequency, a cutoff) have the same type as audio.
type Signal func() float64

// at returns a signal whose samples are all equal to value.
func at(value float64) Signal {
	return func() float64 { return value }
}

// byFrame returns a signal whose samples are value(0), value(1) and so on.
func byFrame(value func(i int) float64) Signal {
	i := -1
	return func() float64 {
		i++
		return value(i)
	}
}

// plus returns the sum of s and others, sample by sample. The sum reads all of these signals, so they must not be
// used elsewhere.
func (s Signal) plus(others ...Signal) Signal {
	return func() float64 {
		v := s()
		for _, o := range others {
			v += o()
		}
		return v
	}
}

// times returns s multiplied by other, sample by sample. other is an envelope or a modulator. The product reads both
// signals, so they must not be used elsewhere.
func (s Signal) times(other Signal) Signal {
	return func() float64 { return float64(s() * other()) }
}

// gain returns s with a gain of d dB. The result reads s, so s must not be used elsewhere.
func (s Signal) gain(d pcm.Decibels) Signal {
	return s.times(at(d.Linear()))
}

// after returns s delayed by the given seconds, which are silent. The result reads s only after the silence, so s
// must not be used elsewhere.
func (s Signal) after(seconds float64) Signal {
	wait := frames(seconds)
	return byFrame(func(i int) float64 {
		if i < wait {
			return 0
		}
		return s()
	})
}

// drive returns s, softly saturated: x / (1 + |x|) for each sample x. It reads s, so s must not be used elsewhere.
func (s Signal) drive() Signal {
	return func() float64 {
		x := s()
		return x / (1 + max(x, -x))
	}
}

// frames converts seconds to frames at Rate, rounded.
func frames(seconds float64) int {
	return int(float64(seconds*Rate) + 0.5)
}

// response is the kind of a filter.
type response int

const (
	low response = iota
	band
	high
)

// filter returns s after a state-variable filter with 12 dB per octave. pass is the kind of filter: low, band or
// high. cutoff is in Hz and may change with every sample; it is limited to 5 Hz to 0.45 of Rate. q is the resonance,
// 0.7 for a flat response. A band-pass has a gain of 1 at its center. The result reads s and cutoff, so they must not
// be used elsewhere.
func (s Signal) filter(pass response, cutoff Signal, q float64) Signal {
	k := 1 / q
	var last, g, a1, a2, a3 float64
	var ic1, ic2 float64
	return func() float64 {
		if f := min(max(cutoff(), 5), 0.45*Rate); f != last {
			last = f
			w := f / Rate
			g = pcm.SinPi(w) / pcm.CosPi(w)
			a1 = 1 / (1 + float64(g*(g+k)))
			a2 = float64(g * a1)
			a3 = float64(g * a2)
		}
		x := s()
		v3 := x - ic2
		v1 := float64(a1*ic1) + float64(a2*v3)
		v2 := ic2 + float64(a2*ic1) + float64(a3*v3)
		ic1 = float64(2*v1) - ic1
		ic2 = float64(2*v2) - ic2
		switch pass {
		case low:
			return v2
		case band:
			return float64(k * v1)
		}
		return x - float64(k*v1) - v2
	}
}

// lowpass returns s after a low-pass of 12 dB per octave with the fixed cutoff hz, without resonance.
func (s Signal) lowpass(hz float64) Signal { return s.filter(low, at(hz), 0.7) }

// bandpass returns s after a band-pass with a fixed center of hz, where its gain is 1. The larger q, the narrower is
// the band.
func (s Signal) bandpass(hz, q float64) Signal { return s.filter(band, at(hz), q) }

// highpass returns s after a high-pass of 12 dB per octave with the fixed cutoff hz, without resonance.
func (s Signal) highpass(hz float64) Signal { return s.filter(high, at(hz), 0.7) }
