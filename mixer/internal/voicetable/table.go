// Package voicetable keeps the living voices of a mixer by index. Indices below Table.Base are slots: their voices are
// mixed. The other indices belong to virtual voices, which only keep their time. A voice may move between a slot and a
// virtual index; the table holds pointers, so the voice itself stays where it is.
//
// The table also decides two orders. Real lists the voices in slots in the order of summing, and
// NextInOrder visits all voices in a fixed order. With several outputs both orders are by output, so the sum of an
// output has the same bits whatever plays on the others.
//
// Virtual voices may lag behind the frame that is mixed: as long as the step of a voice through its sound is constant,
// the mixer advances the voice only now and then. The table holds the lag of each virtual voice, see CatchUp and
// NextDueGroup.
//
// Everything except New belongs to the audio side of the mixer: one goroutine at a time calls it, and it does not
// allocate.
package voicetable

import "voicepool/pool"

// Config describes a Table.
type Config struct {
	Slots    int // the number of slots at first, see SetLimit
	MaxSlots int // the maximum number of slots
	Finite   int // the maximum number of virtual voices that end by themselves
	Endless  int // the maximum number of virtual voices that do not
	Outputs  int // the number of outputs, at least 1
}

// Table holds the living voices, which are of type V. Create it with New.
type Table[V any] struct {
	slots, virtuals *pool.Pool[*V]
	base            int        // the index of the first virtual voice
	real            []Entry[V] // the voices in slots, see Real
	realIndex       []int32    // by slot: the position in real, from 1; 0: absent
	stale           int        // the number of entries of real that have left their slots
	missing         bool       // a voice is missing in real
	order           *order     // nil with one output: then voices are ordered by slot

	hidden                int    // the index of the hidden voice, see Hide; or -1
	endless               []bool // by virtual voice
	finite                int    // the number of virtual voices that have an end
	maxFinite, maxEndless int

	lag lag
	due [groupSize]Entry[V] // scratch space of Due
}

// Entry is a voice and its index.
type Entry[V any] struct {
	Voice *V
	Index int
}

// New returns an empty table with room for all voices. It fails only if a pool of voices cannot be made.
func New[V any](c Config) (*Table[V], error) {
	virtual := c.Finite + c.Endless
	t := &Table[V]{
		base: c.MaxSlots, real: make([]Entry[V], 0, c.MaxSlots), realIndex: make([]int32, c.MaxSlots), lag: newLag(virtual),
		endless: make([]bool, virtual), maxFinite: c.Finite, maxEndless: c.Endless, hidden: -1,
	}
	var err error
	if t.slots, err = pool.New[*V](pool.Config[*V]{Size: c.Slots, Max: c.MaxSlots}); err != nil {
		return nil, err
	}
	if c.Outputs > 1 {
		if t.order, err = newOrder(c.Outputs, c.MaxSlots); err != nil {
			return nil, err
		}
	}
	t.virtuals, err = pool.New[*V](pool.Config[*V]{Size: virtual})
	return t, err
}

// Base returns the index of the first virtual voice: the maximum number of slots.
func (t *Table[V]) Base() int { return t.base }

// Len returns the number of voices in slots. It may exceed Limit after SetLimit.
func (t *Table[V]) Len() int { return t.slots.Len() }

// Limit returns the number of slots.
func (t *Table[V]) Limit() int { return t.slots.Limit() }

// SetLimit sets the number of slots to n, from 1 to the maximum. It limits how many voices are in slots, not the
// indices: a voice may still get a slot with index n or higher. If more than n voices are in slots, they all stay, and
// no slot is free until enough of them have left. SetLimit panics if n is out of range.
func (t *Table[V]) SetLimit(n int) {
	if err := t.slots.SetLimit(n); err != nil {
		panic("voicetable: a limit that was checked is refused")
	}
}

// Virtual returns the number of virtual voices.
func (t *Table[V]) Virtual() int { return t.virtuals.Len() }

// At returns the voice at index i, which must be in use. A virtual voice may lag behind, see CatchUp.
func (t *Table[V]) At(i int) *V {
	if i < t.base {
		return *t.slots.At(i)
	}
	return *t.virtuals.At(i - t.base)
}

// Next returns the first index in use that is i or higher. Slots come before virtual voices. It returns -1 after the
// last voice.
func (t *Table[V]) Next(i int) int {
	if i < t.base {
		if j := t.slots.Next(i); j >= 0 {
			return j
		}
		i = t.base
	}
	if j := t.virtuals.Next(i - t.base); j >= 0 {
		return t.base + j
	}
	return -1
}

// Real returns all voices in slots with their indices. They are in the order of slots or, with several outputs, by
// output and rank. The list is cached: it is built again if voices have joined or left. It is valid until a voice gets
// or loses a slot.
func (t *Table[V]) Real() []Entry[V] {
	if t.stale > 0 || t.missing { // not needed if a voice took the slot of a voice that left
		clear(t.realIndex)
		t.real, t.stale, t.missing = t.real[:0], 0, false
		for i, next := t.NextInOrder(0); i >= 0 && i < t.base; i, next = t.NextInOrder(next) {
			t.real = append(t.real, Entry[V]{t.At(i), i})
			t.realIndex[i] = int32(len(t.real))
		}
	}
	return t.real
}

// AddReal puts the voice v into a free slot and returns the index of the slot. The table keeps the pointer. output is
// the index of the output of v. With several outputs the slot also gets a rank there. AddReal panics without a free
// slot.
func (t *Table[V]) AddReal(output int, v *V) int {
	handle, at, ok := t.slots.Acquire()
	if !ok {
		panic("voicetable: no free slot after one was made free")
	}
	i := handle.Slot()
	if *at = v; t.realIndex[i] > 0 {
		t.stale--
		t.real[t.realIndex[i]-1].Voice = v
	} else {
		t.missing = true
	}
	t.assignRank(i, output)
	return i
}

// AddVirtual puts the voice v among the virtual voices and returns its index. The table keeps the pointer. endless is
// true if v does not end by itself. v must have advanced to the frame now. AddVirtual panics without a free place.
func (t *Table[V]) AddVirtual(endless bool, v *V, now int64) int {
	handle, at, ok := t.virtuals.Acquire()
	if !ok {
		panic("voicetable: no free place for a virtual voice after one was made free")
	}
	j := handle.Slot()
	*at, t.endless[j] = v, endless
	t.finite += boolInt(!endless)
	t.lag.add(j, now)
	return t.base + j
}

// Swap exchanges the voice in a slot and a virtual voice; real and virtual are their indices. output is the index of
// the output of the voice that gets the slot. endless is true if the voice that becomes virtual does not end by itself.
// This voice must have advanced to the frame now.
func (t *Table[V]) Swap(real, virtual, output int, endless bool, now int64) {
	slot, place := t.slots.At(real), t.virtuals.At(virtual-t.base)
	*slot, *place = *place, *slot
	if k := t.realIndex[real]; k > 0 {
		t.real[k-1].Voice = *slot
	}
	t.SetEndless(virtual, endless)
	t.lag.add(virtual-t.base, now)
	t.assignRank(real, output)
}

// Remove removes the voice at index i, which must be in use, and frees the index. A slot also loses its rank.
func (t *Table[V]) Remove(i int) {
	if i < t.base {
		t.stale += boolInt(t.realIndex[i] > 0)
		t.releaseRank(i)
		t.slots.Release(t.slots.HandleAt(i))
		return
	}
	t.finite -= boolInt(!t.endless[i-t.base])
	t.virtuals.Release(t.virtuals.HandleAt(i - t.base))
}

// SetEndless records whether the virtual voice at index i does not end by itself, because its kind may change. The
// voice keeps its place, even if there are then more voices of its kind than the maximum.
func (t *Table[V]) SetEndless(i int, endless bool) {
	kind := &t.endless[i-t.base]
	t.finite += boolInt(*kind) - boolInt(endless)
	*kind = endless
}

// Hide makes the place of the voice at index i count as free, until Hide(-1): for a voice that will be removed if
// another voice gets a place.
func (t *Table[V]) Hide(i int) { t.hidden = i }

// Hidden returns the index of the last call of Hide; -1 if no voice is hidden.
func (t *Table[V]) Hidden() int { return t.hidden }

// Free returns the number of free slots. It is negative if there are more voices than slots, see SetLimit. A hidden
// voice does not count.
func (t *Table[V]) Free() int {
	return t.slots.Limit() - t.slots.Len() + boolInt(t.hidden >= 0 && t.hidden < t.base)
}

// Counts returns the number of all virtual voices, and the number of virtual voices that end by themselves. A hidden
// voice does not count.
func (t *Table[V]) Counts() (all, finite int) {
	all, finite = t.virtuals.Len(), t.finite
	if t.hidden >= t.base {
		return all - 1, finite - boolInt(!t.endless[t.hidden-t.base])
	}
	return all, finite
}

// HasRoom reports whether one kind of virtual voices is below its own maximum: endless voices if endless is true,
// otherwise voices with an end. It does not check the sum of both kinds, see CanAddVirtual. If virtual voices have
// changed their kind, the sum may be at its maximum already.
func (t *Table[V]) HasRoom(endless bool) bool {
	all, finite := t.Counts()
	if endless {
		return all-finite < t.maxEndless
	}
	return finite < t.maxFinite
}

// CanAddVirtual reports whether one more voice may become virtual. endless is its kind. The kind must be below its own
// maximum, and there must be a free place.
func (t *Table[V]) CanAddVirtual(endless bool) bool {
	all, _ := t.Counts()
	return t.HasRoom(endless) && all < t.virtuals.Limit()
}

// MaxFinite returns the maximum number of virtual voices that end by themselves.
func (t *Table[V]) MaxFinite() int { return t.maxFinite }

// boolInt returns 1 for true and 0 for false.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
