package mixer

import (
	"math"
	"math/bits"

	"voicepool/internal/dsp"
)

// runs is what a choice among many slots knows of each run of 64: whom it would take there by
// audibility. It looks again only at the runs in which something has changed, and at what it knows
// of the others.
type runs struct {
	slots      int
	lowest     []int32   // by run: the lowest priority; those that only fill up have unstealable
	least      []float32 // of that priority the least audibility
	next       []uint32  // the bits of the next; noNext: one slot alone has that priority
	at         []int32   // the first slot that has both
	candidates []int32   // how many slots have a priority of at most limit
	all        int       // the sum of candidates
	limit      int32
	changed    []uint64 // by run, a bit each
}

const (
	runSlots = 64
	fewRuns  = 8 // up to so many are no faster than all slots
	noNext   = math.MaxUint32
)

// newRuns returns nil where there are few slots.
func newRuns(slots int) *runs {
	n := (slots + runSlots - 1) / runSlots
	if n < fewRuns {
		return nil
	}
	full := (n + 15) &^ 15 // as kernels have it
	r := &runs{
		slots: slots, lowest: make([]int32, full), least: make([]float32, full), next: make([]uint32, n),
		at: make([]int32, n), candidates: make([]int32, n), changed: make([]uint64, (n+63)/64),
	}
	for i := range r.lowest {
		r.lowest[i] = unstealable
	}
	r.changeAll()
	return r
}

// change notes that the priority or the audibility of an index is another one.
func (r *runs) change(i int) {
	if r != nil && i < r.slots {
		run := i / runSlots
		r.changed[run/64] |= 1 << (run % 64)
	}
}

func (r *runs) changeAll() {
	for run := range r.next {
		r.changed[run/64] |= 1 << (run % 64)
	}
}

// weakest has w find what it would in all slots.
func (r *runs) weakest(w *dsp.Weakest, prio []int32, audibility []float32, limit int32) {
	if limit != r.limit {
		r.limit = limit
		r.changeAll()
	}
	for i, word := range r.changed {
		for ; word != 0; word &= word - 1 {
			r.look(64*i+bits.TrailingZeros64(word), prio, audibility)
		}
		r.changed[i] = 0
	}
	w.Find(r.lowest, r.least, limit)
	if w.Candidates == 0 {
		return
	}
	run := w.At
	next := r.next[run]
	if !w.Alone {
		next = min(next, math.Float32bits(w.Next)) // as bits they are in the same order
	}
	w.Candidates, w.Next, w.Alone, w.At = r.all, math.Float32frombits(next), next == noNext, int(r.at[run])
}

// look looks at a run again.
func (r *runs) look(run int, prio []int32, audibility []float32) {
	from, to := run*runSlots, min((run+1)*runSlots, r.slots)
	var w dsp.Weakest
	w.Find(prio[from:to], audibility[from:to], r.limit)
	r.all += w.Candidates - int(r.candidates[run])
	r.candidates[run] = int32(w.Candidates)
	if w.Candidates == 0 {
		r.lowest[run] = unstealable
		return
	}
	r.lowest[run], r.least[run], r.next[run], r.at[run] = w.Prio, w.Key, noNext, int32(from+w.At)
	if !w.Alone {
		r.next[run] = math.Float32bits(w.Next)
	}
}
