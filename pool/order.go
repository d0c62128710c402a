package pool

import "math"

// rank is a key of the order: the score, then startSeq. Sequence numbers are unique, so ranks are unique.
type rank struct {
	score    uint64 // ordinal of the score
	startSeq uint64
	slot     uint32
}

// before reports whether a comes before b: by score, then by startSeq.
func (a *rank) before(b *rank) bool {
	return a.score < b.score || a.score == b.score && a.startSeq < b.startSeq
}

// order is a binary heap of the active slots with their heap indices, so that any slot can be moved or
// removed.
type order struct {
	heap []rank
	at   []uint32 // by slot: its index in heap
}

// extend makes room for n slots, which is at least the present room.
func (o *order) extend(n int) {
	more := order{make([]rank, len(o.heap), n), make([]uint32, n)}
	copy(more.heap, o.heap)
	copy(more.at, o.at)
	*o = more
}

// push adds a slot, which must not be in the order, with the score 0. startSeq is the number of its Acquire.
func (o *order) push(slot int, startSeq uint64) {
	o.heap = append(o.heap, rank{})
	o.up(len(o.heap)-1, rank{ordinal(0), startSeq, uint32(slot)})
}

// remove removes a slot, which must be in the order.
func (o *order) remove(slot int) {
	i := int(o.at[slot])
	last := o.heap[len(o.heap)-1]
	o.heap = o.heap[:len(o.heap)-1]
	if i < len(o.heap) {
		o.insertAt(i, last)
	}
}

// set changes the score of a slot, which must be in the order. NaN is the lowest score.
func (o *order) set(slot int, score float64) {
	i := int(o.at[slot])
	r := o.heap[i]
	r.score = ordinal(score)
	o.insertAt(i, r)
}

// insertAt inserts r at the vacant index i of the heap, or moves it up or down from there.
func (o *order) insertAt(i int, r rank) {
	if i > 0 && r.before(&o.heap[(i-1)/2]) {
		o.up(i, r)
		return
	}
	o.down(i, r)
}

// up inserts r at the vacant index i of the heap or above it, and moves later ranks down.
func (o *order) up(i int, r rank) {
	for i > 0 {
		parent := (i - 1) / 2
		if !r.before(&o.heap[parent]) {
			break
		}
		o.put(i, o.heap[parent])
		i = parent
	}
	o.put(i, r)
}

// down inserts r at the vacant index i of the heap or below it, and moves earlier ranks up.
func (o *order) down(i int, r rank) {
	for {
		child := 2*i + 1
		if child >= len(o.heap) {
			break
		}
		if child+1 < len(o.heap) && o.heap[child+1].before(&o.heap[child]) {
			child++
		}
		if !o.heap[child].before(&r) {
			break
		}
		o.put(i, o.heap[child])
		i = child
	}
	o.put(i, r)
}

// put stores r at index i of the heap, and the index of its slot.
func (o *order) put(i int, r rank) {
	o.heap[i] = r
	o.at[r.slot] = uint32(i)
}

const signBit = 1 << 63

// ordinal returns an integer for x, with the same order as the floats. -0 equals 0. NaN gives 0, the lowest.
func ordinal(x float64) uint64 {
	if x != x {
		return 0
	}
	b := math.Float64bits(x + 0)
	if b&signBit != 0 {
		return ^b
	}
	return b | signBit
}

// First returns the first handle in Config.Order, which is also the first that Kill takes: the oldest
// object or the object with the lowest score. It returns 0 if the pool is empty or unordered. It takes
// constant time.
func (p *Pool[T]) First() Handle {
	if len(p.order.heap) == 0 {
		return 0
	}
	return p.HandleAt(int(p.order.heap[0].slot))
}

// SetScore sets the score of an object, initially 0. In a pool ordered ByScore the object with the lowest
// score is killed first. NaN is less than all other scores. The time is logarithmic in Len. SetScore
// returns false if h is not valid or the pool is not ordered ByScore.
func (p *Pool[T]) SetScore(h Handle, score float64) bool {
	if p.config.Order != ByScore || p.Get(h) == nil {
		return false
	}
	p.order.set(h.Slot(), score)
	return true
}
