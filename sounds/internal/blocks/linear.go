package blocks

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Kind is the number format of a sample.
type Kind uint8

// The kinds of samples.
const (
	Unsigned Kind = iota
	Signed
	Float
	ALaw
	ULaw
)

// linear lists the encodings with independent samples.
var linear = [...]struct {
	kind   Kind
	bytes  int // per sample
	name   string
	decode func(dst []float32, src []byte)
}{
	{Unsigned, 1, "u8", decodeU8}, {Signed, 1, "s8", decodeS8}, {Signed, 2, "s16", decodeS16}, {Signed, 3, "s24", decodeS24},
	{Signed, 4, "s32", decodeS32}, {Float, 4, "f32", decodeF32}, {Float, 8, "f64", decodeF64},
	{ALaw, 1, "alaw", decodeALaw}, {ULaw, 1, "ulaw", decodeULaw},
}

// Linear returns the Encoding, with its decoder, of samples that do not depend on each other, such as PCM. kind is
// the number format, the parameter bytes the size of a sample, and big means big-endian. ok is false if the
// combination of kind and bytes is unsupported. With big the decoder has scratch space, so it is for one goroutine at
// a time.
func Linear(kind Kind, bytes, channels int, big bool) (e Encoding, ok bool) {
	for _, l := range linear {
		if l.kind != kind || l.bytes != bytes {
			continue
		}
		decode := l.decode
		if big && bytes > 1 {
			decode = swapped(bytes, decode)
		}
		return Encoding{Name: l.name, Bytes: bytes * channels, Frames: 1, Float: kind == Float, Decode: func(dst []float32, src []byte) error {
			decode(dst, src)
			return nil
		}}, true
	}
	return e, false
}

// Padded returns the Encoding, with its decoder, of signed samples that are right-aligned in larger words. A sample
// has the given number of bits in a word of 2 to 4 bytes, the parameter bytes; big means big-endian. The upper bits
// of the word are ignored. Samples are scaled to -1..1 and rounded to float32.
func Padded(bits, bytes, channels int, big bool) Encoding {
	name := fmt.Sprintf("s%d", (bits+7)/8*8)
	return Encoding{Name: name, Bytes: bytes * channels, Frames: 1, Decode: func(dst []float32, src []byte) error {
		for i := range dst {
			x := Word(src[bytes*i:][:bytes], big) << (8*bytes - bits)
			dst[i] = float32(x) / (1 << 31)
		}
		return nil
	}}
}

// Word returns the integer in b, which has at most 4 bytes, left-aligned in 32 bits. The lower bits of the result are
// 0. big means that b is big-endian.
func Word(b []byte, big bool) (x int32) {
	for i := range b {
		if big {
			i = len(b) - 1 - i
		}
		x = int32(uint32(x)>>8 | uint32(b[i])<<24)
	}
	return x
}

// swapped returns a decoder of big-endian samples, made from decode, a decoder of little-endian samples. The
// parameter bytes is the size of a sample. The result does not change its src. It has scratch space, so it is for one
// goroutine at a time.
func swapped(bytes int, decode func(dst []float32, src []byte)) func(dst []float32, src []byte) {
	var turned []byte
	return func(dst []float32, src []byte) {
		turned = append(turned[:0], src[:len(dst)*bytes]...)
		for sample := range slices.Chunk(turned, bytes) {
			slices.Reverse(sample)
		}
		decode(dst, turned)
	}
}

// Each decoder fills dst from the beginning of src, which must be long enough. Integers are divided by their
// full scale, a power of two, so up to 24 bits are exact; 32-bit integers and doubles are rounded once.

// decodeU8 fills dst with the unsigned samples of 8 bits in src, scaled to -1..1; 128 is 0. src must be long enough.
func decodeU8(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int(src[i])-128) / (1 << 7)
	}
}

// decodeS8 fills dst with the signed samples of 8 bits in src, scaled to -1..1. src must be long enough.
func decodeS8(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int8(src[i])) / (1 << 7)
	}
}

// decodeS16 fills dst with the little-endian signed samples of 16 bits in src, scaled to -1..1. src must be long
// enough.
func decodeS16(dst []float32, src []byte) {
	for ; len(dst) >= 4 && len(src) >= 8; dst, src = dst[4:], src[8:] {
		x := binary.LittleEndian.Uint64(src)
		dst[0], dst[1] = float32(int16(x))/(1<<15), float32(int16(x>>16))/(1<<15)
		dst[2], dst[3] = float32(int16(x>>32))/(1<<15), float32(int16(x>>48))/(1<<15)
	}
	for i := range dst {
		dst[i] = float32(int16(binary.LittleEndian.Uint16(src[2*i:]))) / (1 << 15)
	}
}

// decodeS24 fills dst with the little-endian signed samples of 24 bits in src, scaled to -1..1. src must be long
// enough.
func decodeS24(dst []float32, src []byte) {
	for i := range dst {
		b := src[3*i : 3*i+3]
		dst[i] = float32(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)>>8) / (1 << 23)
	}
}

// decodeS32 fills dst with the little-endian signed samples of 32 bits in src, scaled to -1..1 and rounded to
// float32. src must be long enough.
func decodeS32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int32(binary.LittleEndian.Uint32(src[4*i:]))) / (1 << 31)
	}
}

// decodeF32 fills dst with the little-endian floats of 32 bits in src, unscaled. NaN, infinities and values beyond 1
// stay as they are. src must be long enough.
func decodeF32(dst []float32, src []byte) {
	_, _ = binary.Decode(src, binary.LittleEndian, dst) // src is long enough
}

// decodeF64 fills dst with the little-endian floats of 64 bits in src, unscaled and rounded to float32. Values beyond
// the range of float32 become infinite. src must be long enough.
func decodeF64(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
	}
}

// decodeALaw decodes ITU-T G.711 A-law: it fills dst with the samples in src, one byte each, scaled to -1..1. A
// sample has 13 bits, which are left-aligned in 16. src must be long enough.
func decodeALaw(dst []float32, src []byte) {
	for i := range dst {
		b := src[i] ^ 0x55
		x := int(b&15)<<4 + 8
		if segment := b >> 4 & 7; segment > 0 {
			x = (x + 0x100) << (segment - 1)
		}
		if b&0x80 == 0 {
			x = -x
		}
		dst[i] = float32(x) / (1 << 15)
	}
}

// decodeULaw decodes ITU-T G.711 u-law: it fills dst with the samples in src, one byte each, scaled to -1..1. A
// sample has 14 bits, which are left-aligned in 16. src must be long enough.
func decodeULaw(dst []float32, src []byte) {
	for i := range dst {
		b := ^src[i]
		x := (int(b&15)<<3+0x84)<<(b>>4&7) - 0x84
		if b&0x80 != 0 {
			x = -x
		}
		dst[i] = float32(x) / (1 << 15)
	}
}
