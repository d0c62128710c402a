package pool

import "iter"

// Next returns the number of the first active slot at or after slot, or -1. A negative slot is like 0. To walk the
// pool without a closure, start with Next(0) and continue with Next(s+1). Objects may be acquired and released
// between calls. A complete walk takes one step for each active object and for each object released since the last
// walk.
func (p *Pool[T]) Next(slot int) int {
	i := p.marks.next(max(slot, 0) + 1)
	for i > 0 && p.entries[i].key&indexMask != uint64(i) {
		p.marks.remove(i)
		p.entries[i].key |= unmarked
		i = p.marks.next(i + 1)
	}
	return i - 1
}

// All iterates over the active objects in the order of their slots. It does not allocate. The loop body
// may release objects, which are then skipped, and acquire objects, which appear if their slot is still
// ahead.
func (p *Pool[T]) All() iter.Seq2[Handle, *T] {
	return func(yield func(Handle, *T) bool) {
		for s := p.Next(0); s >= 0; s = p.Next(s + 1) {
			at := &p.entries[s+1]
			if !yield(Handle(at.key), &at.value) {
				return
			}
		}
	}
}

// Clear releases all active objects in the order of their slots, and returns their number.
func (p *Pool[T]) Clear() int {
	n := 0
	for h := range p.All() {
		if p.Release(h) {
			n++
		}
	}
	return n
}
