package wav

import (
	"encoding/binary"
	"math"

	"voicepool/pcm"
)

// encoder turns frames into bytes. What it gives for a frame depends on the
// frame and its number only.
type encoder struct {
	format  Format
	state   uint64 // the dither's, before the first sample
	clipped int64
}

func newEncoder(c Config) encoder {
	return encoder{format: c.Format, state: scramble(c.Seed)}
}

// encode appends frames to buf, the first of them being number n.
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
				v := e.quantise(float64(x)*(1<<23), 1<<23)
				buf = append(buf, byte(v), byte(v>>8), byte(v>>16))
			}
		}
	case S16:
		for i, f := range frames {
			for c, x := range f {
				v := int32(0)
				if x != 0 {
					number := 2*uint64(n+int64(i)) + uint64(c)
					v = e.quantise(float64(float64(x)*(1<<15))+triangular(e.state, number), 1<<15)
				}
				buf = le.AppendUint16(buf, uint16(v))
			}
		}
	}
	return buf
}

// quantise rounds to the nearest integer, ties to even, and clips to
// -full..full-1. NaN becomes 0 and counts as clipped.
func (e *encoder) quantise(x, full float64) int32 {
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

// triangular returns the difference of two numbers drawn evenly from 0..1: the
// dither that makes the mean and the power of the rounding error independent
// of the signal.
func triangular(state, number uint64) float64 {
	r := scramble(state + number*0x9e3779b97f4a7c15)
	return float64(int64(r>>32)-int64(r&0xffffffff)) / (1 << 32)
}

// scramble is the output function of splitmix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
