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

// newOutputOrder returns an order of voices for the given numbers of outputs and of slots. No slot has a rank yet. It
// fails only if a pool of ranks cannot be made.
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

// assignRank gives slot i the next free rank among the voices on the output with index output. The voices of an
// output are summed in the order of their ranks. A rank that the slot has on another output is released first. The
// list of real voices is then built again on its next use. assignRank has no effect with a single output, for a
// virtual voice, or if the slot already has a rank on that output.
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

// releaseRank releases the rank of slot i on its output. It has no effect with a single output or without a rank.
func (r *voiceTable) releaseRank(i int) {
	if r.order != nil {
		h := &r.order.assigned[i]
		r.order.outputs[h.output].Release(h.handle)
		*h = outputRank{}
	}
}

// nextInOrder iterates over all voices in the mixing order: first the voices in slots, then virtual voices. It
// returns the index i of the first voice at or after position. The next call continues at the result next. Begin with
// position 0. i is -1 after the last voice.
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

// position returns a number for index i that increases in the order of nextInOrder: slots by output and rank, then
// virtual voices. Use it to compare indices. With a single output it is i.
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
