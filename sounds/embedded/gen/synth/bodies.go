package synth

import "voicepool/pcm"

// mode is a vibration mode of a body: its frequency in Hz, its level, and its decay time by 60 dB in seconds.
type mode struct {
	hz    float64
	level pcm.Decibels
	t60   float64
}

// strike returns the sound of a body that s excites, such as a bell. modes are the vibrations of the body. As s, an
// impulse is a hard hammer, a short noise a scratch, and dust gravel. The sound begins one frame after s. The result
// reads s, so s must not be used elsewhere.
func (s Signal) strike(modes ...mode) Signal {
	type resonator struct{ in, c1, c2, y1, y2 float64 }
	body := make([]resonator, 0, len(modes))
	for _, m := range modes {
		r := perFrame(m.t60)
		turn := 2 * m.hz / Rate
		body = append(body, resonator{
			in: float64(m.level.Linear() * pcm.SinPi(turn)),
			c1: float64(2 * r * pcm.CosPi(turn)),
			c2: float64(r * r),
		})
	}
	before := 0.0
	return func() float64 {
		sum := 0.0
		for i := range body {
			b := &body[i]
			y := float64(b.in*before) + float64(b.c1*b.y1) - float64(b.c2*b.y2)
			b.y2, b.y1 = b.y1, y
			sum += y
		}
		before = s()
		return sum
	}
}

// tuned returns a copy of modes for a body of a certain pitch. The frequencies in modes are ratios and are multiplied
// by hz. The decay times are fractions and are multiplied by t60, in seconds.
func tuned(hz, t60 float64, modes ...mode) []mode {
	out := make([]mode, len(modes))
	for i, m := range modes {
		out[i] = mode{float64(m.hz * hz), m.level, float64(m.t60 * t60)}
	}
	return out
}

// The bodies, with frequencies as ratios, and times as fractions of the longest decay.

// bellModes returns the vibration modes of a church bell for strike. hz is the frequency of its prime, and its
// longest decay takes t60 seconds for 60 dB. The modes are hum, prime, tierce, quint, nominal and higher ones. Some
// are doubled with a slight detuning, which makes them beat.
func bellModes(hz, t60 float64) []mode {
	return tuned(hz, t60,
		mode{0.5, -8, 1}, mode{0.501, -14, 0.95}, mode{1, -3, 0.75}, mode{1.183, 0, 0.62}, mode{1.187, -6, 0.6},
		mode{1.506, -8, 0.45}, mode{2, -1, 0.5}, mode{2.004, -7, 0.48}, mode{2.514, -9, 0.33}, mode{2.662, -11, 0.3},
		mode{3.011, -8, 0.26}, mode{4.166, -12, 0.18}, mode{5.433, -17, 0.12}, mode{6.796, -22, 0.08})
}

// barModes returns the vibration modes of a wooden bar over a tube for strike, as of a marimba. hz is the lowest
// frequency, which decays by 60 dB in t60 seconds. The second mode is near the double octave.
func barModes(hz, t60 float64) []mode {
	return tuned(hz, t60, mode{1, 0, 1}, mode{3.98, -14, 0.3}, mode{9.7, -24, 0.09})
}

// chimeModes returns the vibration modes of a small, freely hanging metal bar for strike. hz is the lowest frequency,
// which decays by 60 dB in t60 seconds.
func chimeModes(hz, t60 float64) []mode {
	return tuned(hz, t60, mode{1, 0, 1}, mode{1.002, -9, 0.9}, mode{2.756, -12, 0.4}, mode{5.404, -20, 0.16})
}

// pluck returns a plucked string of the frequency hz, which decays by 60 dB in t60 seconds. It is a delay line filled
// with noise, with a small loss per round (Karplus and Strong). bright is 0 (a thumb) to 1 (a plectrum). seed selects
// the noise.
func pluck(hz, t60, bright float64, seed random) Signal {
	period := Rate / hz
	n := int(period - 0.5)
	rest := period - 0.5 - float64(n)
	tune := (1 - rest) / (1 + rest) // an all-pass for the fractional sample
	loss := pcm.Exp2(-log2of1000 * period / float64(t60*Rate))

	ring := make([]float64, n)
	burst := noise(seed).filter(low, at(600+float64(9000*bright)), 0.7)
	mean := 0.0
	for i := range ring {
		ring[i] = burst()
		mean += ring[i] / float64(n)
	}
	for i := range ring {
		ring[i] -= mean
	}
	var last, in, out float64
	return byFrame(func(i int) float64 {
		i %= n
		v := ring[i]
		x := float64(loss * (v + last) / 2)
		last = v
		out = float64(tune*(x-out)) + in
		in = x
		ring[i] = out
		return v
	})
}
