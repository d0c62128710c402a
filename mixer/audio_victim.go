package mixer

import (
	"voicepool/internal/release"
	"voicepool/mixer/internal/eventcode"
	"voicepool/mixer/internal/score"
	"voicepool/mixer/internal/victim"
	"voicepool/pool"
	"voicepool/voice"
)

// incoming is a start that needs a voice, at the present frame.
type incoming struct {
	a           *audio
	id          pool.Handle
	record      *record
	voice       *voice.Voice
	fades       *voice.Moves // the fades of its predecessor; nil without a predecessor
	score.State              // for its scores
	audibility  score.Audibility
	isScored    bool // see computeScores
}

// answer is what an incoming start gets.
type answer uint8

const (
	answerRefused answer = iota
	answerFree           // a free slot, or the slot of the victim of a limit
	answerSteal          // the slot of decision.victim
	answerVirtual        // a place among the virtual voices
)

// decision is the result of decide.
type decision struct {
	answer        answer
	growTo        int           // the number of slots from now on
	needsGrowth   bool          // the present slots are not enough
	limitVictim   victim.Choice // the voice that ends for the limit of a group or a bus; its Slot is -1 without one
	limitEvent    audioEvent    // the event of limitVictim
	victim        victim.Choice // the voice that loses its slot, with answerSteal
	virtualVictim victim.Choice // the virtual voice that ends, with answerVirtual; its Slot is -1 without one
	event         audioEvent    // of victim or of the refusal; with answerVirtual it explains why the start gets no slot
	remaining     float64       // the audibility of the incoming start in the rest of its sound, a power
}

// decide decides what the incoming start gets: a free slot, the slot of a stolen voice, a place among the virtual
// voices, or nothing. It ends no voice and emits no event: apply does. It updates the scores that it compares. Without
// virtual voices at most one voice is stolen, even if several limits are reached. The result is valid until the next
// call.
func (in *incoming) decide() *decision {
	a, r := in.a, in.record
	d := &a.decision
	d.answer, d.growTo, d.needsGrowth = answerFree, a.voices.Limit(), false
	d.limitVictim.Slot = -1
	q := query{prio: r.prio, owner: r.owner, all: true}
	reason := ReasonNone
	if q.bus = a.graph.FullBus(int(r.bus)); q.bus >= 0 { // the lowest bus: its victim serves all limits above it
		reason = ReasonBusLimit
	}
	if g := r.group; g != nil && g.limit > 0 && a.countSharing(g, r.owner) >= g.limit {
		reason, q.group = ReasonGroupLimit, g
	}
	if reason == ReasonNone && in.findFree(d) {
		return d
	}
	none := victim.Choice{Slot: -1}
	d.limitVictim, d.victim, d.virtualVictim = none, none, none
	if r.group != nil && r.group.full == Reject {
		q.excluded = r.group
	}
	e := &d.event
	*e = audioEvent{}
	r.setCause(e, uint64(a.stats.Started)+1)
	e.Reason, e.RunnerUp = reason, -1
	// A limit compares all virtual voices. A full pool compares them only if one of them has to be
	// stolen, see virtualVictimFor.
	switch {
	case reason != ReasonNone:
		a.scores.refreshScores(scopeAll)
	case !a.voices.CanAddVirtual(true) || a.voices.MaxFinite() > 0 && !a.voices.CanAddVirtual(false):
		a.scores.refreshScores(scopeMoving)
	default:
		a.scores.refreshScores(scopeReal)
	}
	e.Newcomer, d.remaining = in.computeScores()
	if reason == ReasonBusLimit {
		e.Bus = uint16(q.bus)
	}
	if reason != ReasonNone {
		d.limitEvent = *e
		d.limitEvent.Newcomer = d.remaining
		if !in.chooseVictim(&d.limitVictim, &q, &d.limitEvent) {
			d.limitEvent.Kind = EventLimited
			d.answer, d.event = answerRefused, d.limitEvent
			return d
		}
	}
	// No voice is stolen before it is certain that the pool accepts the start without that voice.
	prio := a.scores.hideFromChoice(d.limitVictim.Slot)
	if d.limitVictim.Slot < 0 || !in.findFree(d) {
		e.Reason = ReasonPoolFull
		q.group, q.bus, q.all = nil, -1, false
		in.decideFull(d, &q)
	}
	a.scores.showToChoice(d.limitVictim.Slot, prio)
	return d
}

// decideFull sets the answer d for the incoming start if the pool is full: the slot of a voice that q selects, a place
// among the virtual voices, or nothing.
func (in *incoming) decideFull(d *decision, q *query) {
	e := &d.event
	d.answer = answerSteal
	won := in.chooseVictim(&d.victim, q, e)
	if won && !in.isLessAudible(&d.victim, e) {
		return
	}
	switch virtual := in.startsVirtual(&d.virtualVictim, d.remaining); {
	case virtual:
		if d.answer = answerVirtual; won {
			convertToRefusal(e, ReasonQuieter, &d.victim, d.victim.Audibility)
		}
	case !won:
		d.answer = answerRefused
	}
}

// findFree reports whether there is a free slot, also after the pool has grown as its policy allows. If the pool has to
// grow, it records this in d, so that apply does it.
func (in *incoming) findFree(d *decision) bool {
	free, growth := in.a.voices.Free()+d.growTo-in.a.voices.Limit(), &in.a.size.growth
	if free > 0 || in.a.overflow != GrowPool {
		return free > 0
	}
	larger := growth.Larger(d.growTo)
	free += larger - d.growTo
	d.needsGrowth, d.growTo = true, larger
	return free > 0
}

// apply carries out the decision d for the incoming start, and returns the index of its voice in the voice table. If
// the start is refused, it returns -1. It emits the events of stolen voices, or of the refusal.
func (in *incoming) apply(d *decision) int {
	a, r := in.a, in.record
	if d.needsGrowth {
		a.size.growth.Need(a.now)
		a.size.set(d.growTo)
	}
	if d.answer == answerRefused {
		in.refuse(&d.event)
		return -1
	}
	if d.limitVictim.Slot >= 0 {
		a.steal(&d.limitVictim, &d.limitEvent)
	}
	switch d.answer {
	case answerSteal:
		a.demote(&d.victim, &d.event, r.prio, d.remaining)
	case answerVirtual:
		if d.virtualVictim.Slot >= 0 {
			var lost audioEvent
			r.setCause(&lost, uint64(a.stats.Started)+1)
			lost.Bus = d.event.Bus
			a.stealVirtual(&d.virtualVictim, lost, d.remaining)
		}
		return a.voices.AddVirtual(in.Endless, &r.slot, a.now)
	}
	return a.voices.AddReal(a.tree.Nodes[r.bus].Output, &r.slot)
}

// chooseVictim sets c to the voice to steal for the incoming start, among the voices that q selects. The result reports
// whether the start gets its place. If not, e becomes the event that refuses the start. For a group limit, as given by
// e.Reason, the policy of the group applies, otherwise the policy of the mixer. With the policy Reject, c stays
// unchanged, and the start gets no place. With Config.RejectQuietest, a start that is 6 dB less audible than a victim
// of the same priority gets no place, except at a group limit. The chosen voice is not ended.
func (in *incoming) chooseVictim(c *victim.Choice, q *query, e *audioEvent) (won bool) {
	a, r := in.a, in.record
	// The limit of a group has its own policy. Buses and the pool use the policy of the mixer.
	policy := a.overflow
	switch {
	case e.Reason == ReasonGroupLimit:
		policy = r.group.full
		e.Policy = policy
	case policy == GrowPool:
		policy = StealQuietest
	}
	if policy == Reject {
		convertToRefusal(e, e.Reason, c, -1)
		return false
	}
	quietest := policy == StealQuietest
	key := keyOf(policy)
	if e.Reason != ReasonPoolFull && (quietest || policy == StealMasked) {
		key = victim.ByRemaining // the victim of a limit is not restored
	}
	if key == victim.ByMasked {
		a.scores.scoreMasking(true)
	}
	a.scores.choose(c, q, key)
	switch {
	case c.Slot < 0 && e.Reason == ReasonPoolFull:
		why, lowest := a.scores.rejectReason(q)
		convertToRefusal(e, why, c, -1)
		e.RunnerUpPriority = lowest
	case c.Slot < 0:
		convertToRefusal(e, e.Reason, c, -1)
	case a.rejectQuietest && quietest && e.Reason != ReasonGroupLimit &&
		a.scores.Prio(c.Slot) == r.prio && float64(4*e.Newcomer) < c.Audibility:
		convertToRefusal(e, ReasonQuieter, c, c.Audibility)
	default:
		return true
	}
	return false
}

// isLessAudible reports whether the incoming start should become virtual instead of stealing the voice c. The start
// must be allowed to become virtual, have the same priority as that voice and be less audible in the next 20 ms.
// e.Newcomer is the audibility of the start. The result is false for policies that do not compare audibility.
func (in *incoming) isLessAudible(c *victim.Choice, e *audioEvent) bool {
	steals := in.a.overflow == StealQuietest || in.a.overflow == GrowPool
	return steals && in.Virtualizable && in.a.scores.Prio(c.Slot) == in.record.prio && e.Newcomer < c.Audibility
}

// convertToRefusal turns e, the event of the voice c that might be stolen, into an EventRejected of the incoming
// start. why is the reason. runnerUp is the audibility, a power, that the event reports as the second candidate; -1
// without a second candidate.
func convertToRefusal(e *audioEvent, why Reason, c *victim.Choice, runnerUp float64) {
	*e = audioEvent{Kind: EventRejected, Bus: e.Bus, Choice: eventChoice{
		Reason: why, Policy: e.Policy, Powers: eventcode.Powers{Audibility: e.Newcomer, Newcomer: e.Newcomer, RunnerUp: runnerUp},
		Candidates: int32(c.Candidates), Peers: int32(c.Peers),
	}}
}

// rejectReason returns the reason why no voice that q selects can be stolen. The result why is ReasonPoolFull if only
// the exclusion of a group prevents it. It is ReasonOutranked if all unprotected voices in slots have higher priorities
// than the start; then lowest is the lowest of these priorities. Otherwise it is ReasonProtected. Without
// ReasonOutranked, lowest is 0.
func (k *scorer) rejectReason(q *query) (why Reason, lowest int32) {
	if q.excluded != nil { // possible victims may all be in the spared group
		var c victim.Choice
		others := *q
		others.excluded = nil
		if k.choose(&c, &others, victim.ByAge); c.Slot >= 0 {
			return ReasonPoolFull, 0
		}
	}
	if lowest = k.LowestPrio(); lowest < victim.Unstealable {
		return ReasonOutranked, lowest
	}
	return ReasonProtected, 0
}

// steal ends the voice c.Slot so that another voice can take its place. A real voice leaves a tail. steal fills in e
// with the details of the choice c and emits it as EventStolen.
func (a *audio) steal(c *victim.Choice, e *audioEvent) {
	s := a.mutable(c.Slot)
	a.scores.explainChoice(e, c)
	if c.Slot < a.voices.Base() {
		a.leaveTail(s, a.now)
	}
	a.endVoice(c.Slot, a.now, EventStolen, e)
}

// explainChoice stores the levels, counts, priorities and policy of the choice c in the event e. The chosen voice must
// still have its index.
func (k *scorer) explainChoice(e *audioEvent, c *victim.Choice) {
	a := k.a
	s := a.mutable(c.Slot)
	e.Audibility, e.RunnerUp, e.Lost = c.Audibility, c.RunnerUp, k.lossBound(s)
	k.noteFilters(e, s, c.Slot)
	e.RunnerUpPriority, e.Candidates, e.Peers, e.Priority = c.RunnerUpPrio, int32(c.Candidates), int32(c.Peers), s.prio
	if e.Reason != ReasonGroupLimit { // a group has its own policy
		e.Policy = a.overflow
	}
	e.Endless, e.Importance = s.Endless, s.record.importance.decibels
}

// demote takes the slot of the real voice c.Slot for an incoming start. The voice leaves a tail and becomes virtual,
// if it can; otherwise it is stolen. If all places for virtual voices are in use, either the least audible virtual
// voice or the voice c.Slot is stolen for good. demote fills in e, the event of the voice c.Slot, and emits it. prio
// and remaining are the priority and the audibility, a power, of the incoming start.
func (a *audio) demote(c *victim.Choice, e *audioEvent, prio int32, remaining float64) {
	s := a.mutable(c.Slot)
	if !s.Virtualizable {
		a.steal(c, e)
		return
	}
	if !a.voices.CanAddVirtual(s.Endless) {
		var least victim.Choice
		a.scores.virtualVictimFor(&least, prio, s.Endless)
		if least.Slot < 0 || a.scores.Less(c.Slot, least.Slot, victim.ByRemaining) {
			a.steal(c, e)
			return
		}
		a.stealVirtual(&least, *e, remaining)
	}
	a.scores.explainChoice(e, c)
	a.leaveTail(s, a.now)
	to := a.moveVoice(c.Slot, a.voices.AddVirtual(s.Endless, s, a.now))
	a.emitVoiceEvent(e, EventVirtual, a.mutable(to), a.now, to)
}

// stealVirtual ends the virtual voice c.Slot for good. It fills in e as an EventStolen with ReasonVirtualFull and
// emits it. remaining is the audibility of the incoming start, a power.
func (a *audio) stealVirtual(c *victim.Choice, e audioEvent, remaining float64) {
	a.scores.explainChoice(&e, c)
	e.Reason, e.Newcomer = ReasonVirtualFull, remaining
	a.endVoice(c.Slot, a.now, EventStolen, &e)
}

// virtualVictimFor sets c to the virtual voice to steal so that another voice can become virtual. It has the lowest
// priority, at most prio, and among equal priorities it is the least audible. endless is the kind of the other voice.
// If the places for that kind are in use, only virtual voices of that kind are candidates. c.Slot is -1 without a
// candidate.
func (k *scorer) virtualVictimFor(c *victim.Choice, prio int32, endless bool) {
	a := k.a
	kind := victim.Any
	if all, finite := a.voices.Counts(); a.voices.HasRoom(endless) { // any kind makes room
	} else if endless && finite > 0 { // only the same kind makes room
		kind = victim.Endless
	} else if !endless && finite < all {
		kind = victim.Finite
	}
	k.refreshRemaining(kind)
	k.ChooseVirtual(c, prio, kind)
}

// startsVirtual reports whether the incoming start, which gets no slot, can begin as a virtual voice. It must be
// allowed to become virtual, and there must be a free place or a virtual voice to steal. Such a voice has a lower
// priority or is less audible; least is set to it. If there is a free place, least is unchanged. remaining is the
// audibility of the start, a power.
func (in *incoming) startsVirtual(least *victim.Choice, remaining float64) bool {
	a := in.a
	if !in.Virtualizable || a.voices.CanAddVirtual(in.Endless) {
		return in.Virtualizable
	}
	a.scores.virtualVictimFor(least, in.record.prio, in.Endless)
	return least.Slot >= 0 && (a.scores.Prio(least.Slot) != in.record.prio || least.Audibility < remaining)
}

// hideFromChoice excludes the voice at index i from choices of a victim until showToChoice. Until then its place counts
// as free. The result is the priority of the voice, which showToChoice needs. If i is -1, no voice is excluded, and the
// result is 0.
func (k *scorer) hideFromChoice(i int) (prio int32) {
	if k.a.voices.Hide(i); i >= 0 {
		prio = k.Prio(i)
		k.SetPrio(i, victim.Unstealable)
	}
	return prio
}

// showToChoice undoes hideFromChoice(i): the voice at index i can become a victim again. prio is the result of
// hideFromChoice, the priority that the voice gets back. i is -1 if no voice was hidden.
func (k *scorer) showToChoice(i int, prio int32) {
	if k.a.voices.Hide(-1); i >= 0 {
		k.SetPrio(i, prio)
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
func (k *scorer) matches(q *query, s *slot) bool {
	return (q.group == nil || q.group.counts(s, q.owner)) && (q.excluded == nil || !q.excluded.counts(s, q.owner)) &&
		(q.bus < 0 || k.a.tree.Below(int(s.bus), q.bus)) && (s.Virtualizable || !q.virtualizable)
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
func (k *scorer) choose(c *victim.Choice, q *query, key victim.Key) {
	of := victim.Query{Limit: q.prio, Key: key, Virtual: q.all}
	if q.group != nil || q.bus >= 0 || q.virtualizable || q.excluded != nil {
		of.Eligible = k.Eligible(q.all)
		for i, prio := range of.Eligible {
			if prio <= q.prio && !k.matches(q, k.a.voices.At(i)) {
				of.Eligible[i] = victim.Unstealable
			}
		}
	}
	k.Choose(c, &of)
}

// endUnheard ends the start in, a request to play a sound, without a voice. The start counts in Stats as begun at the
// present frame. EventStarted is emitted, then an event of the given kind, EventEnded or EventStopped. The record
// returns to the control side.
func (in *incoming) endUnheard(kind EventKind) {
	a, r := in.a, in.record
	a.stats.Started++
	number := uint64(a.stats.Started)
	release.Uint64(&r.number, number)
	e := audioEvent{Frame: a.now, Kind: EventStarted, Slot: -1, Voice: number, Sound: r.sound.Load(), Group: r.group, Ref: r.ref}
	a.setStem(&e, r)
	a.emit(&e)
	e.Kind = kind
	a.emit(&e)
	in.discard(kind)
}

// discard ends the start in, a request to play a sound, without a voice. It drops the stream of the start and
// counts the outcome kind in Stats. A sound that should follow becomes ready, with the fades of the predecessor of in.
// The record returns to the control side. No event is emitted.
func (in *incoming) discard(kind EventKind) {
	a := in.a
	if feed := in.record.options.Buffer; feed != nil {
		feed.Drop()
	}
	state := a.countOutcome(kind)
	if next := a.successors.Release(in.id, state != StateEnded); next != 0 && in.fades != nil {
		*a.record(next).extra.Load().predecessorFades = *in.fades
	}
	a.returnRecord(in.record, in.id, state)
}

// refuse ends the start in, a request to play a sound, which gets no voice of its own. It counts the outcome e.Kind in
// Stats. It fills in the fields of e that describe the start and emits e. The caller has set e.Kind and the reason.
func (in *incoming) refuse(e *audioEvent) {
	a, r := in.a, in.record
	e.Frame, e.Slot, e.Sound, e.Group, e.Ref, e.NewcomerPriority = a.now, -1, r.sound.Load(), r.group, r.ref, r.prio
	e.NewcomerImportance = r.importance.decibels
	a.setStem(e, r)
	a.emit(e)
	in.discard(e.Kind)
}
