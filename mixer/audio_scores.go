package mixer

import (
	"math"

	"voicepool/internal/dsp"
)

// scores holds what a choice of victim looks at, packed by slot.
type scores struct {
	audibility []float32 // a power, see docs/decisions/005-steal-the-least-audible.md
	gain       []float32 // left^2 + right^2; nil if the policy is not StealGain
	none       []float32 // zeros, for those who look at the number alone
	number     []uint64
	prio       []int32
	eligible   []int32 // where a choice among some has their priorities, and turn its order

	// The audibility of a voice that goes on unheard is that of the next 20 ms; whole is
	// what it has from now on, as that of all others.
	whole []float32

	endless []bool  // it never comes to an end by itself
	holds   []int64 // the first frame at which all this may be something else, see follow

	// Of virtual voices alone, from base on.
	waits  []int32   // the negated priority; unstealable for one that must not come back
	turned []float32 // a key that falls as the voice gets louder, see turn
	used   int       // one above the highest index that was ever taken
	wholes []int64   // the first frame at which whole may change; 0: the voice moves, or has been moved

	masks *masks   // nil: nobody looks at them
	runs  *runs    // nil: there are few slots
	least *unheard // finds the virtual voice to lose
}

// unstealable is the priority of protected voices and free slots, above any newcomer's.
const unstealable = 1<<31 - 1

func newScores(n, virtual int) scores {
	s := scores{
		audibility: make([]float32, n), none: make([]float32, n),
		number: make([]uint64, n), prio: make([]int32, n), eligible: make([]int32, n),
		whole: make([]float32, n), endless: make([]bool, n), holds: make([]int64, n),
		waits: make([]int32, virtual), turned: make([]float32, virtual), wholes: make([]int64, virtual),
	}
	for i := range s.waits {
		s.waits[i], s.wholes[i], s.holds[n-virtual+i] = unstealable, never, never
	}
	for i := range n {
		s.prio[i] = unstealable
	}
	s.least = newUnheard(&s, n-virtual)
	return s
}

func (s *scores) set(i int, prio int32, number uint64, protected bool) {
	s.number[i] = number
	if protected {
		prio = unstealable
	}
	s.setPrio(i, prio)
}

// setPrio gives an index a priority.
func (s *scores) setPrio(i int, prio int32) {
	if s.runs.change(i); s.prio[i] != prio {
		s.prio[i] = prio
		s.least.move(i - s.base())
	}
}

// base returns the first index of a virtual voice.
func (s *scores) base() int { return len(s.prio) - len(s.waits) }

// setEndless records whether the voice of an index ends by itself.
func (s *scores) setEndless(i int, endless bool) {
	if s.endless[i] != endless {
		s.endless[i] = endless
		s.least.move(i - s.base())
	}
}

// setWhole gives an index an audibility from now on.
func (s *scores) setWhole(i int, x float32) {
	if s.whole[i] != x {
		s.whole[i] = x
		s.least.change(i - s.base())
	}
}

// setAudibility gives an index an audibility.
func (s *scores) setAudibility(i int, x float32) {
	if s.audibility[i] != x {
		s.audibility[i] = x
		s.runs.change(i)
	}
}

// rescore computes the audibility of a voice afresh: the best average loudness
// from its place on, times the power of all gains on its way, of which each
// that moves counts as it is or as it is going to be, whichever is more.
func (a *audio) rescore(i int) {
	s := a.at(i)
	reach := pair(s.voice.Reach(a.now))
	s.power = a.buses[s.bus].power(reach)
	s.coloured = a.colour(i, &s.voice, s.record, reach, s.power)
	a.classify(s)
	a.reckon(i, s, a.audibilities(i, s.coloured, s.power, &s.voice, s.keeps))
}

// reckon notes the scores of a voice of which the power is known.
func (a *audio) reckon(i int, s *slot, heard audibilities) {
	s.settled = s.voice.Settled(a.now) && s.record.sendsSettled(a.now)
	if a.scores.gain != nil {
		a.scores.gain[i] = float32(s.power)
	}
	a.scores.setEndless(i, s.endless)
	s.loops = s.voice.Returns()
	if i >= a.base {
		a.scores.wholes[i-a.base] = 0 // the voice has been moved
	}
	a.note(i, s, heard)
	s.record.levels.show(float32(s.voice.Pan(a.now)), float32(s.voice.Gain()))
}

// freshness says which scores a choice looks at.
type freshness uint8

const (
	freshReal   freshness = iota // those of real voices
	freshMoving                  // and what virtual voices that move are worth from now on, see freshenWholes
	freshAll                     // and all of virtual voices
)

// freshen makes scores those of this frame: all on the grid, and before a choice those that it looks at.
// Whatever moves a voice or a bus afterwards in the same frame rescores it.
func (a *audio) freshen(which freshness) {
	real, virtual := a.scored != a.now, which > freshReal && a.scoredVirtual != a.now
	if virtual && which == freshMoving && a.scoredMoving == a.now {
		virtual = false
	}
	if !real && !virtual {
		return
	}
	a.refresh()
	shifted := false
	for i := range a.buses {
		shifted = shifted || a.buses[i].shift
	}
	shifted = shifted || a.shiftsAny()
	if real {
		a.followReal(shifted)
	}
	a.scored = a.now
	switch {
	case virtual && shifted:
		a.renewVirtual()
		a.scoredVirtual = a.now
	case virtual && which == freshAll:
		a.followVirtual()
		a.scoredVirtual = a.now
	case virtual:
		a.followWholes(wholeMoving)
		a.scoredMoving = a.now
	}
	if shifted && (a.virtuals.Len() == 0 || a.scoredVirtual == a.now) {
		for i := range a.buses {
			a.buses[i].shift = false
		}
		a.forgetSent()
	}
}

// freshenWholes makes what virtual voices of a kind are worth from now on that of this frame, after freshen has done
// so for those that move. A choice that looks at the others only looks at nothing else.
func (a *audio) freshenWholes(which only) {
	if a.searched = a.now; a.scoredVirtual != a.now {
		for from, to := lookIn(which); from < to; from++ {
			a.followWholes(from)
		}
	}
}

// scoresDue is the first frame at which a score may be something else.
type scoresDue struct {
	real    int64
	virtual groupsDue
	wholes  [3]groupsDue // by wholeClass
}

// groupsDue holds the first frame at which a score of virtual voices may change: of all, and by lagGroup of them.
type groupsDue struct {
	first  int64
	groups []int64
}

func newGroupsDue(virtual int) groupsDue {
	d := groupsDue{groups: make([]int64, (virtual+lagGroup-1)/lagGroup)}
	for g := range d.groups {
		d.groups[g] = never
	}
	return d
}

// note notes when the score of a virtual voice may change.
func (d *groupsDue) note(j int, frame int64) {
	group := &d.groups[j/lagGroup]
	d.first, *group = min(d.first, frame), min(*group, frame)
}

// followReal computes the scores of real voices that may have changed, all of them if a bus has shifted.
func (a *audio) followReal(shifted bool) {
	if !shifted && a.now < a.due.real {
		return
	}
	a.due.real = never
	for _, v := range a.real() {
		if shifted || a.now >= a.scores.holds[v.index] {
			a.renew(v.index, v.slot, shifted)
		}
		a.due.real = min(a.due.real, a.scores.holds[v.index])
	}
}

// renew computes the score of a voice.
func (a *audio) renew(i int, s *slot, shifted bool) {
	if s.settled && !a.buses[s.bus].shift && !(shifted && a.shiftsSent(s.record)) { // as most: it has only moved on
		a.follow(i, s)
	} else {
		a.rescore(i)
	}
}

// follow computes the audibility of a voice from the power of its gains, and from what is heard of it in
// each band.
func (a *audio) follow(i int, s *slot) {
	a.note(i, s, a.audibilities(i, s.coloured, s.power, &s.voice, s.keeps))
}

// note notes how loud a voice is going to be.
func (a *audio) note(i int, s *slot, heard audibilities) {
	audibility := heard.whole
	a.scores.setWhole(i, audibility)
	if s.keeps {
		audibility = heard.soon
	}
	if a.scores.masks != nil {
		a.noteMasks(i, s)
	}
	a.scores.setAudibility(i, audibility)
	s.loops = s.loops && s.voice.Returns() // it may have gone back for the last time
	if s.shown != audibility || s.loopsShown != s.loops {
		s.shown, s.loopsShown = audibility, s.loops
		s.record.score.show(audibility, float32(one(s.loops)))
	}
	a.noteUntil(i, s)
}

// noteUntil notes until when the score of a voice stays as it is while nobody moves it or its bus.
func (a *audio) noteUntil(i int, s *slot) {
	until := a.now
	switch {
	case !s.settled:
	case s.keeps, a.scores.masks != nil:
		until += s.voice.SoonStays()
	default:
		until += s.voice.IndexStays()
	}
	a.scores.holds[i] = until
	if i >= a.base {
		a.noteWhole(i-a.base, s, until)
	}
	a.noteDue(i)
}

// noteWhole notes until when the audibility of a virtual voice from now on stays as it is. The rest of its score
// may change before, until gives the frame.
func (a *audio) noteWhole(j int, s *slot, until int64) {
	whole := &a.scores.wholes[j]
	switch {
	case !s.settled:
		*whole = 0
	case a.now-a.searched > 10*a.hop, s.coloured && !s.voice.KnowsSpectrum(): // without a search the rest costs time
		*whole = until
	case *whole <= a.now:
		*whole = max(until, a.now+s.voice.IndexStays())
	default:
		return
	}
	a.noteWholeDue(j)
}

func (a *audio) noteWholeDue(j int) { a.due.wholes[a.wholeClass(j)].note(j, a.scores.wholes[j]) }

func (a *audio) noteDue(i int) {
	if holds := a.scores.holds[i]; i < a.base {
		a.due.real = min(a.due.real, holds)
	} else {
		a.due.virtual.note(i-a.base, holds)
	}
}

// power returns left^2 + right^2 of a voice on this bus that has such gains, through its output's master bus.
func (b *bus) power(reach stereo) float64 {
	if b.quiet || b.direct.To == 0 {
		return 0
	}
	return reach.times(b.reach).power()
}

// stereo is a pair of factors.
type stereo struct{ left, right float64 }

func pair(left, right float64) stereo { return stereo{left, right} }

func (s stereo) times(t stereo) stereo {
	return stereo{float64(s.left * t.left), float64(s.right * t.right)}
}

func (s stereo) power() float64 { return float64(s.left*s.left) + float64(s.right*s.right) }

// stealForGood is the policy of limits: its victim does not come back, so all that it
// would still have played counts, not the next 20 ms.
const stealForGood Overflow = 1 << 7

// query says which voices may be taken.
type query struct {
	prio  int32  // those of this priority or a lower one
	group *Group // of this group; nil: any
	owner uint64 // and, where the group counts by owners, of this owner
	bus   int    // on this bus or below it; -1: any
	all   bool   // virtual ones too

	only   only
	spared *Group // none of this group and owner
}

// only narrows a query down.
type only uint8

const (
	anyOnes only = iota
	endlessOnes
	finiteOnes
	keptOnes // those that go on unheard
)

// means reports whether a query is about a voice, whatever its priority.
func (a *audio) means(q *query, s *slot) bool {
	switch {
	case q.group != nil && !q.group.counts(s, q.owner), q.spared != nil && q.spared.counts(s, q.owner), q.bus >= 0 && !a.tree.below(int(s.bus), q.bus):
		return false
	case q.only == keptOnes:
		return s.keeps
	}
	return q.only == anyOnes || s.endless == (q.only == endlessOnes)
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

// choose has c be the victim: of the lowest priority, then the least by the policy, then
// the oldest. Free slots and protected voices have a priority that nobody reaches.
func (a *audio) choose(c *choice, q *query, policy Overflow) {
	s, to := &a.scores, a.base
	if q.all {
		to = len(s.prio)
	}
	prios, numbers := s.prio[:to], s.number[:to]
	keys, loud := s.keys(policy)[:to], s.loud(policy)[:to]
	among := q.group != nil || q.bus >= 0 || q.only != anyOnes || q.spared != nil
	if among {
		prios = a.eligible(q, prios)
	}
	var w dsp.Weakest
	if s.runs != nil && !among && !q.all && &keys[0] == &s.audibility[0] {
		s.runs.weakest(&w, prios, keys, q.prio)
	} else {
		w.Find(prios, keys, q.prio)
	}
	c.candidates, c.peers, c.audibility, c.runnerUp, c.next = w.Candidates, w.Candidates, 0, -1, 0
	if w.Candidates == 0 {
		c.slot = -1
		return
	}
	slot := oldest(&w, prios, keys, numbers)
	c.slot, c.audibility = slot, float64(loud[slot])
	if w.Prio < q.prio {
		c.peers = 0
		for _, p := range prios {
			if p == w.Prio {
				c.peers++
			}
		}
	}
	switch {
	case w.Candidates == 1:
	case !w.Alone && &keys[0] == &loud[0]:
		c.runnerUp, c.next = float64(w.Next), w.Prio
	default: // it is known by what it would be without the victim
		prio := prios[slot]
		prios[slot] = unstealable
		w.Find(prios, keys, q.prio)
		c.runnerUp, c.next = float64(loud[oldest(&w, prios, keys, numbers)]), w.Prio
		prios[slot] = prio
	}
}

// oldest returns which of the weakest is the oldest.
func oldest(w *dsp.Weakest, prios []int32, keys []float32, numbers []uint64) int {
	if !w.Alone && w.Next == w.Key {
		return dsp.FindEldest(prios, keys, numbers, w.Prio, w.Key)
	}
	return w.At
}

// eligible returns the priorities of those that q looks at: the others are out of reach.
func (a *audio) eligible(q *query, prios []int32) []int32 {
	eligible := a.scores.eligible[:len(prios)]
	copy(eligible, prios)
	if q.group == nil && q.bus < 0 && q.spared == nil && q.only != keptOnes { // what scores know
		for i, endless := range a.scores.endless[:len(eligible)] {
			if endless != (q.only == endlessOnes) {
				eligible[i] = unstealable
			}
		}
		return eligible
	}
	for i, prio := range prios {
		if prio <= q.prio && !a.means(q, a.roster.at(i)) {
			eligible[i] = unstealable
		}
	}
	return eligible
}

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

// less reports whether i gives way before j, under the keys of a policy: a total order.
func (s *scores) less(i, j int, keys []float32) bool {
	switch {
	case s.prio[i] != s.prio[j]:
		return s.prio[i] < s.prio[j]
	case keys[i] != keys[j]:
		return keys[i] < keys[j]
	}
	return s.number[i] < s.number[j]
}

// lost returns the certificate of a voice that is taken away: what can be missing
// of it at most, see Event.Lost. Of whatever moves it takes what is more, also of
// a mute on its way, and of the two channels of a sound the louder one, since the
// index is their mean, which one of them may have all by itself.
func (a *audio) lost(s *slot) float64 {
	if a.raises(s) {
		return math.Inf(1)
	}
	b := &a.buses[s.bus]
	if s.settled && s.power > 0 && !b.quiet && b.most == b.reach && b.direct.Rests(1, a.now) && s.voice.Sound().Channels() == 1 {
		return float64(s.power * s.voice.Most()) // nothing moves, so the power is the bound already
	}
	g := pair(s.voice.Bound(a.now)).times(both(max(b.direct.At(a.now), b.direct.To))).times(b.most)
	if s.voice.Sound().Channels() == 2 {
		g = both(max(g.left, g.right))
	}
	power := g.power()
	if power == 0 {
		return 0 // also where nobody knows how loud it is
	}
	return float64(power * s.voice.Most())
}

func both(x float64) stereo { return stereo{x, x} }
