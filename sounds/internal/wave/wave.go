// Package wave has the waveforms of oscillators and a random source. They return the same bits on every
// machine.
package wave

import (
	"math"

	"voicepool/pcm"
)

// Sine returns a sine at phase p in periods, 0..1, which starts at zero and rises. The peaks are -1 and 1.
func Sine(p float64) float64 { return pcm.SinPi(2 * p) }

// Triangle returns a triangle at phase p in periods, 0..1, which has its minimum -1 at 0 and its maximum 1 at 0.5.
func Triangle(p float64) float64 { return 1 - float64(4*math.Abs(p-0.5)) }

// Saw returns a saw at phase p in periods, 0..1, which rises from -1 to 1 and falls at phase 0. A polynomial rounds
// its edge over two samples to reduce aliasing; step is the phase from one sample to the next.
func Saw(p, step float64) float64 { return float64(2*p) - 1 - edge(p, step) }

// Pulse returns a pulse at phase p in periods, 0..1, that is high for a fraction width of each period. Its two levels
// differ by 2 and its mean is 0. Its edges are rounded like Saw's; step is the phase from one sample to the next.
func Pulse(p, width, step float64) float64 {
	q := p - width
	q -= math.Floor(q)
	v := float64(-2 * width)
	if p < width {
		v += 2
	}
	return v + edge(p, step) - edge(q, step)
}

// edge returns the correction that rounds a rise by two at phase 0 (polyBLEP); 0 for phases p farther than step from
// it. step is the phase from one sample to the next, in periods.
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
