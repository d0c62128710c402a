package dsp

import (
	"math"

	"voicepool/pcm"
)

// Knee is the static curve of a compressor. Levels are in octaves: binary logarithms of an amplitude.
type Knee struct {
	Begin float32 // start of the knee: threshold - width/2
	Width float32 // of the knee
	Bend  float32 // 1/(2 width), 0 for a hard knee
	Slope float32 // 1 - 1/ratio
}

// Reductions fills dst with the reduction of each frame of key in octaves, 0 or more. The louder channel
// decides. len(key) >= len(dst).
func (k *Knee) Reductions(dst []float32, key []pcm.Frame) {
	key = key[:len(dst)]
	n := 0
	if level != generic {
		if n = len(dst) &^ 7; n > 0 {
			reductions(&dst[0], &key[0][0], n, &k.Begin)
		}
	}
	for i := n; i < len(dst); i++ {
		x := &key[i]
		// The bits of magnitudes are ordered like the magnitudes.
		peak := max(math.Float32bits(x[0])&^(1<<31), math.Float32bits(x[1])&^(1<<31), quietest)
		above := positive(octaves(peak) - k.Begin)
		bent := minNonNegative(above, k.Width)
		dst[i] = float32(k.Slope * (float32(float32(bent*bent)*k.Bend) + (above - bent)))
	}
}

// positive returns x, or 0 if it is negative.
func positive(x float32) float32 {
	bits := math.Float32bits(x)
	return math.Float32frombits(bits &^ uint32(int32(bits)>>31))
}

// minNonNegative returns the smaller of two values, which are not negative.
func minNonNegative(x, y float32) float32 {
	return math.Float32frombits(min(math.Float32bits(x), math.Float32bits(y)))
}

// Lower attenuates each frame of block by the octaves in x, 0..60, and multiplies it by gain. len(x) >=
// len(block).
func Lower(block []pcm.Frame, x []float32, gain float32) {
	x = x[:len(block)]
	n := 0
	if level != generic {
		if n = len(block) &^ 7; n > 0 {
			lower(&block[0][0], &x[0], n, gain)
		}
	}
	for i := n; i < len(block); i++ {
		g := float32(lowered(x[i]) * gain)
		f := &block[i]
		f[0], f[1] = float32(f[0]*g), float32(f[1]*g)
	}
}
