package synth

import "voicepool/sounds/internal/wave"

// random is the random source of all recipes.
type random = wave.Random

// noise returns white noise, uniform in -1..1. Equal values of seed give equal noise.
func noise(seed random) Signal {
	return func() float64 { return float64(2*seed.Unit()) - 1 }
}

// noiseLoop returns white noise of seed that repeats after seconds, so that filters reach the same state at the end
// of each lap.
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

// dust returns random clicks, each of one sample with a height of 0.2 to 1, density per second on average, and 0
// between them. Equal values of seed give equal clicks.
func dust(seed random, density Signal) Signal {
	return func() float64 {
		u := seed.Unit()
		if u < density()/Rate {
			return seed.Between(0.2, 1)
		}
		return 0
	}
}

// impulse returns a signal that is 1 for one frame, and then 0.
func impulse() Signal {
	return byFrame(func(i int) float64 { return float64(1 - min(i, 1)) })
}
