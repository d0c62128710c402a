package mixer

import "voicepool/pool"

// ranks orders the voices in slots if there are several outputs: by output, and within an output by rank.
// Ranks are assigned as slots are in a mixer with a single output. So the voices of a bus are summed in
// the same order, to the same bits, whatever plays on other outputs.
type ranks struct {
	outputs []*pool.Pool[int] // by output: slot indices in the order of ranks
	held    []rank            // by slot
}

// rank is the rank of a slot; the zero value is unassigned.
type rank struct {
	output int
	handle pool.Handle
}

func newRanks(outputs, slots int) (*ranks, error) {
	k := &ranks{outputs: make([]*pool.Pool[int], outputs), held: make([]rank, slots)}
	for i := range k.outputs {
		p, err := pool.New[int](pool.Config[int]{Size: slots})
		if err != nil {
			return nil, err
		}
		k.outputs[i] = p
	}
	return k, nil
}

// rank assigns a slot to an output.
func (r *roster) rank(i, output int) {
	if r.ranks == nil || i >= r.base {
		return
	}
	h := &r.ranks.held[i]
	if h.handle != 0 && h.output == output {
		return
	}
	r.unrank(i)
	handle, slot, ok := r.ranks.outputs[output].Acquire()
	if !ok {
		panic("mixer: no free rank for a slot that was free")
	}
	*slot, *h, r.arrived = i, rank{output, handle}, true
}

// unrank releases the rank of a slot.
func (r *roster) unrank(i int) {
	if r.ranks != nil {
		h := &r.ranks.held[i]
		r.ranks.outputs[h.output].Release(h.handle)
		*h = rank{}
	}
}

// after returns the index of the first voice at or after a place in the order, and the place after it; i
// is -1 at the end.
func (r *roster) after(place int) (i, next int) {
	if r.ranks == nil {
		i = r.next(place)
		return i, i + 1
	}
	for ; place/r.base < len(r.ranks.outputs); place = (place/r.base + 1) * r.base {
		output := place / r.base
		p := r.ranks.outputs[output]
		if k := p.Next(place % r.base); k >= 0 {
			return *p.At(k), output*r.base + k + 1
		}
	}
	i = r.next(place - (len(r.ranks.outputs)-1)*r.base)
	return i, r.order(i) + 1
}

// order returns the place of an index in the order of voices: slots by output and rank, then virtual
// voices.
func (r *roster) order(i int) int {
	switch {
	case r.ranks == nil:
		return i
	case i >= r.base || i < 0:
		return (len(r.ranks.outputs)-1)*r.base + i
	}
	h := &r.ranks.held[i]
	return h.output*r.base + h.handle.Slot()
}
