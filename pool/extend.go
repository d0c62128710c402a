package pool

import (
	"fmt"
	"slices"
)

// Extend makes room for max objects, if there is less, and leaves the limit as it is. It is the
// one method that allocates: for a pool whose objects are small, such as pointers, and whose owner
// does not know beforehand how many there are going to be. Handles stay good, but objects move:
// what Get, At and Acquire have returned must not be used any more. A new slot is taken when
// there is no other free one. The error wraps ErrLimit; then nothing has changed.
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

// appendFree puts a place, and what follows it, behind all that is free.
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
