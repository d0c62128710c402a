package pool

import "strconv"

const (
	indexBits = 22
	indexMask = 1<<indexBits - 1
	genStep   = 1 << indexBits // one generation in a key
	maxGen    = 1<<(63-indexBits) - 1

	// unmarked, in the key of a free entry, means that the entry is not in marks. A generation overflows
	// into this bit, and Acquire clears it, so generations wrap around.
	unmarked = 1 << 63

	// MaxSlots is the maximum number of slots of a pool: 4,194,303.
	MaxSlots = 1<<22 - 1
)

// Handle identifies one use of one slot: the slot number plus one in the low 22 bits and the generation
// in the next 41 bits. It is a plain value that can be compared, stored and passed on. It is valid until
// its object is released or killed, and stays invalid when the slot has a new owner. The zero Handle is
// never valid.
type Handle uint64

// Slot returns the slot number, 0..Max-1 for a handle from a pool, -1 for the zero Handle.
func (h Handle) Slot() int { return int(h&indexMask) - 1 }

// Generation returns the generation of the handle: Config.Generation for the first use of a slot, and one more for
// each later use, modulo 2^41. It is 0 for the zero Handle.
func (h Handle) Generation() uint64 { return uint64(h) >> indexBits }

// String returns "slot@generation", or "none" for the zero Handle.
func (h Handle) String() string {
	if h == 0 {
		return "none"
	}
	return strconv.Itoa(h.Slot()) + "@" + strconv.FormatUint(h.Generation(), 10)
}

// Reclaimed is the pattern that fills released objects in a program built with the tag pooldebug, so that a
// read through a stale pointer is noticed. Each 32-bit word of a number, at any depth, has this pattern;
// shorter numbers have its low bytes. Bools are true, and references are nil. Objects with Config.Keep are
// not filled. See docs/pool.md for the errors that this finds.
const Reclaimed = 0x1deadb0b
