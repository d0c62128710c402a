package synth

// loops are seamless loops.
var loops = []Recipe{
	{Name: "clock", Peak: -11, Loop: true, make: func() *track {
		tick := func(hz float64) Signal {
			return impulse().strike(mode{hz, 0, 0.035}, mode{float64(hz * 1.61), -4, 0.025}, mode{float64(hz * 2.73), -8, 0.015}, mode{410, -10, 0.06})
		}
		return newLoop(1, 1).put(0.05, 0.12, tick(2480)).put(0.55, 0.12, tick(1990).gain(-2))
	}},
	{Name: "engine", Peak: -8, Loop: true, make: func() *track {
		const length = 1
		// Four cylinders; one is a little stronger, which gives the engine its beat.
		fire := pulse(cycles(84, length), 0.18).plus(pulse(cycles(42, length), 0.3).gain(-6), pulse(cycles(21, length), 0.2).gain(-9))
		gas := noiseLoop(33, length).times(pulse(cycles(84, length), 0.4).plus(at(1.2))).gain(-12)
		muffler := fire.plus(gas).lowpass(1900).drive()
		return lap(length, muffler.highpass(60).lowpass(3200))
	}},
	{Name: "rain", Peak: -12, Loop: true, make: func() *track {
		const length = 3
		hiss := func(seed random) Signal {
			return noiseLoop(seed, length).bandpass(2400, 0.6).lowpass(4200).lowpass(5200).gain(-11)
		}
		side := func(seed random) Signal { return hiss(34).plus(hiss(seed).gain(-19)) }
		t := lap(length, side(35), side(44))
		r := random(36)
		for range 190 {
			hz := r.Between(900, 3600)
			drop := sine(glide(hz, float64(hz*1.25), 0.02)).times(attack(0.002)).times(decay(r.Between(0.02, 0.05)))
			t.pan(r.Between(-0.9, 0.9), r.Between(0, length), 0.06, drop.times(at(r.Between(0.04, 0.3))))
		}
		return t
	}},
	{Name: "wind", Peak: -10, Loop: true, make: func() *track {
		const length = 6
		gusts := func(phase float64) Signal {
			return sineFrom(phase, cycles(1, length)).plus(sineFrom(phase+0.3, cycles(2, length)).gain(-4), sineFrom(phase+0.7, cycles(5, length)).gain(-10))
		}
		side := func(seed random, phase float64) Signal {
			air := noiseLoop(seed, length).filter(low, gusts(phase).times(at(190)).plus(at(520)), 0.7).lowpass(900)
			whistle := noiseLoop(seed+1, length).filter(band, gusts(phase).times(at(150)).plus(at(640)), 9).gain(-7)
			return air.plus(whistle).lowpass(1100).times(gusts(phase).times(at(0.25)).plus(at(0.6)))
		}
		return lap(length, side(37, 0), side(39, 0.13))
	}},
	{Name: "theme", Peak: -7, Loop: true, make: theme},
}

// cycles returns a constant frequency in Hz: count periods in the given seconds. If count is a whole number, a loop
// of that length has no seam.
func cycles(count, seconds float64) Signal { return at(count / seconds) }
