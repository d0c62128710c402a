package pcm

// Decibels is a gain or a level: 20 log10 of an amplitude ratio. The zero
// value changes nothing.
type Decibels float64

// Silence is the gain from which down a sound counts as silent: a move that
// ends here or lower ends in exact silence.
const Silence Decibels = -80

// log2of10 is log2(10).
const log2of10 = 3.32192809488736234787031942948939018

// Linear returns the amplitude factor 10^(d/20); -Inf gives 0.
func (d Decibels) Linear() float64 {
	if d == 0 {
		return 1
	}
	return Exp2(float64(float64(d) * (log2of10 / 20)))
}

// Gain returns the factor that a gain of d means to a listener: Linear, but 0
// for Silence and less.
func (d Decibels) Gain() float64 {
	if d <= Silence {
		return 0
	}
	return d.Linear()
}

// FromLinear returns the decibels of an amplitude factor; 0 gives -Inf.
func FromLinear(factor float64) Decibels {
	return Decibels(float64(Log2(factor) * (20 / log2of10)))
}

// FromPower returns the decibels of a power (a mean square); 0 gives -Inf.
func FromPower(power float64) Decibels {
	return Decibels(float64(Log2(power) * (10 / log2of10)))
}
