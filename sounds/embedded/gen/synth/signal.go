// Package synth makes the embedded sounds: small building blocks (oscillators,
// envelopes, noise, filters, struck bodies, strings, a reverb) and one short
// recipe per sound. It runs when the sounds are generated and when the tests
// compare them with what is embedded, never in a game.
//
// Everything gives the same bits on every machine: exact functions from pcm,
// an integer random source, and every product converted before it is added.
package synth

import "voicepool/pcm"

// Rate is the sample rate of all sounds, in Hz.
const Rate = 48000

// Signal gives its next sample each time it is called. A Signal has a state:
// it serves one reader, once. Those that control something (a frequency, a
// cutoff) are Signals like those that are heard.
type Signal func() float64

// at holds one value for ever.
func at(value float64) Signal {
	return func() float64 { return value }
}

// byFrame gives a value for each frame, counted from 0.
func byFrame(value func(i int) float64) Signal {
	i := -1
	return func() float64 {
		i++
		return value(i)
	}
}

// plus adds other signals to s.
func (s Signal) plus(others ...Signal) Signal {
	return func() float64 {
		v := s()
		for _, o := range others {
			v += o()
		}
		return v
	}
}

// times multiplies s by an envelope or a modulator.
func (s Signal) times(other Signal) Signal {
	return func() float64 { return float64(s() * other()) }
}

// gain makes s louder or softer.
func (s Signal) gain(d pcm.Decibels) Signal {
	return s.times(at(d.Linear()))
}

// after lets s begin so many seconds later; until then there is silence.
func (s Signal) after(seconds float64) Signal {
	wait := frames(seconds)
	return byFrame(func(i int) float64 {
		if i < wait {
			return 0
		}
		return s()
	})
}

// drive bends s softly towards +-1, which warms it and tames its peaks.
func (s Signal) drive() Signal {
	return func() float64 {
		x := s()
		return x / (1 + max(x, -x))
	}
}

// frames is how many samples last so many seconds.
func frames(seconds float64) int {
	return int(float64(seconds*Rate) + 0.5)
}
