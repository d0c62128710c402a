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
	was := len(p.places)
	if max < was {
		return nil
	}
	p.places = append(slices.Clip(p.places), make([]place[T], max+1-was)...)
	p.used = append(slices.Clip(p.used), make([]uint64, max+1-was)...)
	p.marks.extend(max + 1)
	if p.ordered {
		p.order.extend(max + 1)
	}
	p.config.Max = max
	for i := was; i <= max; i++ {
		p.places[i].key = unmarked | p.first<<placeBits | uint64(i+1)
		if !p.keep {
			fill(p.filler, &p.places[i].value)
		}
	}
	p.places[max].key = unmarked | p.first<<placeBits
	p.appendFree(uint64(was))
	return nil
}

// appendFree appends place i, which links to the free places after it, to the end of the free list.
func (p *Pool[T]) appendFree(i uint64) {
	if p.free == 0 {
		p.free = i
		return
	}
	at := &p.places[p.free]
	for at.key&placeMask != 0 {
		at = &p.places[at.key&placeMask]
	}
	at.key |= i
}
