package mixer

import "voicepool/pool"

// outputOrder orders the voices in slots if there are several outputs: by output, and within an output by
// rank. Ranks are assigned as slots are in a mixer with a single output. So the voices of a bus are summed
// in the same order, to the same bits, whatever plays on other outputs.
type outputOrder struct {
	outputs  []*pool.Pool[int] // by output: slot indices in the order of ranks
	assigned []outputRank      // by slot
}

// outputRank is the rank of a slot; the zero value is unassigned.
type outputRank struct {
	output int
	handle pool.Handle
}

// newOutputOrder returns an empty order for the given numbers of outputs and of slots. It fails only if a pool of
// ranks cannot be made.
func newOutputOrder(outputs, slots int) (*outputOrder, error) {
	k := &outputOrder{outputs: make([]*pool.Pool[int], outputs), assigned: make([]outputRank, slots)}
	for i := range k.outputs {
		p, err := pool.New[int](pool.Config[int]{Size: slots})
		if err != nil {
			return nil, err
		}
		k.outputs[i] = p
	}
	return k, nil
}

// assignRank assigns slot i to the output with index output, with the next free rank there, and releases the rank on
// another output. It has no effect with one output, for a virtual voice, or if the slot is already on that output.
func (r *voiceTable) assignRank(i, output int) {
	if r.order == nil || i >= r.base {
		return
	}
	h := &r.order.assigned[i]
	if h.handle != 0 && h.output == output {
		return
	}
	r.releaseRank(i)
	handle, slot, ok := r.order.outputs[output].Acquire()
	if !ok {
		panic("mixer: no free rank for a slot that was free")
	}
	*slot, *h, r.missingReal = i, outputRank{output, handle}, true
}

// releaseRank releases the rank of slot i, if it has one.
func (r *voiceTable) releaseRank(i int) {
	if r.order != nil {
		h := &r.order.assigned[i]
		r.order.outputs[h.output].Release(h.handle)
		*h = outputRank{}
	}
}

// nextInOrder returns the index i of the first voice at or after position in the order of voices, and next,
// the position after that voice. Begin with position 0; i is -1 at the end.
func (r *voiceTable) nextInOrder(position int) (i, next int) {
	if r.order == nil {
		i = r.next(position)
		return i, i + 1
	}
	for ; position/r.base < len(r.order.outputs); position = (position/r.base + 1) * r.base {
		output := position / r.base
		p := r.order.outputs[output]
		if k := p.Next(position % r.base); k >= 0 {
			return *p.At(k), output*r.base + k + 1
		}
	}
	i = r.next(position - (len(r.order.outputs)-1)*r.base)
	return i, r.position(i) + 1
}

// position returns the place of index i in the order of voices, for comparisons: slots by output and rank, then
// virtual voices.
func (r *voiceTable) position(i int) int {
	switch {
	case r.order == nil:
		return i
	case i >= r.base || i < 0:
		return (len(r.order.outputs)-1)*r.base + i
	}
	h := &r.order.assigned[i]
	return h.output*r.base + h.handle.Slot()
}
