package synth

import "voicepool/pcm"

// response is what a filter lets through.
type response int

const (
	low response = iota
	band
	high
)

// filter is a state-variable filter of 12 dB per octave whose cutoff (Hz) may
// move with every sample; q is its resonance, 0.7 none. The band response has
// a gain of 1 at its centre.
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

// lowpass, bandpass and highpass are filter with a cutoff that stays.
func (s Signal) lowpass(hz float64) Signal     { return s.filter(low, at(hz), 0.7) }
func (s Signal) bandpass(hz, q float64) Signal { return s.filter(band, at(hz), q) }
func (s Signal) highpass(hz float64) Signal    { return s.filter(high, at(hz), 0.7) }
