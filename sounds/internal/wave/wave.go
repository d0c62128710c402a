// Package wave holds the shapes of oscillators and a source of random numbers. They give
// the same bits on every machine.
package wave

import (
	"math"

	"voicepool/pcm"
)

// Sine returns a sine of phase p, 0..1, which starts at zero and rises.
func Sine(p float64) float64 { return pcm.SinPi(2 * p) }

// Triangle returns a triangle of phase p, which is at its bottom at 0.
func Triangle(p float64) float64 { return 1 - float64(4*math.Abs(p-0.5)) }

// Saw returns a saw that rises and falls at phase 0. Its edge is rounded by a polynomial
// over two samples, a step of phase apart, so that little of it folds back below the
// Nyquist frequency.
func Saw(p, step float64) float64 { return float64(2*p) - 1 - edge(p, step) }

// Pulse returns a pulse that is high for width of each turn, without a constant part. Its
// edges are rounded as those of Saw.
func Pulse(p, width, step float64) float64 {
	q := p - width
	q -= math.Floor(q)
	v := float64(-2 * width)
	if p < width {
		v += 2
	}
	return v + edge(p, step) - edge(q, step)
}

// edge is what rounds a rise by two at phase 0 when steps are this large.
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
