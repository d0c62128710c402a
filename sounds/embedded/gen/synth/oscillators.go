package synth

import (
	"math"

	"voicepool/pcm"
	"voicepool/sounds/internal/wave"
)

// oscillator returns an oscillator with the waveform shape. Its phase p, in periods, runs from 0 to 1 again and again,
// and begins at start. freq is the frequency in Hz, and may change with every sample. Each sample is shape(p, step),
// and step is the phase from this sample to the next.
func oscillator(freq Signal, start float64, shape func(p, step float64) float64) Signal {
	next := start - math.Floor(start)
	return func() float64 {
		p, step := next, freq()/Rate
		next = p + step
		next -= math.Floor(next)
		return shape(p, step)
	}
}

// sine returns a sine of the frequency freq in Hz that starts at zero, rising.
func sine(freq Signal) Signal { return sineFrom(0, freq) }

// sineFrom returns a sine of the frequency freq in Hz that starts at the phase start, in periods.
func sineFrom(start float64, freq Signal) Signal {
	return oscillator(freq, start, func(p, _ float64) float64 { return wave.Sine(p) })
}

// triangle returns a triangle of the frequency freq in Hz that starts at zero, rising.
func triangle(freq Signal) Signal {
	return oscillator(freq, 0.25, func(p, _ float64) float64 { return wave.Triangle(p) })
}

// saw returns a rising saw of the frequency freq in Hz that starts at zero, in the middle of its rise.
func saw(freq Signal) Signal { return oscillator(freq, 0.5, wave.Saw) }

// pulse returns a pulse wave of the frequency freq in Hz, without DC. It is high for the fraction width of each
// period, 0..1.
func pulse(freq Signal, width float64) Signal {
	return oscillator(freq, 0, func(p, step float64) float64 { return wave.Pulse(p, width, step) })
}

// fm returns a sine of the frequency freq in Hz whose phase is modulated by another sine. The frequency of the other
// sine is ratio times as high. index is the largest deviation of the phase in radians, and may change with every
// sample.
func fm(freq Signal, ratio float64, index Signal) Signal {
	mod := 0.0
	return oscillator(freq, 0, func(p, step float64) float64 {
		bend := float64(index() / math.Pi * pcm.SinPi(2*mod))
		mod += float64(step * ratio)
		mod -= math.Floor(mod)
		return pcm.SinPi(float64(2*p) + bend)
	})
}
