package pcm

// Decibels is a gain or a level: 20 log10 of an amplitude ratio. The zero value is unity gain.
type Decibels float64

// Silence is the gain at and below which a sound counts as silent. A fade to this gain or less ends in
// exact silence.
const Silence Decibels = -80

// log2of10 is log2(10).
const log2of10 = 3.32192809488736234787031942948939018

// Linear returns the amplitude factor 10^(d/20); -Inf gives 0, NaN gives NaN.
func (d Decibels) Linear() float64 {
	if d == 0 {
		return 1
	}
	return Exp2(float64(float64(d) * (log2of10 / 20)))
}

// Gain returns the amplitude factor that the mixer applies for a gain of d: 0 for Silence and less, otherwise the
// same as Linear.
func (d Decibels) Gain() float64 {
	if d <= Silence {
		return 0
	}
	return d.Linear()
}

// FromLinear returns the decibels of an amplitude factor. A factor of 0 gives -Inf, a negative factor gives NaN.
func FromLinear(factor float64) Decibels { return Decibels(float64(Log2(factor) * (20 / log2of10))) }

// FromPower returns the decibels of a power (a mean square). A power of 0 gives -Inf, a negative power gives NaN.
func FromPower(power float64) Decibels { return Decibels(float64(Log2(power) * (10 / log2of10))) }

// LUFS is a loudness relative to full scale, as defined by ITU-R BS.1770. Digital silence is -Inf.
type LUFS float64

// loudnessOffset is the offset of BS.1770, subtracted from the decibels of a K-weighted power.
const loudnessOffset = 0.691

// LoudnessOf returns the loudness of a signal. power is its mean square after the K-weighting filter of BS.1770,
// summed over the channels; samples at full scale are -1 and +1. A power of 0 gives -Inf.
func LoudnessOf(power float64) LUFS { return LUFS(float64(FromPower(power)) - loudnessOffset) }

// Power returns the K-weighted mean square of a loudness, summed over the channels; -Inf gives 0. It is the inverse
// of LoudnessOf.
func (l LUFS) Power() float64 {
	amplitude := Decibels(float64(l) + loudnessOffset).Linear()
	return float64(amplitude * amplitude)
}

// Semitones is a change of pitch: +12 is an octave up, which doubles the speed. The zero value leaves the
// pitch unchanged.
type Semitones float64

// Ratio returns the speed factor for this pitch: 2^(s/12).
func (s Semitones) Ratio() float64 { return Exp2(float64(s) / 12) }

// FromRatio returns the change of pitch for a speed factor. A factor of 0 gives -Inf, a negative factor gives NaN.
func FromRatio(ratio float64) Semitones { return Semitones(float64(Log2(ratio) * 12)) }
