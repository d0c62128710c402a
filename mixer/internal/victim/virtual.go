package victim

import (
	"math"
	"math/bits"

	"voicepool/internal/dsp"
)

// Kind restricts a choice to endless voices or to voices that have an end. The zero value is Any.
type Kind uint8

const (
	Any Kind = iota
	Endless
	Finite
)

// Includes reports whether k includes endless voices, if endless is true, or voices that have an end.
func (k Kind) Includes(endless bool) bool { return k == Any || endless == (k == Endless) }

// Choice is the result of a choice.
type Choice struct {
	Slot         int     // the index of the victim; -1: no candidate
	Candidates   int     // the number of candidates
	Peers        int     // the number of candidates with the victim's priority
	Audibility   float64 // of the victim, a power
	RunnerUp     float64 // the audibility of the second candidate; -1: there is only one
	RunnerUpPrio int32   // priority of the second candidate
}

// virtualIndex finds the virtual voice with the least audibility in the rest of its sound, among endless voices, finite
// ones or both. Voice j is at index j of all slices.
type virtualIndex struct {
	prio      []int32 // slices of the caller
	endless   []bool
	remaining []float32
	number    []uint64
	indexes   [2]classIndex   // finite voices, and endless ones
	scratch   [runSlots]int32 // scratch space of prioritiesOf
}

// classIndex is an index of the endless voices or of the others. It holds the first victim of each run
// of 64 voices. A search updates only the runs with changes.
type classIndex struct {
	lowestPrio      []int32   // by run: the lowest priority; Unstealable: no voice of the class may be lost
	leastAudible    []float32 // by run: the least audibility among the voices with lowestPrio
	secondBits      []uint32  // by run: the bits of the second least audibility; noSecond: one voice has lowestPrio
	victim          []int32   // by run: the first voice with lowestPrio and leastAudible
	peers           []int32   // by run: the number of voices with lowestPrio
	highest         []int32   // the highest priority of a voice that may be lost
	all             []int32   // the number of voices that may be lost
	dirtyAudibility []uint64  // by run, a bit each: an audibility has changed
	dirtyPrio       []uint64  // by run, a bit each: a priority or a kind has changed
}

// newVirtualIndex returns an index of the virtual voices. For each voice, the slices hold its priority, whether it is
// endless, its audibility in the rest of its sound (a power) and its start number. The index keeps the slices, which
// belong to the caller and have equal lengths. At first it finds no voice. The caller reports each change of a voice
// with markPrio or markAudibility.
func newVirtualIndex(prio []int32, endless []bool, remaining []float32, number []uint64) *virtualIndex {
	u := &virtualIndex{prio: prio, endless: endless, remaining: remaining, number: number}
	runs := (len(u.prio) + runSlots - 1) / runSlots
	full := (runs + 15) &^ 15 // padded for the kernels
	for i := range u.indexes {
		k := &u.indexes[i]
		*k = classIndex{
			lowestPrio: make([]int32, full), leastAudible: make([]float32, full), secondBits: make([]uint32, runs), victim: make([]int32, runs),
			peers: make([]int32, runs), highest: make([]int32, runs), all: make([]int32, runs),
			dirtyAudibility: make([]uint64, (runs+63)/64), dirtyPrio: make([]uint64, (runs+63)/64),
		}
		for run := range k.lowestPrio {
			k.lowestPrio[run] = Unstealable
		}
	}
	return u
}

// markPrio records that the priority or the kind of virtual voice j has changed, so that the next search looks at it
// again. It ignores a negative j.
func (u *virtualIndex) markPrio(j int) {
	if j >= 0 {
		markRun(u.indexes[0].dirtyPrio, j)
		markRun(u.indexes[1].dirtyPrio, j)
	}
}

// markAudibility records that the audibility of virtual voice j has changed, so that the next search looks at it
// again. It ignores a negative j.
func (u *virtualIndex) markAudibility(j int) {
	if j >= 0 {
		markRun(u.indexes[boolInt(u.endless[j])].dirtyAudibility, j)
	}
}

// markRun sets, in runs, the bit of the run of runSlots voices that contains virtual voice j. runs has a bit per run.
func markRun(runs []uint64, j int) { runs[j/runSlots/64] |= 1 << (j / runSlots % 64) }

// prioritiesOf returns the priorities of the voices in a run: runSlots consecutive virtual voices, or fewer in the
// last run. from is the number of the first voice in the run. class is 0 for finite voices and 1 for endless voices;
// voices of the other class have the priority Unstealable. The slice is valid until the next call.
func (u *virtualIndex) prioritiesOf(run, class int) (from int, prio []int32) {
	from = run * runSlots
	to := min(from+runSlots, len(u.prio))
	prio = u.scratch[:to-from]
	for n, p := range u.prio[from:to] {
		if boolInt(u.endless[from+n]) != class {
			p = Unstealable
		}
		prio[n] = p
	}
	return from, prio
}

// update searches a run of virtual voices again and stores its weakest voice in the index of class (0: finite, 1:
// endless). run is the number of the run. moved means that a priority or a kind in the run has changed; update then
// also counts the voices of the run again. If the run has no voice of class that may be lost, only a call with moved
// changes the index.
func (u *virtualIndex) update(run, class int, moved bool) {
	k := &u.indexes[class]
	from, prio := u.prioritiesOf(run, class)
	var w dsp.Weakest
	w.Find(prio, u.remaining[from:], Unstealable-1)
	if moved {
		k.all[run], k.peers[run], k.highest[run], k.lowestPrio[run] = int32(w.Candidates), 0, math.MinInt32, Unstealable
		for _, p := range prio {
			if p != Unstealable {
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

// findClass returns the weakest virtual voice of class (0: finite, 1: endless) with a priority of at most limit. This
// is the voice with the lowest priority, then the least audibility in the rest of its sound. findClass first updates
// the runs of voices that have changed. The result has the numbers of candidates and of peers; without a candidate its
// Candidates is 0.
func (u *virtualIndex) findClass(class int, limit int32) (w virtualWeakest) {
	k := &u.indexes[class]
	for i, moved := range k.dirtyPrio {
		for word := moved | k.dirtyAudibility[i]; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			u.update(64*i+bit, class, moved>>bit&1 != 0)
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
			_, prio := u.prioritiesOf(run, class)
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

// virtualWeakest is the result of find: the weakest candidate, the second one, and the number of candidates.
type virtualWeakest struct {
	dsp.Weakest
	peers int // the number of candidates with the priority of the weakest
}

// merge combines w and v, the results of searches among finite and among endless voices. The result is the weaker
// voice, with the candidates of both searches. If both voices have the same priority, the peers of both count, and
// the other voice may become the runner-up. A result without candidates is ignored.
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

// find returns the weakest virtual voice of the given kind: endless, finite or any. Candidates have a priority of at
// most limit, which is below Unstealable. The weakest voice has the lowest priority, then the least audibility in the
// rest of its sound. If several candidates are equally weak, oldest chooses between them. The result has the number of
// candidates, which may be 0. find first updates the runs of voices that have changed.
func (u *virtualIndex) find(kind Kind, limit int32) (w virtualWeakest) {
	for class := range u.indexes {
		if kind.Includes(class == 1) {
			w = w.merge(u.findClass(class, limit))
		}
	}
	return w
}

// oldest returns the virtual voice with the lowest start number among the voices as weak as w. w is the result of
// find for the same kind, with at least one candidate.
func (u *virtualIndex) oldest(w *virtualWeakest, kind Kind) int {
	if w.Alone || w.Next != w.Key {
		return w.At
	}
	oldest := -1
	for class := range u.indexes {
		k := &u.indexes[class]
		for run := range k.all {
			if k.lowestPrio[run] != w.Prio || k.leastAudible[run] != w.Key || !kind.Includes(class == 1) {
				continue
			}
			from, prio := u.prioritiesOf(run, class)
			if j := dsp.FindOldest(prio, u.remaining[from:], u.number[from:], w.Prio, w.Key); j >= 0 && (oldest < 0 || u.number[from+j] < u.number[oldest]) {
				oldest = from + j
			}
		}
	}
	return oldest
}

// choose chooses the virtual voice to steal and stores it in c. kind selects endless voices, finite voices or both;
// candidates have a priority of at most limit, which is below Unstealable. The victim has the lowest priority, then the
// least audibility in the rest of its sound, then the lowest start number. c.Slot counts virtual voices from 0; without
// a candidate it is -1. c also holds the second candidate.
func (u *virtualIndex) choose(c *Choice, limit int32, kind Kind) {
	w := u.find(kind, limit)
	*c = Choice{Slot: -1, RunnerUp: -1}
	if w.Candidates == 0 {
		return
	}
	c.Slot = u.oldest(&w, kind)
	c.Candidates, c.Peers, c.Audibility = w.Candidates, w.peers, float64(w.Key)
	switch {
	case w.Candidates == 1:
	case !w.Alone:
		c.RunnerUp, c.RunnerUpPrio = float64(w.Next), w.Prio
	default: // the runner-up is the result of a search without the victim
		prio := u.prio[c.Slot]
		u.prio[c.Slot] = Unstealable
		u.markPrio(c.Slot)
		w = u.find(kind, limit)
		c.RunnerUp, c.RunnerUpPrio = float64(w.Key), w.Prio
		u.prio[c.Slot] = prio
		u.markPrio(c.Slot)
	}
}

// boolInt returns 1 for true and 0 for false.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
