package pool

import "math/rand/v2"

// Pool is a pool of objects of type T. Create it with New. It must not be copied, and it is not safe for
// concurrent use.
type Pool[T any] struct {
	entries []entry[T] // by slot number + 1; the first one is unused
	marks   marks      // the entries that Next visits
	used    []uint64   // by number of active objects: the number of Acquires that found it
	free    uint64     // the first free entry, or 0

	uncheckedBelow int // below this number of active objects, Acquire needs no checks
	limit          int
	peak           int // the maximum of active objects since the last Advance

	// Len is acquired - released.
	acquired uint64
	released uint64 // including killed objects
	refused  uint64
	killed   uint64

	watched            bool // Acquire and Release have more to do than to take and return an entry
	ordered            bool
	retainValues       bool
	overflowing        bool   // Choose, or OnRelease of a victim, is running
	first              uint64 // the generation of the first use of every slot
	fresh              int    // the first slot without a Make
	base               int    // the limit that a grown pool shrinks back to
	idle               int    // ticks without need for the last step
	high               int    // the maximum of active objects before the last Advance
	minAtOverflow      int    // the minimum of active objects at an overflow; -1: no overflow
	writesAfterRelease uint64
	order              order
	config             Config[T]
	filler             filler
}

// entry is a slot and its header.
type entry[T any] struct {
	// key is the handle of an active entry. In a free entry it holds the generation of the next use and
	// the next free entry or 0, in the bits of the index. No entry follows itself, so no handle, valid or
	// invented, equals the key of a free entry. A free entry may also be unmarked.
	key   uint64
	value T
}

// New creates a pool with room for c.Max objects, of which c.Size may be active at first. This is all the
// memory that it uses: only Extend allocates more. The error wraps ErrConfig.
func New[T any](c Config[T]) (*Pool[T], error) {
	c, err := c.normal()
	if err != nil {
		return nil, err
	}
	p := &Pool[T]{
		entries: make([]entry[T], c.Max+1), marks: newMarks(c.Max + 1), used: make([]uint64, c.Max+1), free: 1,
		limit: c.Size, base: c.Size, minAtOverflow: -1,
		ordered: c.Order != Unordered, retainValues: c.Keep, config: c, filler: newFiller[T](),
	}
	p.watched = p.ordered || c.Make != nil || c.OnAcquire != nil || c.OnRelease != nil || debug && !p.retainValues
	if p.ordered {
		p.order = order{make([]rank, 0, c.Max+1), make([]uint32, c.Max+1)}
	}
	if p.first = c.Generation; p.first == 0 {
		p.first = rand.Uint64N(maxGen + 1)
	}
	for i := range p.entries {
		// The first entry has successor 1, so its key is not a handle.
		p.entries[i].key = unmarked | p.first<<indexBits | uint64(i+1)
		if !p.retainValues {
			fill(p.filler, &p.entries[i].value)
		}
	}
	p.entries[c.Max].key = unmarked | p.first<<indexBits
	if c.Make != nil {
		for ; p.fresh < c.Size; p.fresh++ {
			c.Make(p.fresh, &p.entries[p.fresh+1].value)
		}
	}
	return p, nil
}

// Acquire takes a free slot and returns its handle and object: a zero T, or with Config.Keep the object as
// its last owner left it. The same calls take the same slots in every run. A full pool grows, kills or
// refuses as Config selects; Acquire returns 0, nil and false if there is no room.
//
// The object belongs to the caller until it is released or killed. Keep the handle rather than the pointer:
// after that, Get returns nil for the handle.
func (p *Pool[T]) Acquire() (Handle, *T, bool) {
	n := int(p.acquired - p.released)
	p.used[n]++
	if n >= p.uncheckedBelow && !p.ready(n) {
		return 0, nil, false
	}
	i := p.free
	at := &p.entries[i]
	key := at.key
	if key >= unmarked {
		p.marks.add(i)
		key -= unmarked
	}
	h := key&^indexMask | i
	p.free = key & indexMask
	at.key = h
	p.acquired++
	if p.watched && !p.completeAcquire(Handle(h), &at.value) {
		return 0, nil, false
	}
	return Handle(h), &at.value, true
}

// ready makes room for another object in a pool with n active ones, and updates the peak. It returns false if
// the pool refuses the object. Acquire calls it when n has reached the limit or the peak.
func (p *Pool[T]) ready(n int) bool {
	if n >= p.limit && !p.makeRoom() {
		p.refused++
		return false
	}
	p.peak = max(p.peak, p.Len()+1)
	p.updateUnchecked()
	return true
}

// updateUnchecked updates uncheckedBelow after a change of limit or peak.
func (p *Pool[T]) updateUnchecked() { p.uncheckedBelow = min(p.limit, p.peak) }

// completeAcquire completes Acquire in a watched pool: it clears or makes x and calls OnAcquire. It returns false if
// OnAcquire has released h.
func (p *Pool[T]) completeAcquire(h Handle, x *T) bool {
	slot := h.Slot()
	if !p.retainValues {
		p.writesAfterRelease += renew(p.filler, x)
	}
	if p.ordered {
		p.order.push(slot, p.acquired)
	}
	if p.config.Make != nil && slot == p.fresh {
		p.fresh++
		p.config.Make(slot, x)
	}
	if p.config.OnAcquire != nil {
		p.config.OnAcquire(h, x)
		return p.Get(h) != nil
	}
	return true
}

// Release returns the object of h to the pool. If h is not valid, Release has no effect and returns
// false.
func (p *Pool[T]) Release(h Handle) bool { return p.reclaim(h, false) }

// reclaim returns the object of h to the pool and reports true; killed is passed to OnRelease. It returns false,
// without an effect, if h is not valid.
func (p *Pool[T]) reclaim(h Handle, killed bool) bool {
	i := uint64(h) & indexMask
	if i >= uint64(len(p.entries)) {
		return false
	}
	at := &p.entries[i]
	if at.key != uint64(h) {
		return false
	}
	if p.watched {
		p.prepareRelease(h, at, killed)
	}
	if !p.retainValues {
		var zero T
		at.value = zero
		fill(p.filler, &at.value)
	}
	at.key = uint64(h)&^indexMask + genStep | p.free
	p.free = i
	p.released++
	return true
}

// prepareRelease begins Release in a watched pool: it removes h from the order and calls OnRelease. at is the entry of
// h; killed is passed to OnRelease.
func (p *Pool[T]) prepareRelease(h Handle, at *entry[T], killed bool) {
	if p.ordered {
		p.order.remove(h.Slot())
	}
	if p.config.OnRelease != nil {
		// The handle is stale now, but the entry is not free yet. So OnRelease may use the pool, and no
		// new object gets this entry.
		at.key = uint64(h) &^ indexMask
		p.config.OnRelease(h, &at.value, killed)
		// Next, called by OnRelease, may have removed the mark.
		p.marks.add(uint64(h) & indexMask)
	}
}

// Get returns the object of h, or nil if h is not valid. The pointer is valid until h is released or killed, or the
// pool is extended.
func (p *Pool[T]) Get(h Handle) *T {
	i := uint64(h) & indexMask
	if i >= uint64(len(p.entries)) || p.entries[i].key != uint64(h) {
		return nil
	}
	return &p.entries[i].value
}

// At returns the object in a slot, from 0, or nil if the slot is free or out of range.
func (p *Pool[T]) At(slot int) *T {
	if p.HandleAt(slot) == 0 {
		return nil
	}
	return &p.entries[slot+1].value
}

// HandleAt returns the handle of the object in a slot, from 0, or 0 if the slot is free or out of range.
func (p *Pool[T]) HandleAt(slot int) Handle {
	i := uint64(slot + 1)
	if i >= uint64(len(p.entries)) {
		return 0
	}
	key := p.entries[i].key
	if key&indexMask != i {
		return 0
	}
	return Handle(key)
}

// Len returns the number of active objects, which may exceed Limit after SetLimit.
func (p *Pool[T]) Len() int { return int(p.acquired - p.released) }

// Max returns the number of slots: Config.Max, or more after Extend.
func (p *Pool[T]) Max() int { return len(p.entries) - 1 }
