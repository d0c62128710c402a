package pool

import "iter"

// Next is the first active slot that is not less than slot, -1 if there is none. Objects may
// come and go between two calls, as the loop of All shows. A walk costs one step for each
// active object, and one, once, for each that was released since the last walk.
func (p *Pool[T]) Next(slot int) int {
	i := p.marks.next(max(slot, 0) + 1)
	for i > 0 && p.places[i].key&placeMask != uint64(i) {
		p.marks.remove(i)
		p.places[i].key |= unmarked
		i = p.marks.next(i + 1)
	}
	return i - 1
}

// All goes through the active objects in the order of their slots, at the cost
// of Next, and allocates nothing. The body may release any of them, which then
// do not come up any more, and acquire new ones, which come up if their slot is
// still ahead.
func (p *Pool[T]) All() iter.Seq2[Handle, *T] {
	return func(yield func(Handle, *T) bool) {
		for s := p.Next(0); s >= 0; s = p.Next(s + 1) {
			at := &p.places[s+1]
			if !yield(Handle(at.key), &at.value) {
				return
			}
		}
	}
}

// Nth is the handle of the active object that has i others in smaller slots, 0
// unless 0 <= i < Len. It walks there: good for picking one now and then.
func (p *Pool[T]) Nth(i int) Handle {
	if i < 0 {
		return 0
	}
	s := p.Next(0)
	for ; i > 0 && s >= 0; i-- {
		s = p.Next(s + 1)
	}
	return p.HandleAt(s)
}

// Free goes through the free slots, the one that Acquire will take next first.
// The body must leave the pool as it is.
func (p *Pool[T]) Free() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := p.free; i > 0; i = p.places[i].key & placeMask {
			if !yield(int(i) - 1) {
				return
			}
		}
	}
}

// Clear releases all active objects, in the order of their slots, as at the end
// of a scene, and says how many there were.
func (p *Pool[T]) Clear() int {
	n := 0
	for h := range p.All() {
		if p.Release(h) {
			n++
		}
	}
	return n
}
