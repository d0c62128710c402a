package pcm

// faderRange is how many decibels a tenfold position of a fader means.
const faderRange = 60

// FromFader returns the gain of a volume slider at position, 0..1: silence (-Inf) at 0,
// 0 dB at 1. The curve is that of PulseAudio (pa_sw_volume_to_linear): the amplitude is
// position^3, so the gain is 60 log10(position) dB: -18 dB in the middle, -60 dB at a
// tenth. It never falls. Where it reaches Silence, below 0.0465, it is -Inf. Positions
// outside are taken as 0 or 1. Bus.SetGain takes all that it returns, except for NaN.
func FromFader(position float64) Decibels {
	if position >= 1 {
		return 0
	}
	gain := Decibels(float64(Log2(max(position, 0)) * (faderRange / log2of10)))
	if gain <= Silence {
		return FromLinear(0)
	}
	return gain
}

// ToFader returns the position of a volume slider, 0..1, at which FromFader returns gain:
// 0 for Silence and less, 1 for 0 dB and more.
func ToFader(gain Decibels) float64 {
	switch {
	case gain <= Silence:
		return 0
	case gain >= 0:
		return 1
	}
	return Exp2(float64(float64(gain) * (log2of10 / faderRange)))
}
