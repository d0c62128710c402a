package mixer

import (
	"math"
	"math/bits"

	"voicepool/internal/dsp"
)

// virtualVictims finds the virtual voice that is the least audible from now on, among endless voices,
// finite ones or both.
type virtualVictims struct {
	prio      []int32 // by virtual voice, slices of scores
	endless   []bool
	remaining []float32
	number    []uint64
	indexes   [2]virtualVictimIndex // finite voices, and endless ones
	scratch   [runSlots]int32       // scratch space of prioritiesOf
}

// virtualVictimIndex is an index of the virtual voices of one kind. It holds the first victim of each run
// of 64 voices. A search updates only the runs with changes.
type virtualVictimIndex struct {
	lowestPrio      []int32   // by run: the lowest priority; unstealable if it is empty
	leastAudible    []float32 // the least audibility with that priority
	secondBits      []uint32  // the bits of the second least; noSecond: a single voice has that priority
	victim          []int32   // the first voice with both
	peers           []int32   // the number of voices with that priority
	highest         []int32   // the highest priority of a voice that may be lost
	all             []int32   // the number of voices that may be lost
	dirtyAudibility []uint64  // by run, a bit each: an audibility has changed
	dirtyPrio       []uint64  // by run, a bit each: a priority or a kind has changed
}

// newVirtualVictims returns an index of the scores from index base on, which it aliases. All voices count as free.
func newVirtualVictims(s *scores, base int) *virtualVictims {
	u := &virtualVictims{prio: s.prio[base:], endless: s.endless[base:], remaining: s.remaining[base:], number: s.number[base:]}
	runs := (len(u.prio) + runSlots - 1) / runSlots
	full := (runs + 15) &^ 15 // padded for the kernels
	for i := range u.indexes {
		k := &u.indexes[i]
		*k = virtualVictimIndex{
			lowestPrio: make([]int32, full), leastAudible: make([]float32, full), secondBits: make([]uint32, runs), victim: make([]int32, runs),
			peers: make([]int32, runs), highest: make([]int32, runs), all: make([]int32, runs),
			dirtyAudibility: make([]uint64, (runs+63)/64), dirtyPrio: make([]uint64, (runs+63)/64),
		}
		for run := range k.lowestPrio {
			k.lowestPrio[run] = unstealable
		}
	}
	return u
}

// markPrio records a change of the priority or the kind of virtual voice j, counted from base; it ignores negative j,
// which are real voices.
func (u *virtualVictims) markPrio(j int) {
	if j >= 0 {
		markRun(u.indexes[0].dirtyPrio, j)
		markRun(u.indexes[1].dirtyPrio, j)
	}
}

// markAudibility records a change of the audibility of virtual voice j, counted from base; it ignores negative j,
// which are real voices.
func (u *virtualVictims) markAudibility(j int) {
	if j >= 0 {
		markRun(u.indexes[boolInt(u.endless[j])].dirtyAudibility, j)
	}
}

// markRun sets the bit of the run that contains virtual voice j, counted from base. runs has a bit per run.
func markRun(runs []uint64, j int) { runs[j/runSlots/64] |= 1 << (j / runSlots % 64) }

// prioritiesOf returns, for a run (runSlots consecutive virtual voices; the last may be shorter), the
// index of its first voice among the virtual voices, and the priorities of its voices. kind is 0 for
// finite voices and 1 for endless ones; voices of the other kind have unstealable. The slice is valid
// until the next call.
func (u *virtualVictims) prioritiesOf(run, kind int) (from int, prio []int32) {
	from = run * runSlots
	to := min(from+runSlots, len(u.prio))
	prio = u.scratch[:to-from]
	for n, p := range u.prio[from:to] {
		if boolInt(u.endless[from+n]) != kind {
			p = unstealable
		}
		prio[n] = p
	}
	return from, prio
}

// update searches a run again for the voices of a kind, 0 for finite and 1 for endless, and stores their victim.
// moved means that a priority or a kind has changed, so the counts must be updated, too.
func (u *virtualVictims) update(run, kind int, moved bool) {
	k := &u.indexes[kind]
	from, prio := u.prioritiesOf(run, kind)
	var w dsp.Weakest
	w.Find(prio, u.remaining[from:], unstealable-1)
	if moved {
		k.all[run], k.peers[run], k.highest[run], k.lowestPrio[run] = int32(w.Candidates), 0, math.MinInt32, unstealable
		for _, p := range prio {
			if p != unstealable {
				k.highest[run] = max(k.highest[run], p)
				k.peers[run] += int32(boolInt(p == w.Prio))
			}
		}
	}
	if w.Candidates == 0 {
		return
	}
	k.lowestPrio[run], k.leastAudible[run], k.secondBits[run], k.victim[run] = w.Prio, w.Key, noSecond, int32(from+w.At)
	if !w.Alone {
		k.secondBits[run] = math.Float32bits(w.Next)
	}
}

// findKind returns the least audible virtual voice of a kind (0: finite, 1: endless), with a priority of at
// most limit. Candidates is 0 without such a voice. It first updates the runs that have changed.
func (u *virtualVictims) findKind(kind int, limit int32) (w virtualWeakest) {
	k := &u.indexes[kind]
	for i, moved := range k.dirtyPrio {
		for word := moved | k.dirtyAudibility[i]; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			u.update(64*i+bit, kind, moved>>bit&1 != 0)
		}
		k.dirtyPrio[i], k.dirtyAudibility[i] = 0, 0
	}
	w.Find(k.lowestPrio, k.leastAudible, limit)
	if w.Candidates == 0 {
		return w
	}
	run := w.At
	next := k.secondBits[run]
	if !w.Alone {
		next = min(next, math.Float32bits(w.Next)) // bits have the same order
	}
	w.Candidates = 0
	for run := range k.all {
		switch {
		case k.lowestPrio[run] > limit:
			continue
		case k.highest[run] <= limit:
			w.Candidates += int(k.all[run])
		default:
			_, prio := u.prioritiesOf(run, kind)
			for _, p := range prio {
				w.Candidates += boolInt(p <= limit)
			}
		}
		if k.lowestPrio[run] == w.Prio {
			w.peers += int(k.peers[run])
		}
	}
	w.Next, w.Alone, w.At = math.Float32frombits(next), next == noSecond, int(k.victim[run])
	return w
}

// virtualWeakest is the result of a search.
type virtualWeakest struct {
	dsp.Weakest
	peers int // the number of voices with its priority
}

// merge returns the weaker of two results of different kinds, with the candidates and peers of both.
func (w virtualWeakest) merge(v virtualWeakest) virtualWeakest {
	switch {
	case v.Candidates == 0:
		return w
	case w.Candidates == 0:
		return v
	case v.Prio < w.Prio, v.Prio == w.Prio && v.Key < w.Key:
		w, v = v, w
	}
	w.Candidates += v.Candidates
	if v.Prio == w.Prio {
		w.peers += v.peers
		if w.Alone || v.Key < w.Next {
			w.Next, w.Alone = v.Key, false
		}
	}
	return w
}

// kindRange returns the kinds of voices that a search visits, from <= kind < to. Kind 0 is finite
// voices, kind 1 endless ones.
func kindRange(filter voiceFilter) (from, to int) {
	switch filter {
	case finiteVoices:
		return 0, 1
	case endlessVoices:
		return 1, 2
	}
	return 0, 2
}

// find returns the least audible virtual voice among the lowest priority that filter permits, with a priority of at
// most limit. Candidates is 0 without such a voice.
func (u *virtualVictims) find(filter voiceFilter, limit int32) (w virtualWeakest) {
	for kind, to := kindRange(filter); kind < to; kind++ {
		w = w.merge(u.findKind(kind, limit))
	}
	return w
}

// oldest returns the oldest among the least audible voices that find returned in w for the same filter, as an index
// counted from base.
func (u *virtualVictims) oldest(w *virtualWeakest, filter voiceFilter) int {
	if w.Alone || w.Next != w.Key {
		return w.At
	}
	oldest := -1
	for kind, to := kindRange(filter); kind < to; kind++ {
		k := &u.indexes[kind]
		for run := range k.all {
			if k.lowestPrio[run] != w.Prio || k.leastAudible[run] != w.Key {
				continue
			}
			from, prio := u.prioritiesOf(run, kind)
			if j := dsp.FindOldest(prio, u.remaining[from:], u.number[from:], w.Prio, w.Key); j >= 0 && (oldest < 0 || u.number[from+j] < u.number[oldest]) {
				oldest = from + j
			}
		}
	}
	return oldest
}

// chooseVirtualVictim stores the virtual voice to steal in c: the lowest priority, then the least audible from now
// on, then the oldest. Its priority is at most limit, and filter permits its kind. c.slot is -1 without a candidate.
func (a *audio) chooseVirtualVictim(c *choice, limit int32, filter voiceFilter) {
	s, u := &a.scores, a.scores.virtualVictims
	w := u.find(filter, limit)
	*c = choice{slot: -1, runnerUp: -1}
	if w.Candidates == 0 {
		return
	}
	c.slot = a.base + u.oldest(&w, filter)
	c.candidates, c.peers, c.audibility = w.Candidates, w.peers, float64(w.Key)
	switch {
	case w.Candidates == 1:
	case !w.Alone:
		c.runnerUp, c.next = float64(w.Next), w.Prio
	default: // the runner-up is the result of a search without the victim
		prio := s.prio[c.slot]
		s.setPrio(c.slot, unstealable)
		w = u.find(filter, limit)
		c.runnerUp, c.next = float64(w.Key), w.Prio
		s.setPrio(c.slot, prio)
	}
}
