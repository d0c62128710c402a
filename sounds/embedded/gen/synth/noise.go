package synth

// random is an integer random source (SplitMix64): the same numbers from the
// same seed everywhere.
type random uint64

func (r *random) bits() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit is uniform in 0..1.
func (r *random) unit() float64 {
	return float64(float64(r.bits()>>11) * 0x1p-53)
}

// between is uniform in lo..hi.
func (r *random) between(lo, hi float64) float64 {
	return lo + float64((hi-lo)*r.unit())
}

// noise is white, uniform in -1..1.
func noise(seed random) Signal {
	return func() float64 { return float64(2*seed.unit()) - 1 }
}

// noiseLoop is white noise that repeats itself after so many seconds: whatever
// filters it has come to the same state at the end of each lap.
func noiseLoop(seed random, seconds float64) Signal {
	n := frames(seconds)
	var lap Signal
	return byFrame(func(i int) float64 {
		if i%n == 0 {
			lap = noise(seed)
		}
		return lap()
	})
}

// dust is single clicks of random height, on average so many per second.
func dust(seed random, density Signal) Signal {
	return func() float64 {
		u := seed.unit()
		if u < density()/Rate {
			return seed.between(0.2, 1)
		}
		return 0
	}
}

// impulse is one click of height 1.
func impulse() Signal {
	return byFrame(func(i int) float64 { return float64(1 - min(i, 1)) })
}
