package mixer

import (
	"math"

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
}

// unstealable is the priority of protected voices and of free slots: above any
// newcomer's.
const unstealable = 1<<31 - 1

func newScores(n int) scores {
	s := scores{make([]float32, n), make([]float32, n), make([]float32, n), make([]uint64, n), make([]int32, n)}
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
	s := a.slots.At(i)
	power := a.buses[s.bus].power(&a.buses[0], &s.voice, a.now)
	a.scores.gain[i] = float32(power)
	a.scores.audibility[i] = float32(float64(power * s.voice.Index()))
}

// newcomer returns the audibility that a start would have.
func (a *audio) newcomer(r *record) float64 {
	var v voice.Voice
	v.Start(r.sound, r.options, a.now)
	return float64(float32(float64(a.buses[r.bus].power(&a.buses[0], &v, a.now) * v.Index())))
}

// power returns left^2 + right^2 of a voice on this bus, through the master.
func (b *bus) power(master *bus, v *voice.Voice, frame int64) float64 {
	if b.muted || master.muted {
		return 0
	}
	left, right := v.Reach(frame)
	all := stereo{left, right}.times(b.reach)
	if b != master {
		all = all.times(master.reach)
	}
	return all.power()
}

// stereo is a pair of factors.
type stereo struct{ left, right float64 }

func (s stereo) times(t stereo) stereo {
	return stereo{float64(s.left * t.left), float64(s.right * t.right)}
}

func (s stereo) power() float64 { return float64(s.left*s.left) + float64(s.right*s.right) }

// query says which voices may be taken.
type query struct {
	prio  int32  // those of this priority or a lower one
	group *Group // of this group; nil: any
	bus   int    // on this bus; -1: any
}

// choice is the answer: slots, -1 for none.
type choice struct {
	slot, second int
	candidates   int
}

// choose returns the victim: of the lowest priority, then the least by the
// policy, then the least audible, then the oldest. It is one scan over packed
// arrays; free slots and protected voices have a priority that nobody reaches.
func (a *audio) choose(q *query, policy Overflow) choice {
	c := choice{slot: -1, second: -1}
	keys := a.scores.keys(policy)
	// What the second least has to be beaten by, so that most voices are passed
	// over after one comparison.
	worstPrio, worstKey, worstNumber := q.prio, inf, uint64(math.MaxUint64)
	for i, prio := range a.scores.prio {
		if prio > q.prio {
			continue
		}
		if q.group != nil || q.bus >= 0 {
			if s := a.slots.At(i); q.group != nil && s.group != q.group || q.bus >= 0 && int(s.bus) != q.bus {
				continue
			}
		}
		c.candidates++
		if prio > worstPrio || prio == worstPrio && (keys[i] > worstKey || keys[i] == worstKey && a.scores.number[i] > worstNumber) {
			continue
		}
		switch {
		case c.slot < 0 || a.scores.less(i, c.slot, policy):
			c.slot, c.second = i, c.slot
		case c.second < 0 || a.scores.less(i, c.second, policy):
			c.second = i
		}
		if c.second >= 0 {
			worstPrio, worstKey = a.scores.prio[c.second], keys[c.second]
			if policy != StealGain { // which looks at the audibility before the number
				worstNumber = a.scores.number[c.second]
			}
		}
	}
	return c
}

var inf = float32(math.Inf(1))

// keys returns what a policy looks at first.
func (s *scores) keys(policy Overflow) []float32 {
	switch policy {
	case StealGain:
		return s.gain
	case StealOldest:
		return s.none
	}
	return s.audibility
}

// less reports whether i gives way before j: a total order.
func (s *scores) less(i, j int, policy Overflow) bool {
	switch {
	case s.prio[i] != s.prio[j]:
		return s.prio[i] < s.prio[j]
	case policy == StealOldest:
		return s.number[i] < s.number[j]
	case policy == StealGain && s.gain[i] != s.gain[j]:
		return s.gain[i] < s.gain[j]
	case s.audibility[i] != s.audibility[j]:
		return s.audibility[i] < s.audibility[j]
	}
	return s.number[i] < s.number[j]
}
