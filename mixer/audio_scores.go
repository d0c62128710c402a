package mixer

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/voice"
)

// scores holds, by slot and packed, what a choice of victim looks at, so that
// one scan decides.
type scores struct {
	audibility []float32 // a power, see docs/design.md
	gain       []float32 // left^2 + right^2
	none       []float32 // zeros, for those who look at the number alone
	number     []uint64
	prio       []int32

	// With virtual voices audibility is that of the next 40 ms, and whole what it
	// is without them; else it is nil.
	whole []float32

	masks *masks // nil: nobody looks at them
}

// unstealable is the priority of protected voices and of free slots: above any
// newcomer's.
const unstealable = 1<<31 - 1

func newScores(real, virtual int) scores {
	n := real + virtual
	s := scores{make([]float32, n), make([]float32, n), make([]float32, n), make([]uint64, n), make([]int32, n), nil, nil}
	if virtual > 0 {
		s.whole = make([]float32, n)
	}
	for i := range n {
		s.clear(i)
	}
	return s
}

func (s *scores) set(i int, prio int32, number uint64, protected bool) {
	s.prio[i], s.number[i] = prio, number
	if protected {
		s.prio[i] = unstealable
	}
}

// clear makes a slot free.
func (s *scores) clear(i int) { s.prio[i], s.number[i] = unstealable, 0 }

// rescore computes the audibility of a voice afresh: the best average loudness
// from its place on, times the power of all gains on its way, of which each
// that moves counts as it is or as it is going to be, whichever is more.
func (a *audio) rescore(i int) {
	s := a.at(i)
	s.power = a.buses[s.bus].power(&s.voice, a.now)
	s.settled = s.voice.Settled(a.now)
	a.scores.gain[i] = float32(s.power)
	a.follow(i, s)
	if pan := float32(s.voice.Pan(a.now)); s.pan != pan {
		s.pan = pan
		s.record.pan.Store(math.Float32bits(pan))
	}
	if loops := s.voice.Returns(); s.loops != loops {
		s.loops = loops
		s.record.looping.Store(loops)
	}
}

// freshen makes the scores of the slots those of this frame, and where that is asked
// for those of virtual voices too: all on the grid, and before a choice those that it
// looks at. Whatever moves a voice or a bus afterwards in the same frame rescores it.
func (a *audio) freshen(virtual bool) {
	real, virtual := a.scored != a.now, virtual && a.virtuals != nil && a.scoredVirtual != a.now
	if !real && !virtual {
		return
	}
	a.refresh()
	for _, v := range a.living() {
		if v.index < a.base && real || v.index >= a.base && virtual {
			a.refreshScore(v.index, v.slot)
		}
	}
	if a.scored = a.now; virtual {
		a.scoredVirtual = a.now
	}
	if a.virtuals == nil || a.scoredVirtual == a.now {
		for i := range a.buses {
			a.buses[i].shift = false
		}
	}
}

// refreshScore is rescore of a voice that nobody has moved: most have only gone on.
func (a *audio) refreshScore(i int, s *slot) {
	if s.settled && !a.buses[s.bus].shift {
		a.follow(i, s)
		return
	}
	a.rescore(i)
}

// follow computes the audibility of a voice at its place from the power of its
// gains.
func (a *audio) follow(i int, s *slot) {
	audibility := float32(float64(s.power * s.voice.Index()))
	if a.virtuals != nil {
		a.scores.whole[i] = audibility
		audibility = float32(float64(s.power * s.voice.Soon()))
		if a.scores.masks != nil {
			a.scores.masks.set(i, s.power, &s.voice)
		}
	}
	a.scores.audibility[i] = audibility
	if s.shown != audibility { // a store costs more
		s.shown = audibility
		s.record.audibility.Store(math.Float32bits(audibility))
	}
	if s.loops && !s.voice.Returns() { // it has gone back for the last time
		s.loops = false
		s.record.looping.Store(false)
	}
}

// newcomer returns the audibility that the voice that asks to come in would have
// on a bus, and the whole of it where that is something else.
func (a *audio) newcomer(bus uint16) (audibility, whole float64) {
	v := &a.coming
	power := a.buses[bus].power(v, a.now)
	whole = float64(float32(float64(power * v.Index())))
	if a.virtuals == nil {
		return whole, whole
	}
	if k := a.scores.masks; k != nil {
		k.set(k.newcomer(), power, v)
	}
	return float64(float32(float64(power * v.Soon()))), whole
}

// power returns left^2 + right^2 of a voice on this bus, through the master.
func (b *bus) power(v *voice.Voice, frame int64) float64 {
	if b.quiet || b.direct.To == 0 {
		return 0
	}
	left, right := v.Reach(frame)
	return stereo{left, right}.times(b.reach).power()
}

// stereo is a pair of factors.
type stereo struct{ left, right float64 }

func (s stereo) times(t stereo) stereo {
	return stereo{float64(s.left * t.left), float64(s.right * t.right)}
}

func (s stereo) power() float64 { return float64(s.left*s.left) + float64(s.right*s.right) }

// stealForGood is the policy of limits where there are virtual voices: its victim does
// not come back, so all that it would still have played counts, not the next 40 ms.
const stealForGood Overflow = 1 << 7

// query says which voices may be taken.
type query struct {
	prio  int32  // those of this priority or a lower one
	group *Group // of this group; nil: any
	bus   int    // on this bus or below it; -1: any
	all   bool   // virtual ones too
}

// choice is the answer.
type choice struct {
	slot       int     // -1: there is none
	candidates int     // how many could have been taken
	peers      int     // how many of them had its priority
	audibility float64 // of the least, by what the policy looks at
	runnerUp   float64 // the audibility of the second least; -1: there was none
	next       int32   // its priority
}

// choose returns the victim: of the lowest priority, then the least by the
// policy, then the oldest. It is one scan over packed
// arrays; free slots and protected voices have a priority that nobody reaches.
func (a *audio) choose(q *query, policy Overflow) choice {
	prios := a.scores.prio[:a.base]
	if q.all {
		prios = a.scores.prio
	}
	if policy == StealQuietest && q.group == nil && q.bus < 0 && dsp.Kernel() != "generic" {
		return a.scores.quietest(prios, q.prio)
	}
	return a.scan(q, prios, policy)
}

// quietest is scan for the default policy among all voices.
func (s *scores) quietest(prios []int32, limit int32) choice {
	w := dsp.FindWeakest(prios, s.audibility, limit)
	if w.Candidates == 0 {
		return choice{slot: -1, runnerUp: -1}
	}
	c := choice{audibility: float64(w.Key), slot: dsp.FindKey(prios, s.audibility, w.Prio, w.Key, 0), candidates: w.Candidates, peers: w.Candidates, runnerUp: float64(w.Next), next: w.Prio}
	if w.Prio < limit {
		c.peers = s.count(prios, w.Prio)
	}
	switch {
	case w.Alone && w.Candidates == 1:
		c.runnerUp, c.next = -1, 0
	case w.Alone: // the second has another priority
		prios[c.slot] = unstealable
		second := dsp.FindWeakest(prios, s.audibility, limit)
		c.runnerUp, c.next = float64(second.Key), second.Prio
		prios[c.slot] = w.Prio
	case w.Next == w.Key:
		c.slot = dsp.FindEldest(prios, s.audibility, s.number, w.Prio, w.Key)
	}
	return c
}

// count returns how many voices of those that may be taken have a priority.
func (s *scores) count(prios []int32, prio int32) (n int) {
	for _, p := range prios {
		if p == prio {
			n++
		}
	}
	return n
}

// scan looks at one voice after the other.
func (a *audio) scan(q *query, prios []int32, policy Overflow) choice {
	c, second := choice{slot: -1, runnerUp: -1}, -1
	keys := a.scores.keys(policy)
	// What the second least has to be beaten by, so that most voices are passed
	// over after one comparison.
	worstPrio, worstKey, worstNumber := q.prio, inf, uint64(math.MaxUint64)
	lowest := int32(unstealable)
	for i, prio := range prios {
		if prio > q.prio {
			continue
		}
		if q.group != nil || q.bus >= 0 {
			if s := a.at(i); q.group != nil && s.group != q.group || q.bus >= 0 && !a.tree.below(int(s.bus), q.bus) {
				continue
			}
		}
		c.candidates++
		if prio < lowest {
			lowest, c.peers = prio, 0
		}
		if prio == lowest {
			c.peers++
		}
		if prio > worstPrio || prio == worstPrio && (keys[i] > worstKey || keys[i] == worstKey && a.scores.number[i] > worstNumber) {
			continue
		}
		switch {
		case c.slot < 0 || a.scores.less(i, c.slot, keys):
			c.slot, second = i, c.slot
		case second < 0 || a.scores.less(i, second, keys):
			second = i
		}
		if second >= 0 {
			worstPrio, worstKey, worstNumber = a.scores.prio[second], keys[second], a.scores.number[second]
		}
	}
	loud := a.scores.loud(policy)
	if c.slot >= 0 {
		c.audibility = float64(loud[c.slot])
	}
	if second >= 0 {
		c.runnerUp, c.next = float64(loud[second]), a.scores.prio[second]
	}
	return c
}

var inf = float32(math.Inf(1))

// loud returns the audibilities that a policy compares.
func (s *scores) loud(policy Overflow) []float32 {
	if policy == stealForGood {
		return s.whole
	}
	return s.audibility
}

// keys returns what a policy looks at first.
func (s *scores) keys(policy Overflow) []float32 {
	switch policy {
	case StealGain:
		return s.gain
	case StealOldest:
		return s.none
	case StealMasked:
		return s.masks.score
	}
	return s.loud(policy)
}

// less reports whether i gives way before j: a total order. keys are what the policy
// looks at first.
func (s *scores) less(i, j int, keys []float32) bool {
	switch {
	case s.prio[i] != s.prio[j]:
		return s.prio[i] < s.prio[j]
	case keys[i] != keys[j]:
		return keys[i] < keys[j]
	}
	return s.number[i] < s.number[j]
}
