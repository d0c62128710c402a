package pool

import "math/rand/v2"

// Pool is a pool of objects of type T; New makes one. It belongs to one
// goroutine at a time: those that share it take turns, under a lock of theirs.
// It must not be copied.
type Pool[T any] struct {
	places []place[T] // by slot number + 1; the first is nobody's
	marks  marks      // where Next looks
	used   []uint64   // by number of active objects: how many requests found it so
	free   uint64     // the first free place, or 0

	easy  int // the number of active objects below which Acquire has nothing to ask
	limit int
	peak  int // the most active objects since the last Advance

	// What is active is the difference of the first two: see Len.
	acquired uint64
	released uint64 // killed ones too
	refused  uint64
	killed   uint64

	watched     bool // there is more to do than to take a place and to give it back
	ordered     bool
	keep        bool
	overflowing bool   // Choose, or the disposal of a victim, is under way
	first       uint64 // the generation of each slot's first use
	fresh       int    // the first slot that Make has not seen
	base        int    // the limit that a grown pool comes back to
	idle        int    // ticks without need of the last step
	high        int    // the most active objects before the last Advance
	tight       int    // the least number of active objects at an overflow; -1: none
	scribbled   uint64
	order       order
	config      Config[T]
	filler      filler
}

// place is a slot and its header.
type place[T any] struct {
	// key is all that is known of the slot. Of an active one it is the handle.
	// Of a free one it is the generation of its next use and, where a handle
	// has the slot's own place, the next free place, or 0. No place follows
	// itself, so no handle, not even an invented one, equals the key of a free
	// slot. A free one may also be unmarked.
	key   uint64
	value T
}

// New makes a pool with room for c.Max objects, of which c.Size may be active
// at first. That is all the memory it ever takes: no other method allocates, but for Extend.
// The error wraps ErrConfig.
func New[T any](c Config[T]) (*Pool[T], error) {
	c, err := c.normal()
	if err != nil {
		return nil, err
	}
	p := &Pool[T]{
		places: make([]place[T], c.Max+1), marks: newMarks(c.Max + 1), used: make([]uint64, c.Max+1), free: 1,
		limit: c.Size, base: c.Size, tight: -1,
		ordered: c.Order != Unordered, keep: c.Keep, config: c, filler: newFiller[T](),
	}
	p.watched = p.ordered || c.Make != nil || c.OnAcquire != nil || c.OnRelease != nil || debug && !p.keep
	if p.ordered {
		p.order = order{make([]rank, 0, c.Max+1), make([]uint32, c.Max+1)}
	}
	if p.first = c.Generation; p.first == 0 {
		p.first = rand.Uint64N(maxGen + 1)
	}
	for i := range p.places {
		// The first place has 1 for a successor, so that no handle is its key.
		p.places[i].key = unmarked | p.first<<placeBits | uint64(i+1)
		if !p.keep {
			fill(p.filler, &p.places[i].value)
		}
	}
	p.places[c.Max].key = unmarked | p.first<<placeBits
	if c.Make != nil {
		for ; p.fresh < c.Size; p.fresh++ {
			c.Make(p.fresh, &p.places[p.fresh+1].value)
		}
	}
	return p, nil
}

// Acquire takes a free slot, the same one on every run, and returns its handle and its
// object: a zero T, or with Config.Keep what its last owner left. In a full pool it grows,
// kills or refuses as Config says; it returns 0, nil and false when there is no room. The
// object is the caller's until it is released or killed: keep the handle, and ask Get.
func (p *Pool[T]) Acquire() (Handle, *T, bool) {
	n := int(p.acquired - p.released)
	p.used[n]++
	if n >= p.easy && !p.ready(n) {
		return 0, nil, false
	}
	i := p.free
	at := &p.places[i]
	key := at.key
	if key >= unmarked {
		p.marks.add(i)
		key -= unmarked
	}
	h := key&^placeMask | i
	p.free = key & placeMask
	at.key = h
	p.acquired++
	if p.watched && !p.begin(Handle(h), &at.value) {
		return 0, nil, false
	}
	return Handle(h), &at.value, true
}

// ready makes sure that there is room for one more where n objects are active,
// and takes down that there have never been so many. Acquire asks it when n has
// come to the limit or to the peak.
func (p *Pool[T]) ready(n int) bool {
	if n >= p.limit && !p.makeRoom() {
		p.refused++
		return false
	}
	p.peak = max(p.peak, p.Len()+1)
	p.ease()
	return true
}

// ease follows a change of limit or peak.
func (p *Pool[T]) ease() { p.easy = min(p.limit, p.peak) }

// begin is what Acquire has to do in a pool that is watched.
func (p *Pool[T]) begin(h Handle, x *T) bool {
	slot := h.Slot()
	if !p.keep {
		p.scribbled += renew(p.filler, x)
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

// Release gives the object of h back. False: h names none, since it was
// released or killed before, or comes from another pool; then nothing happens.
func (p *Pool[T]) Release(h Handle) bool { return p.reclaim(h, false) }

func (p *Pool[T]) reclaim(h Handle, killed bool) bool {
	i := uint64(h) & placeMask
	if i >= uint64(len(p.places)) {
		return false
	}
	at := &p.places[i]
	if at.key != uint64(h) {
		return false
	}
	if p.watched {
		p.end(h, at, killed)
	}
	if !p.keep {
		var zero T
		at.value = zero
		fill(p.filler, &at.value)
	}
	at.key = uint64(h)&^placeMask + genStep | p.free
	p.free = i
	p.released++
	return true
}

// end is what Release has to do for an object that somebody wants to see go.
func (p *Pool[T]) end(h Handle, at *place[T], killed bool) {
	if p.ordered {
		p.order.remove(h.Slot())
	}
	if p.config.OnRelease != nil {
		// From here the handle is stale, but the place is not yet free: the hook
		// may use the pool as it likes, and will not meet its own object there.
		at.key = uint64(h) &^ placeMask
		p.config.OnRelease(h, &at.value, killed)
		// A walk inside the hook may have taken it for released long ago.
		p.marks.add(uint64(h) & placeMask)
	}
}

// Get is the object of h, nil if h names none (any more).
func (p *Pool[T]) Get(h Handle) *T {
	i := uint64(h) & placeMask
	if i >= uint64(len(p.places)) || p.places[i].key != uint64(h) {
		return nil
	}
	return &p.places[i].value
}

// At is the object in a slot, nil if the slot is free or there is none of that
// number.
func (p *Pool[T]) At(slot int) *T {
	if p.HandleAt(slot) == 0 {
		return nil
	}
	return &p.places[slot+1].value
}

// HandleAt is the handle of the object in a slot, 0 if the slot is free or there
// is none of that number.
func (p *Pool[T]) HandleAt(slot int) Handle {
	i := uint64(slot + 1)
	if i >= uint64(len(p.places)) {
		return 0
	}
	key := p.places[i].key
	if key&placeMask != i {
		return 0
	}
	return Handle(key)
}

// Len is the number of active objects.
func (p *Pool[T]) Len() int { return int(p.acquired - p.released) }

// Max is the number of slots.
func (p *Pool[T]) Max() int { return len(p.places) - 1 }
