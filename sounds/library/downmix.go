package library

import "math/bits"

// The channel bits of WAVEFORMATEXTENSIBLE.
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

// minus3dB is -3 dB.
const minus3dB = 0.70710678118654752440

// channelGains is the gain of a channel in a stereo downmix (ITU-R BS.775), and its weight in the loudness of
// BS.1770.
type channelGains struct{ left, right, weight float64 }

// channelDownmix lists the channels that are not downmixed like the front center.
var channelDownmix = map[uint32]channelGains{
	frontLeft:          {1, 0, 1},
	frontRight:         {0, 1, 1},
	lowFrequency:       {0, 0, 0},
	backLeft:           {minus3dB, 0, 1.41},
	backRight:          {0, minus3dB, 1.41},
	frontLeftOfCentre:  {minus3dB, 0, 1},
	frontRightOfCentre: {0, minus3dB, 1},
	backCentre:         {0.5, 0.5, 1.41},
	sideLeft:           {minus3dB, 0, 1.41},
	sideRight:          {0, minus3dB, 1.41},
}

// downmixer returns how each channel is heard, in the order of the file: its gains in a stereo downmix and its weight
// in the loudness. The positions of the channels come from the channel mask c.Speakers. If the mask does not match
// the number of channels, the usual layout for that number applies. Requires 1..8 channels.
func (c *Clip) downmixer() downmixer {
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
	list := make(downmixer, 0, c.Channels)
	for ; mask != 0; mask &= mask - 1 {
		h, ok := channelDownmix[mask&-mask]
		if !ok { // the front center and the height channels
			h = channelGains{minus3dB, minus3dB, 1}
		}
		list = append(list, h)
	}
	return list
}

// downmixer downmixes frames to stereo, given the gains of each channel. Mono and stereo frames are unchanged.
type downmixer []channelGains

// mix appends the stereo downmix of src to dst and returns the extended slice. src has interleaved samples of len(f)
// channels. Mono and stereo samples are appended unchanged. With more channels, an incomplete frame at the end is
// ignored.
func (f downmixer) mix(dst, src []float32) []float32 {
	if len(f) <= 2 {
		return append(dst, src...)
	}
	for ; len(src) >= len(f); src = src[len(f):] {
		l, r := 0.0, 0.0
		for ch, x := range src[:len(f)] {
			l += float64(float64(x) * f[ch].left)
			r += float64(float64(x) * f[ch].right)
		}
		dst = append(dst, float32(l), float32(r))
	}
	return dst
}

// downmix returns the interleaved samples of the clip c as mono or stereo, and their number of channels, 1 or 2. A
// clip with more channels is mixed to stereo in new memory. The samples of a mono or stereo clip are returned
// themselves, without a copy.
func downmix(c *Clip) (samples []float32, channels int) {
	if c.Channels <= 2 {
		return c.Samples, c.Channels
	}
	return c.downmixer().mix(make([]float32, 0, 2*c.Frames()), c.Samples), 2
}

// loudnessWeights returns the weight of each channel in the loudness of BS.1770, in the order of the file: 1, 1.41
// for rear and side channels, or 0 for the LFE. Requires 1..8 channels.
func (c *Clip) loudnessWeights() []float64 {
	w := make([]float64, c.Channels)
	for i, h := range c.downmixer() {
		w[i] = h.weight
	}
	return w
}
