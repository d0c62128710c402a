package mixer

import (
	"math"
	"math/bits"

	"voicepool/internal/dsp"
)

// unheard finds the virtual voice that is the least audible from now on, among endless voices, finite
// ones or both.
type unheard struct {
	prio      []int32 // by virtual voice, slices of scores
	endless   []bool
	remaining []float32
	number    []uint64
	kinds     [2]unheardKind  // finite voices, and endless ones
	own       [runSlots]int32 // scratch space of ownPrio
}

// unheardKind is an index of the virtual voices of one kind. It holds the first victim of each run of 64
// voices. A search updates only the runs with changes.
type unheardKind struct {
	lowest  []int32   // by run: the lowest priority; unstealable if it is empty
	least   []float32 // the least audibility with that priority
	next    []uint32  // the bits of the second least; noNext: a single voice has that priority
	at      []int32   // the first voice with both
	peers   []int32   // the number of voices with that priority
	highest []int32   // the highest priority of a voice that may be lost
	all     []int32   // the number of voices that may be lost
	louder  []uint64  // by run, a bit each: an audibility has changed
	moved   []uint64  // by run, a bit each: a priority or a kind has changed
}

func newUnheard(s *scores, base int) *unheard {
	u := &unheard{prio: s.prio[base:], endless: s.endless[base:], remaining: s.remaining[base:], number: s.number[base:]}
	runs := (len(u.prio) + runSlots - 1) / runSlots
	full := (runs + 15) &^ 15 // padded for the kernels
	for i := range u.kinds {
		k := &u.kinds[i]
		*k = unheardKind{
			lowest: make([]int32, full), least: make([]float32, full), next: make([]uint32, runs), at: make([]int32, runs),
			peers: make([]int32, runs), highest: make([]int32, runs), all: make([]int32, runs),
			louder: make([]uint64, (runs+63)/64), moved: make([]uint64, (runs+63)/64),
		}
		for run := range k.lowest {
			k.lowest[run] = unstealable
		}
	}
	return u
}

// move records a change of the priority or the kind of a virtual voice.
func (u *unheard) move(j int) {
	if j >= 0 {
		mark(u.kinds[0].moved, j)
		mark(u.kinds[1].moved, j)
	}
}

// change records a change of the audibility of a virtual voice.
func (u *unheard) change(j int) {
	if j >= 0 {
		mark(u.kinds[boolInt(u.endless[j])].louder, j)
	}
}

func mark(runs []uint64, j int) { runs[j/runSlots/64] |= 1 << (j / runSlots % 64) }

// ownPrio returns the first voice of a run, and the priorities of its voices of a kind. The others get
// unstealable.
func (u *unheard) ownPrio(run, kind int) (from int, prio []int32) {
	from = run * runSlots
	to := min(from+runSlots, len(u.prio))
	prio = u.own[:to-from]
	for n, p := range u.prio[from:to] {
		if boolInt(u.endless[from+n]) != kind {
			p = unstealable
		}
		prio[n] = p
	}
	return from, prio
}

// look updates a run; with moved also the counts by priority.
func (u *unheard) look(run, kind int, moved bool) {
	k := &u.kinds[kind]
	from, prio := u.ownPrio(run, kind)
	var w dsp.Weakest
	w.Find(prio, u.remaining[from:], unstealable-1)
	if moved {
		k.all[run], k.peers[run], k.highest[run], k.lowest[run] = int32(w.Candidates), 0, math.MinInt32, unstealable
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
	k.lowest[run], k.least[run], k.next[run], k.at[run] = w.Prio, w.Key, noNext, int32(from+w.At)
	if !w.Alone {
		k.next[run] = math.Float32bits(w.Next)
	}
}

// findKind returns the least audible voice of a kind with a priority of at most limit, as dsp.Weakest.
func (u *unheard) findKind(kind int, limit int32) (w unheardLeast) {
	k := &u.kinds[kind]
	for i, moved := range k.moved {
		for word := moved | k.louder[i]; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			u.look(64*i+bit, kind, moved>>bit&1 != 0)
		}
		k.moved[i], k.louder[i] = 0, 0
	}
	w.Find(k.lowest, k.least, limit)
	if w.Candidates == 0 {
		return w
	}
	run := w.At
	next := k.next[run]
	if !w.Alone {
		next = min(next, math.Float32bits(w.Next)) // bits have the same order
	}
	w.Candidates = 0
	for run := range k.all {
		switch {
		case k.lowest[run] > limit:
			continue
		case k.highest[run] <= limit:
			w.Candidates += int(k.all[run])
		default:
			_, prio := u.ownPrio(run, kind)
			for _, p := range prio {
				w.Candidates += boolInt(p <= limit)
			}
		}
		if k.lowest[run] == w.Prio {
			w.peers += int(k.peers[run])
		}
	}
	w.Next, w.Alone, w.At = math.Float32frombits(next), next == noNext, int(k.at[run])
	return w
}

// unheardLeast is the result of a search.
type unheardLeast struct {
	dsp.Weakest
	peers int // the number of voices with its priority
}

// with merges the results of two searches.
func (w unheardLeast) with(v unheardLeast) unheardLeast {
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

// lookIn returns the range of kinds for a search.
func lookIn(which only) (from, to int) {
	switch which {
	case finiteOnes:
		return 0, 1
	case endlessOnes:
		return 1, 2
	}
	return 0, 2
}

func (u *unheard) find(which only, limit int32) (w unheardLeast) {
	for kind, to := lookIn(which); kind < to; kind++ {
		w = w.with(u.findKind(kind, limit))
	}
	return w
}

// oldest returns the oldest of the least audible voices of a search.
func (u *unheard) oldest(w *unheardLeast, which only) int {
	if w.Alone || w.Next != w.Key {
		return w.At
	}
	oldest := -1
	for kind, to := lookIn(which); kind < to; kind++ {
		k := &u.kinds[kind]
		for run := range k.all {
			if k.lowest[run] != w.Prio || k.least[run] != w.Key {
				continue
			}
			from, prio := u.ownPrio(run, kind)
			if j := dsp.FindEldest(prio, u.remaining[from:], u.number[from:], w.Prio, w.Key); j >= 0 && (oldest < 0 || u.number[from+j] < u.number[oldest]) {
				oldest = from + j
			}
		}
	}
	return oldest
}

// chooseVirtual stores the virtual voice to lose in c, with a priority of at most limit: the lowest
// priority, then the least audible from now on, then the oldest.
func (a *audio) chooseVirtual(c *choice, limit int32, which only) {
	s, u := &a.scores, a.scores.least
	w := u.find(which, limit)
	*c = choice{slot: -1, runnerUp: -1}
	if w.Candidates == 0 {
		return
	}
	c.slot = a.base + u.oldest(&w, which)
	c.candidates, c.peers, c.audibility = w.Candidates, w.peers, float64(w.Key)
	switch {
	case w.Candidates == 1:
	case !w.Alone:
		c.runnerUp, c.next = float64(w.Next), w.Prio
	default: // the runner-up is the result of a search without the victim
		prio := s.prio[c.slot]
		s.setPrio(c.slot, unstealable)
		w = u.find(which, limit)
		c.runnerUp, c.next = float64(w.Key), w.Prio
		s.setPrio(c.slot, prio)
	}
}
