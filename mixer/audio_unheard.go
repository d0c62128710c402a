package mixer

import (
	"math"
	"math/bits"

	"voicepool/internal/dsp"
)

// unheard finds the virtual voice that is missed least from now on, of endless voices, of finite ones or of both.
type unheard struct {
	prio    []int32 // by virtual voice, as scores have it
	endless []bool
	whole   []float32
	number  []uint64
	kinds   [2]unheardKind  // those that end by themselves, and the endless ones
	own     [runSlots]int32 // see ownPrio
}

// unheardKind holds, of each run of 64 virtual voices, what a search for the least of one kind finds there. A
// search looks again only at the runs in which a voice has changed.
type unheardKind struct {
	lowest  []int32   // by run: the lowest priority; unstealable if there is none
	least   []float32 // of that priority the least audibility
	next    []uint32  // the bits of the next; noNext: one voice alone has that priority
	at      []int32   // the first voice that has both
	peers   []int32   // how many voices have that priority
	highest []int32   // the highest priority of a voice that may be lost
	all     []int32   // how many may be lost
	louder  []uint64  // by run, a bit each: an audibility has changed
	moved   []uint64  // the same of a priority or a kind
}

func newUnheard(s *scores, base int) *unheard {
	u := &unheard{prio: s.prio[base:], endless: s.endless[base:], whole: s.whole[base:], number: s.number[base:]}
	runs := (len(u.prio) + runSlots - 1) / runSlots
	full := (runs + 15) &^ 15 // as kernels have it
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

// move notes that a virtual voice has another priority, or is of another kind.
func (u *unheard) move(j int) {
	if j >= 0 {
		mark(u.kinds[0].moved, j)
		mark(u.kinds[1].moved, j)
	}
}

// change notes that a virtual voice has another audibility.
func (u *unheard) change(j int) {
	if j >= 0 {
		mark(u.kinds[one(u.endless[j])].louder, j)
	}
}

func mark(runs []uint64, j int) { runs[j/runSlots/64] |= 1 << (j / runSlots % 64) }

// ownPrio returns the first voice of a run, and the priorities of its voices of a kind; the others are out of reach.
func (u *unheard) ownPrio(run, kind int) (from int, prio []int32) {
	from = run * runSlots
	to := min(from+runSlots, len(u.prio))
	prio = u.own[:to-from]
	for n, p := range u.prio[from:to] {
		if one(u.endless[from+n]) != kind {
			p = unstealable
		}
		prio[n] = p
	}
	return from, prio
}

// look looks at a run again. moved: also at how many have which priority.
func (u *unheard) look(run, kind int, moved bool) {
	k := &u.kinds[kind]
	from, prio := u.ownPrio(run, kind)
	var w dsp.Weakest
	w.Find(prio, u.whole[from:], unstealable-1)
	if moved {
		k.all[run], k.peers[run], k.highest[run], k.lowest[run] = int32(w.Candidates), 0, math.MinInt32, unstealable
		for _, p := range prio {
			if p != unstealable {
				k.highest[run] = max(k.highest[run], p)
				k.peers[run] += int32(one(p == w.Prio))
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

// findKind returns the least of the voices of a kind with a priority of at most limit, as dsp.Weakest has it.
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
		next = min(next, math.Float32bits(w.Next)) // as bits they are in the same order
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
				w.Candidates += one(p <= limit)
			}
		}
		if k.lowest[run] == w.Prio {
			w.peers += int(k.peers[run])
		}
	}
	w.Next, w.Alone, w.At = math.Float32frombits(next), next == noNext, int(k.at[run])
	return w
}

// unheardLeast is what a search finds.
type unheardLeast struct {
	dsp.Weakest
	peers int // how many voices have its priority
}

// with returns what a search among the voices of both finds.
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

// lookIn says in which kinds a search looks.
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

// oldest returns which of the least, found by a search, is the oldest.
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
			if j := dsp.FindEldest(prio, u.whole[from:], u.number[from:], w.Prio, w.Key); j >= 0 && (oldest < 0 || u.number[from+j] < u.number[oldest]) {
				oldest = from + j
			}
		}
	}
	return oldest
}

// chooseVirtual has c be the virtual voice that is lost first of those with a priority of at most limit: of the
// lowest priority, then the least from now on, then the oldest.
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
	default: // it is known by what would be found without the victim
		prio := s.prio[c.slot]
		s.setPrio(c.slot, unstealable)
		w = u.find(which, limit)
		c.runnerUp, c.next = float64(w.Key), w.Prio
		s.setPrio(c.slot, prio)
	}
}
