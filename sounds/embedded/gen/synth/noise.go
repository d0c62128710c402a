package synth

import "voicepool/sounds/internal/wave"

// random is the random source of all recipes.
type random = wave.Random

// noise returns white noise, uniform in -1..1. Equal values of seed give equal noise.
func noise(seed random) Signal {
	return func() float64 { return float64(2*seed.Unit()) - 1 }
}

// noiseLoop returns white noise that repeats after the given seconds. Filters therefore reach the same state at the
// end of each repetition, and a loop has no seam. seed selects the noise.
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

// dust returns random clicks with silence between them. A click is a single sample of 0.2 to 1. density is the
// average number of clicks per second. Equal values of seed give equal clicks.
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
