package pcm

// LUFS is a loudness relative to full scale, by ITU-R BS.1770. Silence is -Inf.
type LUFS float64

// loudnessOffset is what BS.1770 takes off the decibels of a K-weighted power.
const loudnessOffset = 0.691

// LoudnessOf returns the loudness of a K-weighted mean square, summed over the
// channels; 0 gives -Inf.
func LoudnessOf(power float64) LUFS {
	return LUFS(float64(FromPower(power)) - loudnessOffset)
}

// Power returns the K-weighted mean square of a loudness.
func (l LUFS) Power() float64 {
	amplitude := Decibels(float64(l) + loudnessOffset).Linear()
	return float64(amplitude * amplitude)
}
