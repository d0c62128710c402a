package pcm

// faderRange is the number of decibels for a factor of ten in the position of a fader.
const faderRange = 60

// FromFader returns the gain of a volume slider at position 0..1: -Inf at 0, 0 dB at 1. It uses the curve of
// PulseAudio (pa_sw_volume_to_linear): the amplitude is position^3, so the gain is 60 log10(position) dB. This is -18
// dB in the middle and -60 dB at a tenth. The curve is monotonic. It reaches Silence at 0.0465, and below that
// position the gain is -Inf. Positions are clamped to 0..1; NaN gives NaN. mixer.Bus.SetGain accepts every result
// except NaN.
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

// ToFader returns the slider position, 0..1, for which FromFader returns gain: 0 for Silence and less, 1 for
// 0 dB and more. NaN gives NaN.
func ToFader(gain Decibels) float64 {
	switch {
	case gain <= Silence:
		return 0
	case gain >= 0:
		return 1
	}
	return Exp2(float64(float64(gain) * (log2of10 / faderRange)))
}
