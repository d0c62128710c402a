package mixer

import (
	"math"
	"math/bits"

	"voicepool/internal/dsp"
)

// victimIndex is an index for choices among many slots by audibility. It holds the victim of each run of
// 64 slots. A search updates only the runs with changes.
type victimIndex struct {
	slots        int
	lowestPrio   []int32   // by run: the lowest priority; unstealable for padding
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

// newVictimIndex returns an index for a number of slots, or nil if there are so few that a search of all is as fast.
func newVictimIndex(slots int) *victimIndex {
	n := (slots + runSlots - 1) / runSlots
	if n < minRuns {
		return nil
	}
	full := (n + 15) &^ 15 // padded for the kernels
	r := &victimIndex{
		slots: slots, lowestPrio: make([]int32, full), leastAudible: make([]float32, full), secondBits: make([]uint32, n),
		victim: make([]int32, n), candidates: make([]int32, n), dirty: make([]uint64, (n+63)/64),
	}
	for i := range r.lowestPrio {
		r.lowestPrio[i] = unstealable
	}
	r.markAllDirty()
	return r
}

// markDirty records a change of the priority or the audibility of a slot. It has no effect on a nil index and for
// indices of virtual voices.
func (r *victimIndex) markDirty(slot int) {
	if r != nil && slot < r.slots {
		run := slot / runSlots
		r.dirty[run/64] |= 1 << (run % 64)
	}
}

// markAllDirty makes the next find update all runs.
func (r *victimIndex) markAllDirty() {
	for run := range r.secondBits {
		r.dirty[run/64] |= 1 << (run % 64)
	}
}

// find sets w to the weakest slot with a priority of at most limit, with the same result as w.Find(prio, audibility,
// limit). It first updates the runs that were marked as changed.
func (r *victimIndex) find(w *dsp.Weakest, prio []int32, audibility []float32, limit int32) {
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

// update searches the slots of a run again and stores their victim and their number of candidates. prio and
// audibility are by slot.
func (r *victimIndex) update(run int, prio []int32, audibility []float32) {
	from, to := run*runSlots, min((run+1)*runSlots, r.slots)
	var w dsp.Weakest
	w.Find(prio[from:to], audibility[from:to], r.limit)
	r.all += w.Candidates - int(r.candidates[run])
	r.candidates[run] = int32(w.Candidates)
	if w.Candidates == 0 {
		r.lowestPrio[run] = unstealable
		return
	}
	r.lowestPrio[run], r.leastAudible[run], r.secondBits[run], r.victim[run] = w.Prio, w.Key, noSecond, int32(from+w.At)
	if !w.Alone {
		r.secondBits[run] = math.Float32bits(w.Next)
	}
}
