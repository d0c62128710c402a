package wav

import (
	"encoding/binary"
	"math"
	"slices"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// encoder turns frames into bytes. The bytes of a frame depend on the frame and its number only, not on the
// block size or the output.
type encoder struct {
	format  Format
	outputs int
	dither  pcm.Dither
	clipped int64
}

// encode appends the encoded frames of interleaved outputs to buf, and returns it. n is the number of the first
// frame of each output, which selects the dither noise.
func (e *encoder) encode(buf []byte, frames []pcm.Frame, n int64) []byte {
	le := binary.LittleEndian
	switch e.format {
	case F32:
		for _, f := range frames {
			buf = le.AppendUint32(buf, math.Float32bits(f[0]))
			buf = le.AppendUint32(buf, math.Float32bits(f[1]))
		}
	case S24:
		whole := len(buf)
		buf = slices.Grow(buf, 6*len(frames))[:whole+6*len(frames)]
		e.clipped += dsp.Integers24(buf[whole:], frames)
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
