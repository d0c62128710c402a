// Package wave has the waveforms of oscillators and a random source. They return the same bits on every
// machine.
package wave

import (
	"math"

	"voicepool/pcm"
)

// Sine returns a sine at the phase p in periods, 0..1, which is zero and rising at 0. The peaks are -1 and 1.
func Sine(p float64) float64 { return pcm.SinPi(2 * p) }

// Triangle returns a triangle at the phase p in periods, 0..1, which has its minimum -1 at 0 and its maximum 1 at
// 0.5.
func Triangle(p float64) float64 { return 1 - float64(4*math.Abs(p-0.5)) }

// Saw returns a saw at the phase p in periods, 0..1, which rises from -1 to 1 and falls at phase 0. A polynomial
// rounds its edge over two samples to reduce aliasing; step is the phase in periods from one sample to the next.
func Saw(p, step float64) float64 { return float64(2*p) - 1 - edge(p, step) }

// Pulse returns a pulse at the phase p in periods, 0..1, that is high from 0 to width. Its two levels differ by 2 and
// its mean is 0. Its edges are rounded like Saw's; step is the phase in periods from one sample to the next.
func Pulse(p, width, step float64) float64 {
	q := p - width
	q -= math.Floor(q)
	v := float64(-2 * width)
	if p < width {
		v += 2
	}
	return v + edge(p, step) - edge(q, step)
}

// edge returns the correction (polyBLEP) for a rise by two at phase 0, at the phase p, 0..1: it rounds the rise over
// the samples on both sides. It is 0 for phases farther than step from 0 and 1. step is the phase from one sample to
// the next.
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
