package pcm

// Semitones is a pitch, relative: 12 make an octave. The zero value changes
// nothing.
type Semitones float64

// Ratio returns the speed that gives this pitch: 2^(s/12).
func (s Semitones) Ratio() float64 {
	return Exp2(float64(s) / 12)
}

// FromRatio returns the semitones of a speed above 0.
func FromRatio(ratio float64) Semitones {
	return Semitones(float64(Log2(ratio) * 12))
}
