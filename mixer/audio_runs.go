package mixer

import (
	"math"
	"math/bits"

	"voicepool/internal/dsp"
)

// runs is an index for choices among many slots by audibility. It holds the victim of each run of 64
// slots. A search updates only the runs with changes.
type runs struct {
	slots      int
	lowest     []int32   // by run: the lowest priority; unstealable for padding
	least      []float32 // the least audibility with that priority
	next       []uint32  // the bits of the second least; noNext: a single slot has that priority
	at         []int32   // the first slot with both
	candidates []int32   // the number of slots with a priority of at most limit
	all        int       // the sum of candidates
	limit      int32
	changed    []uint64 // by run, a bit each
}

const (
	runSlots = 64
	fewRuns  = 8 // up to this number of runs, a search of all slots is as fast
	noNext   = math.MaxUint32
)

// newRuns returns nil if there are few slots.
func newRuns(slots int) *runs {
	n := (slots + runSlots - 1) / runSlots
	if n < fewRuns {
		return nil
	}
	full := (n + 15) &^ 15 // padded for the kernels
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

// change records a change of the priority or the audibility at an index.
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

// weakest is w.Find for all slots.
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
		next = min(next, math.Float32bits(w.Next)) // bits have the same order
	}
	w.Candidates, w.Next, w.Alone, w.At = r.all, math.Float32frombits(next), next == noNext, int(r.at[run])
}

// look updates a run.
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
