package victim

import (
	"math"
	"math/bits"

	"voicepool/internal/dsp"
)

// Unstealable is the priority of protected voices and free slots. It exceeds all priorities of other voices.
const Unstealable = math.MaxInt32

// slotIndex speeds up searches among many slots. It holds the victim of each run of 64 slots, and a search updates
// only the runs with changes. A nil *slotIndex ignores markDirty and cannot search.
type slotIndex struct {
	slots        int
	lowestPrio   []int32   // by run: the lowest priority; Unstealable for padding
	leastAudible []float32 // the least audibility with that priority
	secondBits   []uint32  // the bits of the second least; noSecond: a single slot has that priority
	victim       []int32   // the first slot with both
	candidates   []int32   // the number of slots with a priority of at most limit
	all          int       // the sum of candidates
	limit        int32
	dirty        []uint64 // by run, a bit each
}

const (
	runSlots = 64
	minRuns  = 8 // with fewer runs, a search of all slots is as fast
	noSecond = math.MaxUint32
)

// newSlotIndex returns an index for the given number of slots. All slots are marked as changed, so the first find
// looks at all. If there are too few slots for a gain in speed, it returns nil.
func newSlotIndex(slots int) *slotIndex {
	n := (slots + runSlots - 1) / runSlots
	if n < minRuns {
		return nil
	}
	full := (n + 15) &^ 15 // padded for the kernels
	r := &slotIndex{
		slots: slots, lowestPrio: make([]int32, full), leastAudible: make([]float32, full), secondBits: make([]uint32, n),
		victim: make([]int32, n), candidates: make([]int32, n), dirty: make([]uint64, (n+63)/64),
	}
	for i := range r.lowestPrio {
		r.lowestPrio[i] = Unstealable
	}
	r.markAllDirty()
	return r
}

// markDirty records that the priority or the audibility at index i has changed, so that the next find looks at it
// again. It has no effect for indices of virtual voices and for a nil r.
func (r *slotIndex) markDirty(i int) {
	if r != nil && i < r.slots {
		run := i / runSlots
		r.dirty[run/64] |= 1 << (run % 64)
	}
}

// markAllDirty makes the next find look at all slots again.
func (r *slotIndex) markAllDirty() {
	for run := range r.secondBits {
		r.dirty[run/64] |= 1 << (run % 64)
	}
}

// find sets w to the weakest slot with a priority of at most limit: the lowest priority, then the least audibility.
// The result is the same as w.Find of all slots, but find searches only runs of 64 slots with a change since the last
// call. If limit differs from the last call, it searches all runs. prio and audibility are by slot and must be the
// same slices in all calls. limit is below Unstealable. Without a candidate, w.Candidates is 0.
func (r *slotIndex) find(w *dsp.Weakest, prio []int32, audibility []float32, limit int32) {
	if limit != r.limit {
		r.limit = limit
		r.markAllDirty()
	}
	for i, word := range r.dirty {
		for ; word != 0; word &= word - 1 {
			r.update(64*i+bits.TrailingZeros64(word), prio, audibility)
		}
		r.dirty[i] = 0
	}
	w.Find(r.lowestPrio, r.leastAudible, limit)
	if w.Candidates == 0 {
		return
	}
	run := w.At
	next := r.secondBits[run]
	if !w.Alone {
		next = min(next, math.Float32bits(w.Next)) // bits have the same order
	}
	w.Candidates, w.Next, w.Alone, w.At = r.all, math.Float32frombits(next), next == noSecond, int(r.victim[run])
}

// update searches the run with index run, 64 slots, again. It stores the weakest slot of the run and the number of
// candidates in r. A candidate has a priority of at most r.limit.
func (r *slotIndex) update(run int, prio []int32, audibility []float32) {
	from, to := run*runSlots, min((run+1)*runSlots, r.slots)
	var w dsp.Weakest
	w.Find(prio[from:to], audibility[from:to], r.limit)
	r.all += w.Candidates - int(r.candidates[run])
	r.candidates[run] = int32(w.Candidates)
	if w.Candidates == 0 {
		r.lowestPrio[run] = Unstealable
		return
	}
	r.lowestPrio[run], r.leastAudible[run], r.secondBits[run], r.victim[run] = w.Prio, w.Key, noSecond, int32(from+w.At)
	if !w.Alone {
		r.secondBits[run] = math.Float32bits(w.Next)
	}
}
