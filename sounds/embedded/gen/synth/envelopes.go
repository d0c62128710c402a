package synth

import "voicepool/pcm"

// log2of1000 is the number of halvings in 60 dB.
const log2of1000 = 9.96578428466208704576

// perFrame returns the factor per frame, below 1, of an exponential decay by 60 dB in t60 seconds.
func perFrame(t60 float64) float64 {
	return pcm.Exp2(-log2of1000 / float64(t60*Rate))
}

// decay returns an envelope that starts at 1 and falls exponentially, by 60 dB every t60 seconds.
func decay(t60 float64) Signal {
	v, k := 1.0, perFrame(t60)
	return func() float64 {
		now := v
		v = float64(v * k)
		return now
	}
}

// over returns a signal that follows a curve: shape(x), while x moves linearly from 0 to 1 within the given seconds.
// Afterwards it stays at shape(1).
func over(seconds float64, shape func(x float64) float64) Signal {
	n := frames(seconds)
	return byFrame(func(i int) float64 { return shape(float64(min(i, n)) / float64(n)) })
}

// attack returns an envelope that rises from 0 to 1 within seconds as a raised cosine, and stays there.
func attack(seconds float64) Signal { return over(seconds, raised) }

// hump returns an envelope that rises from 0 to 1 and falls again within seconds, as a raised cosine, and stays at 0.
func hump(seconds float64) Signal {
	return over(seconds, func(x float64) float64 { return raised(2 * min(x, 1-x)) })
}

// raised returns (1 - cos(pi x)) / 2, the raised cosine that rises from 0 to 1 while x does.
func raised(x float64) float64 {
	return (1 - pcm.CosPi(x)) / 2
}

// point is a point of a line: a value at a time in seconds.
type point struct{ at, value float64 }

// line returns a signal along straight lines between points. The points must be in the order of their times, at least
// one. Before the first point the signal has its value, and after the last point that point's value.
func line(points ...point) Signal {
	leg := 0
	return byFrame(func(i int) float64 {
		t := float64(i) / Rate
		for leg < len(points) && points[leg].at <= t {
			leg++
		}
		if leg == 0 {
			return points[0].value
		}
		a := points[leg-1]
		if leg == len(points) {
			return a.value
		}
		b := points[leg]
		return a.value + float64((b.value-a.value)*((t-a.at)/(b.at-a.at)))
	})
}

// glide returns a frequency in Hz that moves from one value to another within the given seconds, linear in pitch, and
// then stays. from is the first frequency and to the last one.
func glide(from, to, seconds float64) Signal {
	octaves := pcm.Log2(to / from)
	return over(seconds, func(x float64) float64 {
		if x == 1 {
			return to // the formula may be off by one bit
		}
		return float64(from * pcm.Exp2(float64(octaves*x)))
	})
}

// steps returns a signal that has each of values for the given seconds, one after the other. It keeps the last value
// forever.
func steps(seconds float64, values ...float64) Signal {
	n := frames(seconds)
	return byFrame(func(i int) float64 { return values[min(i/n, len(values)-1)] })
}

// vibrato returns the frequency freq, in Hz, with a vibrato: a sine moves it up and down by up to depth semitones.
// rate is the frequency of that sine in Hz. The result reads freq, so freq must not be used elsewhere.
func vibrato(freq Signal, rate float64, depth pcm.Semitones) Signal {
	lfo := sine(at(rate))
	return freq.times(func() float64 { return pcm.Semitones(float64(float64(depth) * lfo())).Ratio() })
}

// pitch returns the frequency in Hz of the note s semitones above A4 = 440 Hz.
func pitch(s pcm.Semitones) float64 {
	return float64(440 * s.Ratio())
}
