package wav

import (
	"encoding/binary"
	"math"
)

// The format tags that mean more than an encoding.
const (
	tagPCM        = 1
	tagExtensible = 0xfffe
)

// encodings are those that are read. Of whole numbers any bits of a byte count.
var encodings = [...]struct {
	tag    uint16
	bytes  int // a sample
	name   string
	decode func(dst []float32, src []byte)
}{
	{tagPCM, 1, "u8", decodeU8}, {tagPCM, 2, "s16", decodeS16}, {tagPCM, 3, "s24", decodeS24}, {tagPCM, 4, "s32", decodeS32},
	{3, 4, "f32", decodeF32}, {3, 8, "f64", decodeF64}, {6, 1, "alaw", decodeALaw}, {7, 1, "ulaw", decodeULaw},
}

// Each of these fills dst from the beginning of src, which is long enough.
// Integers are divided by their full scale, a power of two, so that up to 24
// bits are exact; 32 bits and doubles are rounded once.

func decodeU8(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int(src[i])-128) / (1 << 7)
	}
}

func decodeS16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int16(binary.LittleEndian.Uint16(src[2*i:]))) / (1 << 15)
	}
}

func decodeS24(dst []float32, src []byte) {
	for i := range dst {
		b := src[3*i : 3*i+3]
		dst[i] = float32(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)>>8) / (1 << 23)
	}
}

func decodeS32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int32(binary.LittleEndian.Uint32(src[4*i:]))) / (1 << 31)
	}
}

func decodeF32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

func decodeF64(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
	}
}

// decodeALaw expands ITU-T G.711 A-law to 13 bits, left-aligned in 16.
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

// decodeULaw expands ITU-T G.711 u-law to 14 bits, left-aligned in 16.
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
