package mixer

import (
	"math"

	"voicepool/mixer/internal/busmix"
	"voicepool/mixer/internal/victim"
)

// rescore recomputes all scores of the voice at index i: how audible it will be. The score is the highest average
// loudness of its remaining sound, multiplied by the power of all gains. Each fade counts with the larger of its
// current and target value. The scores are published, and their next update is scheduled.
func (a *audio) rescore(i int) {
	s := a.mutable(i)
	reach := busmix.NewStereo(s.voice.PeakGains(a.now))
	s.power = a.graph.Buses[s.bus].Power(reach)
	s.shaped = a.applyResponse(i, &s.voice, s.record, reach, s.power)
	a.classify(s)
	a.storeScore(i, s, a.audibilitiesOf(i, s.shaped, s.power, &s.voice, s.virtualizable))
}

// storeScore stores the given audibility of the voice s at index i, which is compared when a voice must be stolen. It
// publishes the audibility, pan and gain of the voice, and schedules the next update of its scores. s.power and the
// kind of s, endless or finite, must be up to date.
func (a *audio) storeScore(i int, s *slot, audibility audibilities) {
	s.powerConstant = s.voice.Settled(a.now) && s.record.sendsConstant(a.now)
	if a.scores.Gain != nil {
		a.scores.Gain[i] = float32(s.power)
	}
	a.scores.SetEndless(i, s.endless)
	s.willLoop = s.voice.LoopsAgain()
	if i >= a.base {
		a.scoresDue.remainingHolds[i-a.base] = 0 // the voice was moved
	}
	a.storeAudibility(i, s, audibility)
	s.record.levels.Store(float32(s.voice.Pan(a.now)), float32(s.voice.Gain()))
}

// incomingScore holds the scores of the incoming start for its voice.
type incomingScore struct {
	known, shaped bool
	power         float64
	audibility    audibilities
}

// scoreIncoming computes how audible the incoming start of r will be, as two powers. audibility is the value that the
// pool compares, and remaining is the value over the whole length of the voice. If the start cannot become virtual,
// they are equal. The scores stay in a.incomingScore for adoptIncomingScore. For the policy StealMasked it also stores
// the power in each band as the last entry of a.masks.
func (a *audio) scoreIncoming(r *record) (audibility, remaining float64) {
	v, last := a.incoming, len(a.scoresDue.validUntil)
	reach := busmix.NewStereo(v.PeakGains(a.now))
	power := a.graph.Buses[r.bus].Power(reach)
	shaped := a.applyResponse(last, v, r, reach, power)
	levels := a.audibilitiesOf(last, shaped, power, v, a.incomingKind.virtualizable)
	a.incomingScore = incomingScore{true, shaped, power, levels}
	if k := a.masks; k != nil {
		k.set(len(k.hops)-1, a.bandPowers(last, shaped, power), v)
	}
	if !a.incomingKind.virtualizable {
		return float64(levels.remaining), float64(levels.remaining)
	}
	return float64(levels.soon), float64(levels.remaining)
}

// adoptIncomingScore stores the scores of the voice s, the incoming start, which now has index i. If scoreIncoming was
// called for this start, its result is used; otherwise rescore computes the scores.
func (a *audio) adoptIncomingScore(i int, s *slot) {
	if !a.incomingScore.known {
		a.rescore(i)
		return
	}
	s.power, s.shaped = a.incomingScore.power, a.incomingScore.shaped
	if s.shaped {
		voices := a.responses.Load().Voices
		voices[i] = voices[len(voices)-1]
	}
	a.classify(s)
	a.storeScore(i, s, a.incomingScore.audibility)
}

// scoreScope selects the scores that a choice needs.
type scoreScope uint8

const (
	scopeReal   scoreScope = iota // real voices
	scopeMoving                   // and remaining of virtual voices that move, see refreshRemaining
	scopeAll                      // and all scores of virtual voices
)

// refreshScores updates the scores of voices, which are compared when a voice must be stolen, to the present frame.
// The parameter which selects real voices or also virtual voices. Scores that cannot have changed are left as they
// are. It is called regularly for all scores, and before a choice for the scores that the choice needs. A second call
// for the same scores at the same frame has no effect: a change of a voice or bus at that frame updates the scores
// itself.
func (a *audio) refreshScores(which scoreScope) {
	real, virtual := a.scoredAt != a.now, which > scopeReal && a.scoredVirtualAt != a.now
	if virtual && which == scopeMoving && a.scoredMovingAt == a.now {
		virtual = false
	}
	if !real && !virtual {
		return
	}
	a.graph.refresh()
	responses := a.responses.Load()
	shifted := a.graph.ScoresChanged(responses)
	if real {
		a.refreshReal(shifted)
	}
	a.scoredAt = a.now
	switch {
	case virtual && shifted:
		a.refreshAllVirtual()
		a.scoredVirtualAt = a.now
	case virtual && which == scopeAll:
		a.refreshVirtual()
		a.scoredVirtualAt = a.now
	case virtual:
		a.refreshRemainingClass(remainingMoving)
		a.scoredMovingAt = a.now
	}
	if shifted && (a.virtuals.Len() == 0 || a.scoredVirtualAt == a.now) {
		a.graph.ClearScoresChanged(responses)
	}
}

// refreshRemaining updates one score of the virtual voices to the present frame: the audibility of their whole
// remaining sound. The parameter kind selects endless or finite voices, or both. The caller has called
// refreshScores(scopeMoving) at this frame. Then a choice that compares only this score can follow.
func (a *audio) refreshRemaining(kind victim.Kind) {
	if a.remainingRefreshedAt = a.now; a.scoredVirtualAt != a.now {
		for class := range remainingMoving {
			if kind.Includes(class == 1) {
				a.refreshRemainingClass(class)
			}
		}
	}
}

// scoresDue holds the first frame at which a score may change.
type scoresDue struct {
	real      int64
	virtual   groupsDue
	remaining [3]groupsDue // by remainingClass

	validUntil     []int64 // by index: the first frame at which a score may change, see scheduleScores
	remainingHolds []int64 // by virtual voice: the same for the audibility from now on; 0: the voice moves or was moved
}

// newScoresDue returns a schedule for updates of the scores that are compared when a voice must be stolen. It is for
// the given numbers of slots and of virtual voices. No update is due before the first voice is scheduled.
func newScoresDue(slots, virtual int) scoresDue {
	d := scoresDue{virtual: newGroupsDue(virtual), validUntil: make([]int64, slots+virtual), remainingHolds: make([]int64, virtual)}
	for i := range d.remaining {
		d.remaining[i] = newGroupsDue(virtual)
	}
	for j := range virtual {
		d.validUntil[slots+j], d.remainingHolds[j] = never, never
	}
	return d
}

// groupsDue is a schedule of score updates for virtual voices, in groups of lagGroup neighbouring indices. A group is
// due at the first frame where a score of its voices may change.
type groupsDue struct {
	first  int64   // the first frame where a group is due; may be too early
	groups []int64 // by group: the frame where it is due; never: not before a change
}

// newGroupsDue returns a schedule of score updates for the given number of virtual voices, which are updated in
// groups. No group is due. The field first is still 0, an early bound, so the first refresh looks at all groups and
// corrects it.
func newGroupsDue(virtual int) groupsDue {
	d := groupsDue{groups: make([]int64, (virtual+lagGroup-1)/lagGroup)}
	for g := range d.groups {
		d.groups[g] = never
	}
	return d
}

// schedule makes a score update due at the given frame of the mix for virtual voice j, counted from the first virtual
// voice. Voices are updated in groups of neighbours. If the group of j is due earlier already, the earlier frame
// stays.
func (d *groupsDue) schedule(j int, frame int64) {
	group := &d.groups[j/lagGroup]
	d.first, *group = min(d.first, frame), min(*group, frame)
}

// refreshReal recomputes the scores of real voices that may have changed since the last call, and stores when the next
// score may change. If shifted is true, a gain or response of a bus has changed; then the scores of all real voices
// are recomputed.
func (a *audio) refreshReal(shifted bool) {
	if !shifted && a.now < a.scoresDue.real {
		return
	}
	a.scoresDue.real = never
	for _, v := range a.real() {
		if shifted || a.now >= a.scoresDue.validUntil[v.index] {
			a.refreshScore(v.index, v.slot, shifted)
		}
		a.scoresDue.real = min(a.scoresDue.real, a.scoresDue.validUntil[v.index])
	}
}

// refreshScore recomputes the score of the voice s at index i, which measures how audible the voice will be. If only
// the position of the voice has changed, the stored power of its gains is reused. The parameter shifted is true if a
// gain or response of any bus has changed.
func (a *audio) refreshScore(i int, s *slot, shifted bool) {
	if s.powerConstant && !a.graph.Buses[s.bus].ScoresChanged() && !(shifted && a.sendResponseChanged(s.record)) { // the usual case: it has only advanced
		a.advanceScore(i, s)
	} else {
		a.rescore(i)
	}
}

// advanceScore recomputes how audible the voice s at index i is from the present frame on. The stored power of its
// gains and the stored response must still be valid. It stores the result and schedules the next update.
func (a *audio) advanceScore(i int, s *slot) {
	a.storeAudibility(i, s, a.audibilitiesOf(i, s.shaped, s.power, &s.voice, s.virtualizable))
}

// storeAudibility stores levels as the audibility of the voice s at index i and makes it visible to the control side.
// For the policy StealMasked it also updates the masking data of the voice. It schedules the next update of the
// scores.
func (a *audio) storeAudibility(i int, s *slot, levels audibilities) {
	audibility := levels.remaining
	a.scores.SetRemaining(i, audibility)
	if s.virtualizable {
		audibility = levels.soon
	}
	if a.masks != nil {
		a.updateMasks(i, s)
	}
	a.scores.SetAudibility(i, audibility)
	s.willLoop = s.willLoop && s.voice.LoopsAgain() // the last round may have begun
	if s.shownAudibility != audibility || s.shownLoops != s.willLoop {
		s.shownAudibility, s.shownLoops = audibility, s.willLoop
		s.record.score.Store(audibility, float32(boolInt(s.willLoop)))
	}
	a.scheduleScores(i, s)
}

// scheduleScores schedules the next update of the scores of the voice s at index i: the first frame where the loudness
// of its remaining sound may change. It assumes that the voice and its bus do not change before; a change must
// schedule an earlier update. While a gain fades, the update is due at once.
func (a *audio) scheduleScores(i int, s *slot) {
	until := a.now
	switch {
	case !s.powerConstant:
	case s.virtualizable, a.masks != nil:
		until += s.voice.StableNearFrames()
	default:
		until += s.voice.StableIndexFrames()
	}
	a.scoresDue.validUntil[i] = until
	if i >= a.base {
		a.scheduleRemaining(i-a.base, s, until)
	}
	a.scheduleScore(i)
}

// scheduleRemaining schedules the next update of one score of a virtual voice: the audibility of its whole remaining
// sound. j is the number of the voice, counted from the first virtual voice, and s the voice. until is the frame of
// the mix where its other scores may change. If a later update is still planned, it stays.
func (a *audio) scheduleRemaining(j int, s *slot, until int64) {
	remaining := &a.scoresDue.remainingHolds[j]
	switch {
	case !s.powerConstant:
		*remaining = 0
	case a.now-a.remainingRefreshedAt > 10*a.hop, s.shaped && !s.voice.HasSpectrum(): // without searches, separate updates cost time
		*remaining = until
	case *remaining <= a.now:
		*remaining = max(until, a.now+s.voice.StableIndexFrames())
	default:
		return
	}
	a.scheduleRemainingGroup(j)
}

// scheduleRemainingGroup makes an update of scores due for virtual voice j, counted from the first virtual voice, and
// its group of neighbours. It is due at the frame that scheduleRemaining has stored in remainingHolds. Voices with
// moving gains, endless voices and finite voices have separate schedules.
func (a *audio) scheduleRemainingGroup(j int) {
	a.scoresDue.remaining[a.remainingClass(j)].schedule(j, a.scoresDue.remainingHolds[j])
}

// scheduleScore makes an update of the scores at index i due at the frame validUntil[i]. For a virtual voice its whole
// group of neighbours becomes due. An earlier frame that is already scheduled stays.
func (a *audio) scheduleScore(i int) {
	if holds := a.scoresDue.validUntil[i]; i < a.base {
		a.scoresDue.real = min(a.scoresDue.real, holds)
	} else {
		a.scoresDue.virtual.schedule(i-a.base, holds)
	}
}

// query selects the candidates of a choice.
type query struct {
	prio  int32  // of this priority or a lower one
	group *Group // of this group; nil: any
	owner uint64 // with GroupOptions.PerOwner: of this owner
	bus   int    // on this bus or below it; -1: any
	all   bool   // including virtual voices

	virtualizable bool   // only voices that can become virtual
	excluded      *Group // not of this group and owner
}

// matches reports whether the query q selects the voice s as one to steal. It compares the group, the bus and whether
// the voice can become virtual, but not the priority.
func (a *audio) matches(q *query, s *slot) bool {
	return (q.group == nil || q.group.counts(s, q.owner)) && (q.excluded == nil || !q.excluded.counts(s, q.owner)) &&
		(q.bus < 0 || a.tree.Below(int(s.bus), q.bus)) && (s.virtualizable || !q.virtualizable)
}

// keyOf returns the score that the policy compares when it chooses a victim: the gain for StealGain, the age for
// StealOldest, the masking for StealMasked, and otherwise the audibility.
func keyOf(policy Overflow) victim.Key {
	switch policy {
	case StealGain:
		return victim.ByGain
	case StealOldest:
		return victim.ByAge
	case StealMasked:
		return victim.ByMasked
	}
	return victim.ByAudibility
}

// choose stores in c the best voice to steal by the score key, among the voices that q selects. c.Slot is -1 if q
// selects no voice that can be stolen. The scores must be up to date.
func (a *audio) choose(c *victim.Choice, q *query, key victim.Key) {
	of := victim.Query{Limit: q.prio, Key: key, Virtual: q.all}
	if q.group != nil || q.bus >= 0 || q.virtualizable || q.excluded != nil {
		of.Eligible = a.scores.Eligible(q.all)
		for i, prio := range of.Eligible {
			if prio <= q.prio && !a.matches(q, a.voiceTable.at(i)) {
				of.Eligible[i] = victim.Unstealable
			}
		}
	}
	a.scores.Choose(c, &of)
}

// lossBound returns an upper bound of the loudness that is lost if the voice s is stolen, as a power. It is +Inf if
// unknown, for example because sends or equalizers may make the voice louder. Each fade counts with the larger of its
// current and target value. For stereo sounds the louder channel counts for both.
func (a *audio) lossBound(s *slot) float64 {
	if a.mayGetLouder(s) {
		return math.Inf(1)
	}
	b := &a.graph.Buses[s.bus]
	if s.powerConstant && s.power > 0 && b.ReachesMaximum(a.now) && s.voice.Sound().Channels() == 1 {
		return float64(s.power * s.voice.MaxRemaining()) // constant gains: the power is the bound
	}
	g := b.MaxGains(busmix.NewStereo(s.voice.GainBounds(a.now)), a.now)
	if s.voice.Sound().Channels() == 2 {
		g = busmix.EqualStereo(max(g.Left, g.Right))
	}
	power := g.Power()
	if power == 0 {
		return 0 // even if its loudness is unknown
	}
	return float64(power * s.voice.MaxRemaining())
}
