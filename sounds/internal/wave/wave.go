// Package wave has the waveforms of oscillators and a random source. They return the same bits on every
// machine.
package wave

import (
	"math"

	"voicepool/pcm"
)

// Sine returns a sine wave at the phase p, in periods, 0..1. It is 0 and rising at phase 0, and its peaks are -1 and
// 1.
func Sine(p float64) float64 { return pcm.SinPi(2 * p) }

// Triangle returns a triangle wave at the phase p, in periods, 0..1. Its minimum, -1, is at phase 0 and its maximum,
// 1, at 0.5.
func Triangle(p float64) float64 { return 1 - float64(4*math.Abs(p-0.5)) }

// Saw returns a sawtooth wave at the phase p, in periods, 0..1. It rises from -1 to 1 and falls at phase 0. Its edge
// is rounded over two samples to reduce aliasing; step is the phase in periods from one sample to the next.
func Saw(p, step float64) float64 { return float64(2*p) - 1 - edge(p, step) }

// Pulse returns a pulse wave at the phase p, in periods, 0..1. It is high from phase 0 to width, then low. The two
// levels differ by 2, and the mean of a period is 0. The edges are rounded to reduce aliasing; step is the phase in
// periods from one sample to the next.
func Pulse(p, width, step float64) float64 {
	q := p - width
	q -= math.Floor(q)
	v := float64(-2 * width)
	if p < width {
		v += 2
	}
	return v + edge(p, step) - edge(q, step)
}

// edge returns the correction (polyBLEP) that rounds a rise by two at phase 0 over the samples on both sides. p is
// the phase in periods, 0..1, and step the phase from one sample to the next. The correction is 0 for phases farther
// than step from 0 and 1.
func edge(p, step float64) float64 {
	switch {
	case p < step:
		t := p/step - 1
		return -float64(t * t)
	case p > 1-step:
		t := (p-1)/step + 1
		return float64(t * t)
	}
	return 0
}
