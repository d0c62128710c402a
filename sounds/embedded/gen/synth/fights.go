package synth

// fights are combat sounds.
var fights = []Recipe{
	{Name: "explosion", Peak: -1, make: func() *track {
		blast := noise(2).filter(low, glide(6500, 90, 1.6), 0.8).times(decay(1.9))
		rumble := noise(3).filter(low, glide(260, 60, 2.2), 1.2).gain(11).times(attack(0.05)).times(decay(2.6))
		thump := sine(glide(95, 28, 0.5)).times(decay(1.1)).gain(2)
		debris := dust(4, line(point{0.15, 0}, point{0.3, 70}, point{1.6, 0})).
			strike(mode{900, 0, 0.03}, mode{1700, -4, 0.02}).lowpass(1600).gain(-7)
		return play(2.6, blast.plus(rumble, thump).drive().plus(debris))
	}},
	{Name: "hit", Peak: -3, make: func() *track {
		thump := sine(glide(210, 55, 0.09)).times(decay(0.3))
		crunch := noise(5).filter(low, glide(5000, 300, 0.12), 0.9).times(decay(0.12)).gain(2)
		return play(0.3, thump.plus(crunch).drive())
	}},
	{Name: "laser", Peak: -6, make: func() *track {
		ray := saw(glide(2900, 170, 0.3)).plus(saw(glide(2920, 172, 0.3)))
		return play(0.42, ray.filter(low, glide(9000, 700, 0.35), 1.6).times(attack(0.002)).times(decay(0.6)))
	}},
	{Name: "shot", Peak: -2, make: func() *track {
		crack := noise(6).highpass(900).times(decay(0.06)).gain(3)
		body := noise(7).filter(low, glide(4200, 250, 0.25), 0.9).times(decay(0.3)).gain(4)
		thump := sine(glide(150, 45, 0.12)).times(decay(0.3)).gain(3)
		return play(0.9, crack.plus(body, thump).drive()).reverb(-19, newReverb(0.8, 1, 0.5))
	}},
	{Name: "whoosh", Peak: -9, make: func() *track {
		air := func(seed random, late float64) Signal {
			sweep := func() Signal {
				return line(point{0, 300}, point{0.42, 1700}, point{0.9, 260})
			}
			return noise(seed).filter(band, sweep(), 1.6).filter(band, sweep(), 1.1).times(hump(0.9)).times(hump(0.9)).after(late)
		}
		return play(1, air(8, 0), air(9, 0.09))
	}},
	{Name: "zap", Peak: -6, make: func() *track {
		spark := fm(glide(900, 240, 0.25), 2.41, line(point{0, 9}, point{0.3, 1}))
		flicker := pulse(at(43), 0.6).plus(at(1.8))
		hiss := noise(10).highpass(3000).times(decay(0.18)).gain(-10)
		return play(0.36, spark.times(flicker).times(attack(0.002)).times(decay(0.5)).plus(hiss))
	}},
}
