package pool

import "strconv"

const (
	placeBits = 22
	placeMask = 1<<placeBits - 1
	genStep   = 1 << placeBits // what one generation adds to a key
	maxGen    = 1<<(63-placeBits) - 1

	// unmarked, in the key of a free place, says that it is not in marks. It is
	// also where the generation goes when it overflows; as Acquire clears it,
	// that is all there is to coming round.
	unmarked = 1 << 63

	// MaxSlots is the largest number of slots a pool may have: 4,194,303.
	MaxSlots = 1<<22 - 1
)

// Handle names one use of one slot: the slot's number plus one in the low 22 bits, and the
// generation of its use in the next 41. It is a plain value: compare it, keep it, pass it on.
// It names its object until that is released, and nothing from then on, even when the slot
// has a new owner. The zero Handle names nothing from the start.
type Handle uint64

// Slot is the number of the slot, 0..Max-1 for a handle that a pool has given
// out, -1 for the zero Handle.
func (h Handle) Slot() int { return int(h&placeMask) - 1 }

// Generation counts the uses of the slot, modulo 2^41. It starts anywhere: see
// Config.Generation.
func (h Handle) Generation() uint64 { return uint64(h) >> placeBits }

// String is "slot@generation", or "none" for the zero Handle.
func (h Handle) String() string {
	if h == 0 {
		return "none"
	}
	return strconv.Itoa(h.Slot()) + "@" + strconv.FormatUint(h.Generation(), 10)
}

// Reclaimed is what an object is filled with when its slot is free, in programs built with
// the tag pooldebug: every number in it, however nested, has this pattern in each of its
// 32-bit words (a shorter one has the lower part), bools are true, and all that refers to
// something is nil. docs/pool.md says what that finds.
const Reclaimed = 0x1deadb0b
