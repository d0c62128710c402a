package pool

import (
	"fmt"
	"slices"
)

// Extend increases the number of slots to max; a smaller max has no effect. It does not raise the limit:
// call SetLimit to use the new slots. It is the only method of a Pool that allocates. Use it for pools of
// small objects, such as pointers, if their number is not known in advance.
//
// Handles remain valid, but objects move: pointers returned by Get, At and Acquire become invalid. New
// slots are used after all other free slots. The error wraps ErrLimit; the pool is then unchanged.
func (p *Pool[T]) Extend(max int) error {
	if max > MaxSlots {
		return fmt.Errorf("%w: %d is more than %d slots", ErrLimit, max, MaxSlots)
	}
	was := len(p.entries)
	if max < was {
		return nil
	}
	p.entries = append(slices.Clip(p.entries), make([]entry[T], max+1-was)...)
	p.used = append(slices.Clip(p.used), make([]uint64, max+1-was)...)
	p.marks.extend(max + 1)
	if p.ordered {
		p.order.extend(max + 1)
	}
	p.config.Max = max
	for i := was; i <= max; i++ {
		p.entries[i].key = unmarked | p.first<<indexBits | uint64(i+1)
		if !p.retainValues {
			fill(p.filler, &p.entries[i].value)
		}
	}
	p.entries[max].key = unmarked | p.first<<indexBits
	p.appendFree(uint64(was))
	return nil
}

// appendFree appends entry i, which links to the free entries after it, to the end of the free list.
func (p *Pool[T]) appendFree(i uint64) {
	if p.free == 0 {
		p.free = i
		return
	}
	at := &p.entries[p.free]
	for at.key&indexMask != 0 {
		at = &p.entries[at.key&indexMask]
	}
	at.key |= i
}
