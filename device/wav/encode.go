package wav

import (
	"encoding/binary"
	"math"

	"voicepool/pcm"
)

// encoder turns frames into bytes. What it gives for a frame depends on the
// frame and its number only, not on the output.
type encoder struct {
	format  Format
	outputs int
	dither  pcm.Dither
	clipped int64
}

// encode appends interleaved frames to buf, the first of each output being number n.
func (e *encoder) encode(buf []byte, frames []pcm.Frame, n int64) []byte {
	le := binary.LittleEndian
	switch e.format {
	case F32:
		for _, f := range frames {
			buf = le.AppendUint32(buf, math.Float32bits(f[0]))
			buf = le.AppendUint32(buf, math.Float32bits(f[1]))
		}
	case S24:
		for _, f := range frames {
			for _, x := range f {
				v := e.quantise(float64(x) * full)
				buf = append(buf, byte(v), byte(v>>8), byte(v>>16))
			}
		}
	case S16:
		for ; len(frames) > 0; frames = frames[e.outputs:] {
			for _, f := range frames[:e.outputs] {
				for c, x := range f {
					v, clipped := e.dither.Int16(x, 2*uint64(n)+uint64(c))
					if clipped {
						e.clipped++
					}
					buf = le.AppendUint16(buf, uint16(v))
				}
			}
			n++
		}
	}
	return buf
}

// full is the magnitude of full scale in 24 bits.
const full = 1 << 23

// quantise rounds to the nearest integer, ties to even, and clips to
// -full..full-1. NaN becomes 0 and counts as clipped.
func (e *encoder) quantise(x float64) int32 {
	v := math.RoundToEven(x)
	switch {
	case v >= full:
		v = full - 1
	case v < -full:
		v = -full
	case v != v:
		v = 0
	default:
		return int32(v)
	}
	e.clipped++
	return int32(v)
}
