package mixer

import (
	"math"

	"voicepool/internal/dsp"
)

// scores holds the data that choices of a victim compare, by index.
type scores struct {
	audibility []float32 // a power, see docs/decisions/005-steal-the-least-audible.md
	gain       []float32 // left^2 + right^2; nil if the policy is not StealGain
	none       []float32 // zeros, for a choice by number alone
	number     []uint64
	prio       []int32
	eligible   []int32 // scratch space: priorities of the candidates, and keys of turn

	// remaining is the audibility from now on. audibility has the same value, except for voices that can
	// become virtual: there it covers the next 20 ms.
	remaining []float32

	endless []bool  // it does not end by itself
	holds   []int64 // the first frame at which any of these may change, see follow

	// For virtual voices, by index minus base.
	waits          []int32   // the negated priority; unstealable if it must not be restored
	turned         []float32 // a key that falls with the loudness, see turn
	used           int       // one above the highest index used so far
	remainingHolds []int64   // the first frame at which remaining may change; 0: the voice moves or was moved

	masks *masks   // nil if the policy is not StealMasked
	runs  *runs    // nil if there are few slots
	least *unheard // finds the virtual voice to lose
}

// unstealable is the priority of protected voices and free slots. It exceeds all priorities.
const unstealable = 1<<31 - 1

func newScores(n, virtual int) scores {
	s := scores{
		audibility: make([]float32, n), none: make([]float32, n),
		number: make([]uint64, n), prio: make([]int32, n), eligible: make([]int32, n),
		remaining: make([]float32, n), endless: make([]bool, n), holds: make([]int64, n),
		waits: make([]int32, virtual), turned: make([]float32, virtual), remainingHolds: make([]int64, virtual),
	}
	for i := range s.waits {
		s.waits[i], s.remainingHolds[i], s.holds[n-virtual+i] = unstealable, never, never
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

// setPrio sets the priority at an index.
func (s *scores) setPrio(i int, prio int32) {
	if s.runs.change(i); s.prio[i] != prio {
		s.prio[i] = prio
		s.least.move(i - s.base())
	}
}

// base returns the first index of a virtual voice.
func (s *scores) base() int { return len(s.prio) - len(s.waits) }

// setEndless sets whether the voice at an index is endless.
func (s *scores) setEndless(i int, endless bool) {
	if s.endless[i] != endless {
		s.endless[i] = endless
		s.least.move(i - s.base())
	}
}

// setRemaining sets the audibility from now on at an index.
func (s *scores) setRemaining(i int, x float32) {
	if s.remaining[i] != x {
		s.remaining[i] = x
		s.least.change(i - s.base())
	}
}

// setAudibility sets the audibility at an index.
func (s *scores) setAudibility(i int, x float32) {
	if s.audibility[i] != x {
		s.audibility[i] = x
		s.runs.change(i)
	}
}

// rescore computes the audibility of a voice from the beginning: the best average loudness from its
// position on, times the power of all its gains. Each fade counts with the larger of its current and
// target value.
func (a *audio) rescore(i int) {
	s := a.at(i)
	reach := pair(s.voice.PeakGains(a.now))
	s.power = a.buses[s.bus].power(reach)
	s.shaped = a.applyResponse(i, &s.voice, s.record, reach, s.power)
	a.classify(s)
	a.reckon(i, s, a.audibilitiesOf(i, s.shaped, s.power, &s.voice, s.keeps))
}

// reckon stores the scores of a voice with a known power.
func (a *audio) reckon(i int, s *slot, heard audibilities) {
	s.settled = s.voice.Settled(a.now) && s.record.sendsConstant(a.now)
	if a.scores.gain != nil {
		a.scores.gain[i] = float32(s.power)
	}
	a.scores.setEndless(i, s.endless)
	s.loops = s.voice.LoopsAgain()
	if i >= a.base {
		a.scores.remainingHolds[i-a.base] = 0 // the voice was moved
	}
	a.note(i, s, heard)
	s.record.levels.store(float32(s.voice.Pan(a.now)), float32(s.voice.Gain()))
}

// freshness selects the scores that a choice needs.
type freshness uint8

const (
	freshReal   freshness = iota // real voices
	freshMoving                  // and remaining of virtual voices that move, see refreshRemaining
	freshAll                     // and all scores of virtual voices
)

// freshen updates scores to this frame: all of them on the grid, and before a choice the scores that it
// needs. Later changes of a voice or a bus in the same frame rescore it.
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
		shifted = shifted || a.buses[i].scoresChanged
	}
	shifted = shifted || a.anySendResponseChanged()
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
		a.refreshRemainingClass(remainingMoving)
		a.scoredMoving = a.now
	}
	if shifted && (a.virtuals.Len() == 0 || a.scoredVirtual == a.now) {
		for i := range a.buses {
			a.buses[i].scoresChanged = false
		}
		a.clearSendResponseChanges()
	}
}

// refreshRemaining updates remaining of the virtual voices of a kind to this frame, after
// freshen(freshMoving). It suffices for a choice that compares remaining alone.
func (a *audio) refreshRemaining(which only) {
	if a.searched = a.now; a.scoredVirtual != a.now {
		for from, to := lookIn(which); from < to; from++ {
			a.refreshRemainingClass(from)
		}
	}
}

// scoresDue holds the first frame at which a score may change.
type scoresDue struct {
	real      int64
	virtual   groupsDue
	remaining [3]groupsDue // by remainingClass
}

// groupsDue holds the first frame at which a score of virtual voices may change: of all, and by lagGroup.
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

// note schedules an update of the score of a virtual voice.
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
	if s.settled && !a.buses[s.bus].scoresChanged && !(shifted && a.sendResponseChanged(s.record)) { // the usual case: it has only advanced
		a.follow(i, s)
	} else {
		a.rescore(i)
	}
}

// follow computes the audibility of a voice from its stored gain power and response.
func (a *audio) follow(i int, s *slot) {
	a.note(i, s, a.audibilitiesOf(i, s.shaped, s.power, &s.voice, s.keeps))
}

// note stores the audibility of a voice.
func (a *audio) note(i int, s *slot, heard audibilities) {
	audibility := heard.remaining
	a.scores.setRemaining(i, audibility)
	if s.keeps {
		audibility = heard.soon
	}
	if a.scores.masks != nil {
		a.noteMasks(i, s)
	}
	a.scores.setAudibility(i, audibility)
	s.loops = s.loops && s.voice.LoopsAgain() // the last round may have begun
	if s.shown != audibility || s.loopsShown != s.loops {
		s.shown, s.loopsShown = audibility, s.loops
		s.record.score.store(audibility, float32(boolInt(s.loops)))
	}
	a.scheduleScores(i, s)
}

// scheduleScores schedules the next update of a score, if the voice and its bus are not changed before.
func (a *audio) scheduleScores(i int, s *slot) {
	until := a.now
	switch {
	case !s.settled:
	case s.keeps, a.scores.masks != nil:
		until += s.voice.StableNearFrames()
	default:
		until += s.voice.StableIndexFrames()
	}
	a.scores.holds[i] = until
	if i >= a.base {
		a.scheduleRemaining(i-a.base, s, until)
	}
	a.scheduleScore(i)
}

// scheduleRemaining schedules the next update of remaining of a virtual voice. Its other scores may change
// earlier, at until.
func (a *audio) scheduleRemaining(j int, s *slot, until int64) {
	remaining := &a.scores.remainingHolds[j]
	switch {
	case !s.settled:
		*remaining = 0
	case a.now-a.searched > 10*a.hop, s.shaped && !s.voice.HasSpectrum(): // without searches, separate updates cost time
		*remaining = until
	case *remaining <= a.now:
		*remaining = max(until, a.now+s.voice.StableIndexFrames())
	default:
		return
	}
	a.scheduleRemainingGroup(j)
}

func (a *audio) scheduleRemainingGroup(j int) {
	a.due.remaining[a.remainingClass(j)].note(j, a.scores.remainingHolds[j])
}

func (a *audio) scheduleScore(i int) {
	if holds := a.scores.holds[i]; i < a.base {
		a.due.real = min(a.due.real, holds)
	} else {
		a.due.virtual.note(i-a.base, holds)
	}
}

// power returns left^2 + right^2 of a voice on this bus with the given gains, down to the master bus of
// its output.
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

// stealForGood is the policy of limits. Its victim is not restored, so its whole remainder counts instead
// of the next 20 ms.
const stealForGood Overflow = 1 << 7

// query selects the candidates of a choice.
type query struct {
	prio  int32  // of this priority or a lower one
	group *Group // of this group; nil: any
	owner uint64 // with GroupOptions.PerOwner: of this owner
	bus   int    // on this bus or below it; -1: any
	all   bool   // including virtual voices

	only   only
	spared *Group // not of this group and owner
}

// only restricts a query to a kind of voice.
type only uint8

const (
	anyOnes only = iota
	endlessOnes
	finiteOnes
	keptOnes // voices that can become virtual
)

// means reports whether a query selects a voice, regardless of its priority.
func (a *audio) means(q *query, s *slot) bool {
	switch {
	case q.group != nil && !q.group.counts(s, q.owner), q.spared != nil && q.spared.counts(s, q.owner), q.bus >= 0 && !a.tree.below(int(s.bus), q.bus):
		return false
	case q.only == keptOnes:
		return s.keeps
	}
	return q.only == anyOnes || s.endless == (q.only == endlessOnes)
}

// choice is the result of a query.
type choice struct {
	slot       int     // -1: no candidate
	candidates int     // the number of candidates
	peers      int     // the number of candidates with the victim's priority
	audibility float64 // of the victim, as the policy compares it
	runnerUp   float64 // of the second candidate; -1: no second candidate
	next       int32   // priority of the second candidate
}

// choose stores the victim in c: the candidate with the lowest priority, then the lowest key of the
// policy, then the lowest number. Free slots and protected voices have the priority unstealable.
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
	default: // the runner-up is the victim of a search without the victim
		prio := prios[slot]
		prios[slot] = unstealable
		w.Find(prios, keys, q.prio)
		c.runnerUp, c.next = float64(loud[oldest(&w, prios, keys, numbers)]), w.Prio
		prios[slot] = prio
	}
}

// oldest returns the oldest of the weakest candidates.
func oldest(w *dsp.Weakest, prios []int32, keys []float32, numbers []uint64) int {
	if !w.Alone && w.Next == w.Key {
		return dsp.FindEldest(prios, keys, numbers, w.Prio, w.Key)
	}
	return w.At
}

// eligible returns the priorities for a query; other voices get unstealable.
func (a *audio) eligible(q *query, prios []int32) []int32 {
	eligible := a.scores.eligible[:len(prios)]
	copy(eligible, prios)
	if q.group == nil && q.bus < 0 && q.spared == nil && q.only != keptOnes { // decided by scores alone
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
		return s.remaining
	}
	return s.audibility
}

// keys returns the keys that a policy compares first.
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

// less reports whether i is a victim before j, with the keys of a policy. It is a total order.
func (s *scores) less(i, j int, keys []float32) bool {
	switch {
	case s.prio[i] != s.prio[j]:
		return s.prio[i] < s.prio[j]
	case keys[i] != keys[j]:
		return keys[i] < keys[j]
	}
	return s.number[i] < s.number[j]
}

// lost returns the bound Event.Lost of a stolen voice, as a power. Each fade, including those of mutes,
// counts with the larger value. For stereo sounds the louder channel counts for both, because the index
// is a mean that one channel may have alone.
func (a *audio) lost(s *slot) float64 {
	if a.mayGetLouder(s) {
		return math.Inf(1)
	}
	b := &a.buses[s.bus]
	if s.settled && s.power > 0 && !b.quiet && b.most == b.reach && b.direct.SettledAt(1, a.now) && s.voice.Sound().Channels() == 1 {
		return float64(s.power * s.voice.MaxRemaining()) // constant gains: the power is the bound
	}
	g := pair(s.voice.GainBounds(a.now)).times(both(max(b.direct.At(a.now), b.direct.To))).times(b.most)
	if s.voice.Sound().Channels() == 2 {
		g = both(max(g.left, g.right))
	}
	power := g.power()
	if power == 0 {
		return 0 // even if its loudness is unknown
	}
	return float64(power * s.voice.MaxRemaining())
}

func both(x float64) stereo { return stereo{x, x} }
