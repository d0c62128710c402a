package synth

import (
	"math"

	"voicepool/pcm"
	"voicepool/sounds/internal/wave"
)

// turn returns the signal shape(p, step) for a phase p in periods, which runs from 0 to 1 freq times a second,
// beginning at start; freq is in Hz and may change. step is the phase from one sample to the next.
func turn(freq Signal, start float64, shape func(p, step float64) float64) Signal {
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
	return turn(freq, start, func(p, _ float64) float64 { return wave.Sine(p) })
}

// triangle returns a triangle of the frequency freq in Hz that starts at zero, rising.
func triangle(freq Signal) Signal {
	return turn(freq, 0.25, func(p, _ float64) float64 { return wave.Triangle(p) })
}

// saw returns a rising saw of the frequency freq in Hz that starts at zero, in the middle of its rise.
func saw(freq Signal) Signal { return turn(freq, 0.5, wave.Saw) }

// pulse returns a pulse of the frequency freq in Hz, high for the fraction width of each period, without DC.
func pulse(freq Signal, width float64) Signal {
	return turn(freq, 0, func(p, step float64) float64 { return wave.Pulse(p, width, step) })
}

// fm returns a sine of the frequency freq in Hz whose phase is modulated by another sine, ratio times as fast, by up
// to index radians; index may change with every sample.
func fm(freq Signal, ratio float64, index Signal) Signal {
	mod := 0.0
	return turn(freq, 0, func(p, step float64) float64 {
		bend := float64(index() / math.Pi * pcm.SinPi(2*mod))
		mod += float64(step * ratio)
		mod -= math.Floor(mod)
		return pcm.SinPi(float64(2*p) + bend)
	})
}
