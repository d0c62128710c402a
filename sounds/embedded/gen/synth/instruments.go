package synth

// instruments are single notes and strokes.
var instruments = []Recipe{
	{Name: "bell", Peak: -5, make: func() *track {
		hammer := noise(23).lowpass(5000).times(decay(0.004)).gain(-12).plus(impulse())
		return play(3.6, hammer.strike(bellModes(523.25, 4.2)...).times(attack(0.001)))
	}},
	{Name: "gong", Peak: -4, make: func() *track {
		r := random(24)
		disc := func(hz float64) Signal {
			modes := []mode{{hz, 0, 4.5}, {hz + 0.7, -5, 4.2}, {float64(hz * 1.52), -3, 3.6}, {float64(hz * 2.01), -5, 3.2}, {float64(hz * 2.43), -6, 2.8}}
			for range 16 {
				modes = append(modes, mode{float64(hz * r.Between(2.6, 22)), -13, r.Between(0.8, 2.4)})
			}
			mallet := noise(25).lowpass(700).times(hump(0.05)).gain(-4).plus(impulse())
			return mallet.strike(modes...)
		}
		// The shimmer builds up after the stroke.
		shimmer := func(seed random) Signal {
			return noise(seed).filter(band, glide(1300, 3200, 0.7), 1.5).times(attack(0.5)).times(decay(2.4)).lowpass(2600).gain(8)
		}
		return play(4, disc(98).plus(shimmer(26)).times(attack(0.006)), disc(98.4).plus(shimmer(27)).times(attack(0.006)))
	}},
	{Name: "hat", Peak: -12, make: func() *track {
		metal := pulse(at(3170), 0.5).plus(pulse(at(4231), 0.5), pulse(at(5390), 0.5), pulse(at(6713), 0.5)).gain(-10)
		return play(0.1, noise(28).plus(metal).highpass(7500).times(attack(0.001)).times(decay(0.09)))
	}},
	{Name: "kick", Peak: -2, make: func() *track {
		skin := sine(glide(230, 48, 0.07)).times(decay(0.42)).gain(3)
		beater := noise(29).lowpass(3500).times(decay(0.012)).gain(-8)
		return play(0.4, skin.plus(beater).drive())
	}},
	{Name: "marimba", Peak: -6, make: func() *track {
		mallet := noise(30).lowpass(1500).times(decay(0.006)).gain(-14).plus(impulse())
		return play(1, mallet.strike(barModes(440, 0.95)...))
	}},
	{Name: "pluck", Peak: -6, make: func() *track {
		return play(1.7, pluck(220, 2.6, 0.5, 31).times(attack(0.002)))
	}},
	{Name: "snare", Peak: -5, make: func() *track {
		skin := sine(glide(290, 180, 0.04)).plus(sine(glide(430, 331, 0.04)).gain(-5)).times(decay(0.16))
		wires := noise(32).filter(band, at(4200), 0.5).times(attack(0.001)).times(decay(0.24)).gain(3)
		return play(0.3, skin.plus(wires))
	}},
	{Name: "swell", Peak: -8, make: func() *track {
		shape := func() Signal { return attack(2.1).times(line(point{2.3, 1}, point{3.2, 0})) }
		side := func(up float64) Signal {
			pad := chord(float64(220*up), float64(329.63*up), float64(493.88*up), float64(659.26*up))
			reed := saw(at(float64(220*up))).plus(saw(at(float64(329.63*up)))).filter(low, glide(250, 2400, 2.3), 1.3).gain(-5)
			return pad.plus(reed).times(shape())
		}
		return play(3.2, side(1.0008), side(0.9993))
	}},
}

// chord returns a soft, steady sound with one note for each frequency of tones, in Hz. A note has three sines: two
// near its frequency and one near its octave. The sound has no envelope.
func chord(tones ...float64) Signal {
	sum := at(0)
	for _, hz := range tones {
		sum = sum.plus(sine(at(hz)), sine(at(float64(hz*1.003))).gain(-3), sine(at(float64(hz*1.997))).gain(-9))
	}
	return sum
}
