package synth

// places are the sounds of things and places.
var places = []Recipe{
	{Name: "bird", Peak: -12, make: func() *track {
		call := func(from, top, to, seconds float64) Signal {
			tone := sine(vibrato(line(point{0, from}, point{seconds / 3, top}, point{seconds, to}), 38, 0.5))
			return tone.times(hump(seconds))
		}
		return newTrack(1, 1.1).
			put(0.01, 0.12, call(2900, 4200, 3300, 0.11)).
			put(0.16, 0.12, call(3000, 4500, 3500, 0.11)).
			put(0.31, 0.12, call(3100, 4700, 3600, 0.11)).
			put(0.5, 0.3, call(4600, 5100, 2600, 0.28)).
			reverb(-24, newReverb(0.9, 0.8, 0.5))
	}},
	{Name: "door", Peak: -5, make: func() *track {
		wood := []mode{{88, 0, 0.35}, {141, -3, 0.3}, {233, -6, 0.22}, {377, -9, 0.15}, {610, -14, 0.1}}
		latch := []mode{{1450, -14, 0.05}, {2230, -16, 0.04}, {3710, -20, 0.03}}
		slam := noise(11).lowpass(1800).times(decay(0.05)).plus(impulse())
		return newTrack(1, 0.9).
			put(0.002, 0.2, impulse().strike(latch...)).
			put(0.065, 0.2, impulse().strike(latch...).gain(-4)).
			put(0.12, 0.78, slam.strike(wood...)).
			put(0.125, 0.3, impulse().strike(latch...)).
			reverb(-22, newReverb(0.5, 0.5, 0.6))
	}},
	{Name: "drip", Peak: -8, make: func() *track {
		bubble := sine(glide(620, 1500, 0.07)).times(attack(0.004)).times(decay(0.16))
		echo := sine(glide(900, 1900, 0.05)).times(attack(0.003)).times(decay(0.1)).gain(-13)
		return newTrack(1, 0.5).put(0, 0.4, bubble).put(0.11, 0.3, echo).reverb(-21, newReverb(0.7, 0.7, 0.2))
	}},
	{Name: "glass", Peak: -5, make: func() *track {
		r := random(12)
		t := newTrack(2, 1.15)
		t.put(0, 0.2, noise(13).highpass(2500).times(decay(0.07)).gain(-5))
		for range 34 {
			hz := r.Between(1900, 9500)
			start := float64(r.Unit()*r.Unit()) * 0.6
			shard := impulse().strike(mode{hz, 0, 0.35}, mode{float64(hz * 1.47), -5, 0.2}, mode{float64(hz * 2.09), -9, 0.1})
			t.pan(r.Between(-0.8, 0.8), start, 0.65, shard.times(decay(0.9)).times(at(r.Between(0.1, 0.5)-float64(start/2))))
		}
		return t
	}},
	{Name: "knock", Peak: -6, make: func() *track {
		rap := func() Signal {
			knuckle := noise(14).lowpass(2500).times(decay(0.012)).plus(impulse())
			return knuckle.strike(mode{196, 0, 0.12}, mode{318, -3, 0.1}, mode{523, -5, 0.07}, mode{847, -8, 0.05}, mode{1490, -12, 0.03})
		}
		// Two raps, a pause, and two louder ones.
		return newTrack(1, 1.9).
			put(0.001, 0.18, rap().gain(-4)).put(0.21, 0.25, rap().gain(-3)).
			put(1.3, 0.18, rap()).put(1.5, 0.3, rap().gain(-1))
	}},
	{Name: "splash", Peak: -7, make: func() *track {
		slap := noise(15).filter(band, glide(2400, 700, 0.3), 0.8).times(attack(0.004)).times(decay(0.5)).gain(-4)
		spray := noise(16).highpass(3500).times(hump(0.7)).times(decay(0.9)).gain(-17)
		t := newTrack(2, 1.3).put(0, 0.8, slap).pan(0.3, 0.04, 0.8, spray)
		r := random(17)
		for range 16 {
			hz := r.Between(400, 1100)
			bubble := sine(glide(hz, float64(hz*r.Between(1.3, 1.9)), 0.06)).times(attack(0.005)).times(decay(0.13))
			t.pan(r.Between(-0.7, 0.7), r.Between(0.12, 0.95), 0.2, bubble.times(at(r.Between(0.1, 0.35))))
		}
		return t
	}},
	{Name: "step1", Peak: -11, make: func() *track { return step(18, 420, 0.03) }},
	{Name: "step2", Peak: -12, make: func() *track { return step(19, 370, 0.045) }},
	{Name: "thunder", Peak: -3, make: func() *track {
		crack := noise(20).filter(low, glide(5200, 300, 0.5), 0.7).times(decay(0.5)).
			times(noise(21).lowpass(28).gain(26).plus(at(0.6)))
		rolls := line(point{0, 0}, point{0.12, 1}, point{0.5, 0.4}, point{0.9, 0.9}, point{1.4, 0.3}, point{1.9, 0.55}, point{2.6, 0.18}, point{3.8, 0})
		roll := noise(22).filter(low, glide(420, 75, 3), 0.8).gain(14).times(rolls)
		return play(3.9, crack.plus(roll).drive()).reverb(-16, newReverb(1.4, 2.5, 0.7))
	}},
}

// step returns a mono footstep of 0.22 s. It begins with a heel, which is noise below the frequency hz and a thud.
// After roll seconds gravel under the sole follows. Different seeds make different steps.
func step(seed random, hz, roll float64) *track {
	heel := noise(seed).lowpass(hz).times(attack(0.003)).times(decay(0.06)).gain(3)
	thud := sine(glide(hz/3, hz/7, 0.06)).times(attack(0.004)).times(decay(0.12))
	sole := dust(seed+100, at(1400)).strike(mode{float64(hz * 4.3), 0, 0.008}, mode{float64(hz * 7.1), -3, 0.005}).
		times(hump(0.11)).gain(-8).after(roll)
	return play(0.22, heel.plus(thud, sole))
}
