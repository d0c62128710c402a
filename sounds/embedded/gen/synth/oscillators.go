package synth

import (
	"math"

	"voicepool/pcm"
)

// wave runs a phase from 0 to 1, freq times a second, from start on, and gives what
// shape makes of it and of the step that it takes next.
func wave(freq Signal, start float64, shape func(p, step float64) float64) Signal {
	next := start - math.Floor(start)
	return func() float64 {
		p, step := next, freq()/Rate
		next = p + step
		next -= math.Floor(next)
		return shape(p, step)
	}
}

// sine is a sine that starts at zero.
func sine(freq Signal) Signal { return sineFrom(0, freq) }

// sineFrom is a sine that starts within its turn, 0..1.
func sineFrom(start float64, freq Signal) Signal {
	return wave(freq, start, func(p, _ float64) float64 { return pcm.SinPi(2 * p) })
}

// triangle starts at zero, rising.
func triangle(freq Signal) Signal {
	return wave(freq, 0.25, func(p, _ float64) float64 { return 1 - float64(4*math.Abs(p-0.5)) })
}

// saw falls at each turn; its edge is rounded by a polynomial over two samples,
// so that little of it folds back below the Nyquist frequency.
func saw(freq Signal) Signal {
	return wave(freq, 0.5, func(p, step float64) float64 { return float64(2*p) - 1 - edge(p, step) })
}

// pulse is high for width of each turn, without a constant part.
func pulse(freq Signal, width float64) Signal {
	return wave(freq, 0, func(p, step float64) float64 {
		q := p - width
		q -= math.Floor(q)
		v := float64(-2 * width)
		if p < width {
			v += 2
		}
		return v + edge(p, step) - edge(q, step)
	})
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

// fm is a sine whose phase is moved by another, ratio times as fast, by index
// radians at most: from a flute to a bell to a spark with two numbers.
func fm(freq Signal, ratio float64, index Signal) Signal {
	mod := 0.0
	return wave(freq, 0, func(p, step float64) float64 {
		bend := float64(index() / math.Pi * pcm.SinPi(2*mod))
		mod += float64(step * ratio)
		mod -= math.Floor(mod)
		return pcm.SinPi(float64(2*p) + bend)
	})
}
