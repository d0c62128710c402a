package steal

// makeGun is a burst of noise, sharp at first, with a duller tail.
func makeGun(r *random) []float64 {
	s := silence(r.between(0.3, 1))
	seconds := float64(len(s)) / Rate
	crack, tail := newDecay(1, r.between(0.008, 0.025)), newDecay(r.between(0.15, 0.4), seconds/5)
	bright, dull := r.between(3000, 9000), r.between(600, 2000)
	var high, low lowpass
	for i := range s {
		x := r.noise()
		s[i] = float64(high.next(x, bright)*crack.next()) + float64(low.next(x, dull)*tail.next())
	}
	return release(s)
}

// makeExplosion is low noise that rolls.
func makeExplosion(r *random) []float64 {
	s := silence(r.between(1.5, 4))
	seconds := float64(len(s)) / Rate
	blast, roll := newDecay(1, 0.06), newDecay(0.8, seconds/5)
	cutoff, rate := r.between(250, 900), r.between(3, 8)
	var high, low, lower lowpass
	var wobble tone
	for i := range s {
		x := r.noise()
		swell := 1 + float64(0.5*wobble.next(rate))
		rumble := lower.next(low.next(x, cutoff), cutoff)
		s[i] = float64(float64(high.next(x, 4000)*blast.next())*0.6) + float64(float64(6*rumble*swell)*roll.next())
		s[i] = float64(s[i] * rise(i, 0.004))
	}
	return release(s)
}

// makeStep is two thumps, heel and toe.
func makeStep(r *random) []float64 {
	s := silence(r.between(0.3, 0.45))
	thump := func(from int, level float64) {
		body, click := newDecay(level, r.between(0.012, 0.03)), newDecay(float64(0.3*level), 0.004)
		cutoff := r.between(300, 1500)
		var low lowpass
		for i := from; i < len(s); i++ {
			x := r.noise()
			s[i] += float64(4*low.next(x, cutoff)*body.next()) + float64(x*click.next())
		}
	}
	thump(0, 1)
	thump(int(r.between(0.07, 0.16)*Rate), r.between(0.4, 1.1))
	return release(s)
}

// makeWind is filtered noise that comes and goes; noise and filters repeat.
func makeWind(r *random) []float64 {
	s := silence(4)
	source := make([]float64, len(s))
	for i := range source {
		source[i] = r.noise()
	}
	centre, width := r.between(300, 1200), r.between(150, 500)
	gusts := 1 + r.n(3)
	var band resonance
	var low lowpass
	for lap := range 2 { // the second one begins as it ends
		var gust tone
		for i, x := range source {
			g := gust.next(float64(gusts) / 4)
			y := band.next(x, centre+float64(float64(centre*0.3)*g), width) + float64(0.15*low.next(x, 400))
			if lap == 1 {
				s[i] = float64(y * (1 + float64(0.6*g)))
			}
		}
	}
	return s
}
