package synth

// menus are sounds for menus and rewards.
var menus = []Recipe{
	{Name: "blip", Peak: -8, make: func() *track {
		tone := sine(at(880)).plus(sine(at(1760)).gain(-12))
		return play(0.09, tone.times(attack(0.003)).times(decay(0.12)))
	}},
	{Name: "click", Peak: -9, make: func() *track {
		tick := impulse().strike(mode{2350, 0, 0.03}, mode{3900, -5, 0.018}, mode{1180, -8, 0.03})
		tap := noise(1).highpass(5000).times(decay(0.006)).gain(-26)
		return play(0.05, tick.plus(tap))
	}},
	{Name: "coin", Peak: -7, make: func() *track {
		note := func(hz, t60 float64) Signal {
			return pulse(at(hz), 0.5).plus(sine(at(2 * hz)).gain(-6)).lowpass(7000).times(attack(0.002)).times(decay(t60))
		}
		return newTrack(1, 0.75).
			put(0, 0.085, note(987.77, 0.6).times(line(point{0.075, 1}, point{0.085, 0}))).
			put(0.08, 0.67, note(1318.51, 0.75))
	}},
	{Name: "chime", Peak: -6, make: func() *track {
		bar := func(hz float64) Signal { return impulse().strike(chimeModes(hz, 1.8)...).times(attack(0.002)) }
		return newTrack(2, 2).
			pan(-0.4, 0, 2, bar(1046.5)).
			pan(0.1, 0.11, 1.89, bar(1318.51)).
			pan(0.5, 0.22, 1.78, bar(1567.98)).
			reverb(-22, newReverb(0.6, 0.9, 0.3))
	}},
	{Name: "denied", Peak: -10, make: func() *track {
		buzz := func() Signal {
			return saw(at(147)).plus(saw(at(148.6))).filter(low, glide(1600, 500, 0.14), 1.1).
				times(attack(0.006)).times(line(point{0.1, 1}, point{0.15, 0}))
		}
		return newTrack(1, 0.4).put(0, 0.15, buzz()).put(0.19, 0.2, buzz())
	}},
	{Name: "jump", Peak: -8, make: func() *track {
		tone := pulse(glide(190, 640, 0.2), 0.25).plus(sine(glide(190, 640, 0.2)))
		return play(0.3, tone.lowpass(4500).times(attack(0.004)).times(line(point{0.12, 1}, point{0.3, 0})))
	}},
	{Name: "powerup", Peak: -7, make: func() *track {
		scale := steps(0.075, 523.25, 659.26, 783.99, 1046.5, 783.99, 1046.5, 1318.51, 1567.98)
		tone := triangle(vibrato(scale, 11, 0.15))
		pulses := steps(0.075, 523.25, 659.26, 783.99, 1046.5, 783.99, 1046.5, 1318.51, 1567.98)
		thin := pulse(pulses, 0.2).filter(low, glide(1500, 6000, 0.6), 0.9).gain(-14)
		shape := line(point{0, 0.7}, point{0.6, 1}, point{1, 0})
		return play(1.1, tone.plus(thin).times(attack(0.005)).times(shape)).reverb(-20, newReverb(0.4, 0.5, 0.4))
	}},
}
