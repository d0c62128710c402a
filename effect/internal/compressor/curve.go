package compressor

import (
	"math"

	"voicepool/pcm"
)

// curve is the static curve: how far a level is to be lowered. Levels are in octaves, binary
// logarithms of an amplitude, of 6.02 dB each.
//
// It is equation 4 of Giannoulis, Massberg and Reiss without its three cases. With the way d
// above the threshold and the knee's width w, c is d + w/2 held within 0..w, and the reduction
// is slope (c^2/(2w) + max(d - w/2, 0)).
type curve struct {
	begin float32 // where the knee begins: threshold - w/2
	width float32 // of the knee
	bend  float32 // 1/(2w), 0 for a hard knee
	slope float32 // 1 - 1/ratio
	quiet float32 // amplitudes up to this are surely not lowered; negative while it moves
}

// newCurve takes the threshold and the width of the knee in octaves.
func newCurve(threshold, width, slope float64) curve {
	c := curve{begin: float32(threshold - float64(width/2)), width: float32(width), slope: float32(slope), quiet: -1}
	if c.width > 0 {
		c.bend = 0.5 / c.width
	}
	return c
}

// hush finds the amplitude up to which nothing is lowered. The logarithm is off by less than
// 3e-5, so a thousandth is a wide margin.
func (c *curve) hush() { c.quiet = float32(pcm.Exp2(float64(c.begin)) * (1 - 0x1p-10)) }

// reductions fills dst with what each frame of key asks for, in octaves, 0 or more. The louder
// side counts. len(key) >= len(dst).
func (c *curve) reductions(dst []float32, key []pcm.Frame) {
	key = key[:len(dst)]
	begin, width, bend, slope := c.begin, c.width, c.bend, c.slope
	for i := range dst {
		x := &key[i]
		// As bits magnitudes are in the same order.
		peak := max(math.Float32bits(x[0])&^(1<<31), math.Float32bits(x[1])&^(1<<31), least)
		above := positive(octaves(peak) - begin)
		bent := lesser(above, width)
		dst[i] = float32(slope * (float32(float32(bent*bent)*bend) + (above - bent)))
	}
}

// positive returns x, or 0 where it is negative.
func positive(x float32) float32 {
	bits := math.Float32bits(x)
	return math.Float32frombits(bits &^ uint32(int32(bits)>>31))
}

// lesser returns the lesser of two values that are not negative.
func lesser(x, y float32) float32 {
	return math.Float32frombits(min(math.Float32bits(x), math.Float32bits(y)))
}
