package pool

import (
	"fmt"
	"math/bits"
)

const (
	DebugFill = debug
	Overflown = maxGen // the last generation before it wraps around
)

// Check returns an error if the pool's internal state is inconsistent. It must not be called from a hook.
func (p *Pool[T]) Check() error {
	free := map[uint64]bool{}
	for i := p.free; i != 0; i = p.entries[i].key & indexMask {
		if free[i] || i >= uint64(len(p.entries)) {
			return fmt.Errorf("free list: comes to place %d of %d, seen before: %v", i, len(p.entries), free[i])
		}
		free[i] = true
	}
	active := 0
	for i := range p.entries {
		key := p.entries[i].key
		marked := p.marks.words[i/64]>>(i%64)&1 == 1
		if above := p.marks.above[i/4096]>>(i/64%64)&1 == 1; above != (p.marks.words[i/64] != 0) {
			return fmt.Errorf("marks above word %d: %v", i/64, above)
		}
		if key&indexMask == uint64(i) {
			active++
			if !marked || free[uint64(i)] || key >= unmarked {
				return fmt.Errorf("active place %d: marked %v, free %v, key %#x", i, marked, free[uint64(i)], key)
			}
		} else if i > 0 && (!free[uint64(i)] || key < unmarked && !marked) {
			return fmt.Errorf("free place %d: in list %v, marked %v, key %#x", i, free[uint64(i)], marked, key)
		}
	}
	if active != p.Len() || active+len(free) != p.Max() {
		return fmt.Errorf("%d active and %d free places, Len is %d, Max %d", active, len(free), p.Len(), p.Max())
	}
	if p.uncheckedBelow != min(p.limit, p.peak) || p.peak < p.Len() {
		return fmt.Errorf("easy %d, limit %d, peak %d, Len %d", p.uncheckedBelow, p.limit, p.peak, p.Len())
	}
	if p.ordered && len(p.order.heap) != active {
		return fmt.Errorf("%d ranks for %d active", len(p.order.heap), active)
	}
	for i := range p.order.heap {
		r := &p.order.heap[i]
		if p.order.at[r.slot] != uint32(i) || i > 0 && r.before(&p.order.heap[(i-1)/2]) {
			return fmt.Errorf("order: rank %d is out of place", i)
		}
	}
	return nil
}

// SkipToLast leaves only the last slot free, so that a test of the largest pool does not have to fill it.
func (p *Pool[T]) SkipToLast() { p.free = uint64(p.Max()) }

// Marked returns the number of slots that an iteration would visit.
func (p *Pool[T]) Marked() int {
	n := 0
	for _, w := range p.marks.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Ordinal exports ordinal, the mapping of scores that defines their order.
func Ordinal(x float64) uint64 { return ordinal(x) }
