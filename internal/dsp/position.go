package dsp

// One is one frame of a position: 32 bits of frames, 32 of fraction.
const One = 1 << 32

// split returns the whole frame of a position and its fraction in [0, 1),
// rounded down to the 24 bits that a float32 holds exactly.
func split(pos int64) (frame int, fraction float32) {
	return int(pos >> 32), float32(uint32(pos)>>8) * 0x1p-24
}
