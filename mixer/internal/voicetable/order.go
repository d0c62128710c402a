package voicetable

import "voicepool/pool"

// order orders the voices in slots if there are several outputs: by output, and within an output by rank. Ranks are
// assigned as slots are in a table with a single output. So the voices of an output are summed in the same order, to
// the same bits, whatever plays on other outputs.
type order struct {
	outputs  []*pool.Pool[int] // by output: slots in the order of ranks
	assigned []rank            // by slot
}

// rank is the rank of a slot; the zero value is unassigned.
type rank struct {
	output int
	handle pool.Handle
}

// newOrder returns an order of voices for the given numbers of outputs and of slots. No slot has a rank yet. It fails
// only if a pool of ranks cannot be made.
func newOrder(outputs, slots int) (*order, error) {
	o := &order{outputs: make([]*pool.Pool[int], outputs), assigned: make([]rank, slots)}
	for i := range o.outputs {
		p, err := pool.New[int](pool.Config[int]{Size: slots})
		if err != nil {
			return nil, err
		}
		o.outputs[i] = p
	}
	return o, nil
}

// assignRank gives slot i the next free rank among the voices on the output with index output. A rank that the slot has
// on another output is released first. The list of Real is then built again on its next use. assignRank has no effect
// with a single output, or if the slot already has a rank on that output.
func (t *Table[V]) assignRank(i, output int) {
	if t.order == nil {
		return
	}
	r := &t.order.assigned[i]
	if r.handle != 0 && r.output == output {
		return
	}
	t.releaseRank(i)
	handle, slot, ok := t.order.outputs[output].Acquire()
	if !ok {
		panic("voicetable: no free rank for a slot that was free")
	}
	*slot, *r, t.missing = i, rank{output, handle}, true
}

// releaseRank releases the rank of slot i on its output. It has no effect with a single output or without a rank.
func (t *Table[V]) releaseRank(i int) {
	if t.order != nil {
		r := &t.order.assigned[i]
		t.order.outputs[r.output].Release(r.handle)
		*r = rank{}
	}
}

// NextInOrder visits all voices in order: first the voices in slots, as Real, then virtual voices. It returns the index
// i of the first voice at or after position. The next call continues at the result next. Begin with position 0. i is -1
// after the last voice.
func (t *Table[V]) NextInOrder(position int) (i, next int) {
	if t.order == nil {
		i = t.Next(position)
		return i, i + 1
	}
	for ; position/t.base < len(t.order.outputs); position = (position/t.base + 1) * t.base {
		output := position / t.base
		p := t.order.outputs[output]
		if k := p.Next(position % t.base); k >= 0 {
			return *p.At(k), output*t.base + k + 1
		}
	}
	i = t.Next(position - (len(t.order.outputs)-1)*t.base)
	return i, t.Position(i) + 1
}

// Position returns a number for index i that increases in the order of NextInOrder. Use it to compare indices. With a
// single output it is i.
func (t *Table[V]) Position(i int) int {
	switch {
	case t.order == nil:
		return i
	case i >= t.base || i < 0:
		return (len(t.order.outputs)-1)*t.base + i
	}
	r := &t.order.assigned[i]
	return r.output*t.base + r.handle.Slot()
}
