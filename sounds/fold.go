package sounds

import "math/bits"

// The places of channels, as WAVEFORMATEXTENSIBLE counts them.
const (
	frontLeft = 1 << iota
	frontRight
	frontCentre
	lowFrequency
	backLeft
	backRight
	frontLeftOfCentre
	frontRightOfCentre
	backCentre
	sideLeft
	sideRight
)

// speakersOf returns the place of each channel: what the file says, or what is
// usual for that many.
func (c *Clip) speakersOf() []uint32 {
	mask := c.Speakers
	if bits.OnesCount32(mask) != c.Channels {
		mask = [...]uint32{
			1: frontCentre,
			2: frontLeft | frontRight,
			3: frontLeft | frontRight | frontCentre,
			4: frontLeft | frontRight | backLeft | backRight,
			5: frontLeft | frontRight | frontCentre | backLeft | backRight,
			6: frontLeft | frontRight | frontCentre | lowFrequency | backLeft | backRight,
			7: frontLeft | frontRight | frontCentre | lowFrequency | backCentre | sideLeft | sideRight,
			8: frontLeft | frontRight | frontCentre | lowFrequency | backLeft | backRight | sideLeft | sideRight,
		}[c.Channels]
	}
	places := make([]uint32, 0, c.Channels)
	for ; mask != 0; mask &= mask - 1 {
		places = append(places, mask&-mask)
	}
	return places
}

// folder turns frames of many channels into mono or stereo. One or two channels
// stay as they are; more are folded by the coefficients of ITU-R BS.775: the
// centre and what is beside or behind the listener at -3 dB, a single one behind
// at -6 dB in both ears, low-frequency effects not at all.
type folder struct {
	channels    int // that come in; 1 and 2 stay
	left, right [8]float64
}

func newFolder(c *Clip) *folder {
	f := &folder{channels: c.Channels}
	const half = 0.70710678118654752440 // -3 dB
	for i, place := range c.speakersOf() {
		switch place {
		case frontLeft:
			f.left[i] = 1
		case frontRight:
			f.right[i] = 1
		case lowFrequency:
		case backLeft, sideLeft, frontLeftOfCentre:
			f.left[i] = half
		case backRight, sideRight, frontRightOfCentre:
			f.right[i] = half
		case backCentre:
			f.left[i], f.right[i] = 0.5, 0.5
		default: // the front centre, and what hangs overhead
			f.left[i], f.right[i] = half, half
		}
	}
	return f
}

// fold appends to dst what becomes of src.
func (f *folder) fold(dst, src []float32) []float32 {
	if f.channels <= 2 {
		return append(dst, src...)
	}
	for ; len(src) >= f.channels; src = src[f.channels:] {
		l, r := 0.0, 0.0
		for ch, x := range src[:f.channels] {
			l += float64(float64(x) * f.left[ch])
			r += float64(float64(x) * f.right[ch])
		}
		dst = append(dst, float32(l), float32(r))
	}
	return dst
}

// fold returns the samples of a clip as mono or stereo.
func fold(c *Clip) (samples []float32, channels int) {
	if c.Channels <= 2 {
		return c.Samples, c.Channels
	}
	return newFolder(c).fold(make([]float32, 0, 2*c.Frames()), c.Samples), 2
}

// loudnessWeights returns what each channel counts in BS.1770.
func (c *Clip) loudnessWeights() []float64 {
	w := make([]float64, c.Channels)
	for i, place := range c.speakersOf() {
		switch place {
		case lowFrequency:
		case backLeft, backRight, sideLeft, sideRight, backCentre:
			w[i] = 1.41
		default:
			w[i] = 1
		}
	}
	return w
}
