package mixer

import (
	"sync/atomic"

	"voicepool/internal/release"
	"voicepool/mixer/internal/eventcode"
	"voicepool/mixer/internal/victim"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/voice"
)

// start decides the outcome of the start c.record at the frame now: the start begins a real or virtual voice, perhaps
// after another voice is stolen, ends at once, is refused, or is coalesced. It counts the outcome in Stats and emits
// its events.
func (a *audio) start(c *command) {
	id := c.record
	r := a.record(id)
	a.stats.Asked++
	if r.cancelled == id { // stopped before it began
		a.endUnheard(r, id, EventStopped)
		return
	}
	g := r.group
	if g != nil && a.coalesce(c, r, g) {
		return
	}
	if g != nil && g.started && a.now-g.last < g.cooldown {
		a.refuse(c, &audioEvent{Kind: EventLimited, Choice: eventChoice{Reason: ReasonCooldown}})
		return
	}
	if r.hasNoSound() {
		a.noteSilentFrom(a.now)
		a.endUnheard(r, id, EventEnded)
		return
	}
	sound, s := r.sound.Load(), &r.slot
	if space := a.initSpatial(r); space != r.options.Space {
		r.options.Space = space
	}
	a.incoming = &s.voice
	a.incoming.Start(sound, r.options, a.now)
	r.attachFilters(a.incoming, a.now)
	continued := a.continueFades(r, id)
	endless := r.duration == 0 && a.incoming.Endless()
	a.incomingKind = voiceKind{endless, a.virtualizable(r.whenFull, endless)}
	a.incomingScore.known = false
	i := a.admit(c, r)
	if i < 0 {
		return
	}
	a.stats.Started++
	// Assigned field by field, because the slot contains a voice. The slot may hold values of an earlier
	// start.
	s.record, r.playing = r, id
	s.paused, s.sounded, s.powerConstant, s.willLoop, s.stopping, s.virtual, s.underrun, s.lacksMipLevel = 0, false, false, false, false, false, false, false
	s.shownAudibility, s.shownLoops, s.power, s.virtualizable = 0, false, 0, false
	release.Uint64(&r.number, uint64(a.stats.Started))
	s.began, s.pausedAt, s.endAt, s.coalescedPower = a.now, a.now, never, 1
	s.bus, s.prio, s.protect, s.startGain = r.bus, r.prio, r.protect, r.options.BaseGain+r.options.Gain
	if s.endless, s.hasSends = endless, r.sends > 0; s.hasSends {
		extra := r.extra.Load()
		for i := range r.sends {
			a.buses[extra.sends[i].bus].receivesSends = true
		}
	}
	if r.duration > 0 {
		s.endAt = a.now + r.duration
	}
	if extra := r.extra.Load(); extra != nil && extra.newRounds != nil {
		turn := command{kind: cmdSet, feed: extra.newRounds, change: Change{Fields: FieldRounds, Rounds: extra.newRounds.Rounds()}}
		a.journalVoiceCommand(i, &turn)
		s.voice.SwitchBuffer(extra.newRounds)
		extra.newRounds = nil
	}
	if a.hasPitch(r.bus) {
		if pitch := a.pitchOf(r.bus); pitch.From != 0 || pitch.To != 0 {
			s.voice.SetBusPitch(a.now, pitch)
		}
	}
	if a.buses[r.bus].pausedByTree {
		s.paused |= pausedBus
	}
	if a.paused {
		s.paused |= pausedAll
	}
	a.updateIndex(i)
	if g != nil {
		g.playing++
		g.started, g.last, g.first, g.number = true, a.now, r, s.number()
	}
	a.addPlaying(s.bus, 1)
	a.scores.Set(i, r.prio, s.number(), r.protect)
	a.adoptIncomingScore(i, s)
	overrides := r.overrides(id)
	if continued != 0 {
		if overrides != nil {
			overrides.props &^= continued
		}
		a.journalContinuedFades(i, continued)
	}
	if props := propertySet(r.dirty.Load()) >> numVoiceFades << numVoiceFades; props != 0 || overrides != nil && overrides.props != 0 {
		a.applyProperties(r, props, overrides)
	}
	a.stats.Playing++
	a.updateHighWater()
	a.emitVoiceEvent(&audioEvent{}, EventStarted, s, a.now, i)
	if w := &a.refusal; s.virtual {
		e := audioEvent{Choice: eventChoice{
			Reason: w.Reason, Powers: w.Powers, Candidates: w.Candidates, Peers: w.Peers, Policy: a.overflow, Priority: s.prio, RunnerUpPriority: w.RunnerUpPriority, Endless: endless,
		}}
		e.Lost = a.lossBound(s)
		a.noteFilters(&e, s, i)
		a.emitVoiceEvent(&e, EventVirtual, s, a.now, i)
	}
}

// hasNoSound reports whether the start needs no voice, because its sound is empty or it begins at or after the end of
// its sound and does not loop. It returns false for a stream.
func (r *record) hasNoSound() bool {
	sound := r.sound.Load()
	return !sound.Streamed() && r.options.From >= sound.Frames() && !(r.options.Loop && sound.Loop().Frames() > 0)
}

// endUnheard makes the start id of r begin and end at the frame now without a voice: it counts the start and emits
// EventStarted and an event of the given kind, EventEnded or EventStopped.
func (a *audio) endUnheard(r *record, id pool.Handle, kind EventKind) {
	a.stats.Started++
	number := uint64(a.stats.Started)
	release.Uint64(&r.number, number)
	e := audioEvent{Frame: a.now, Kind: EventStarted, Slot: -1, Voice: number, Sound: r.sound.Load(), Group: r.group, Ref: r.ref}
	a.setStem(&e, r)
	a.emit(&e)
	e.Kind = kind
	a.emit(&e)
	a.discardStart(r, id, kind)
}

// discardStart ends the start id of r, which has no voice. It drops the start's stream, counts kind as the outcome in
// Stats, makes the successor ready and returns the record to the control side. It emits no event.
func (a *audio) discardStart(r *record, id pool.Handle, kind EventKind) {
	if feed := r.options.Buffer; feed != nil {
		feed.Drop()
	}
	state := a.countOutcome(kind)
	if len(a.successors) > 0 {
		a.releaseSuccessor(id, state == StateEnded, a.predecessorFades)
	}
	a.returnRecord(r, id, state)
}

// refuse ends the start c.record, which gets no voice, counts it in Stats and emits e. e.Kind is the outcome, and e
// has the reason; refuse sets the fields that describe the start.
func (a *audio) refuse(c *command, e *audioEvent) {
	r := a.record(c.record)
	e.Frame, e.Slot, e.Sound, e.Group, e.Ref, e.NewcomerPriority = a.now, -1, r.sound.Load(), r.group, r.ref, r.prio
	a.setStem(e, r)
	a.emit(e)
	a.discardStart(r, c.record, e.Kind)
}

// admit takes an index for the start of r, which c requests, and returns the index: a free slot, the slot of a
// victim, or the index of a virtual voice. The events of victims are emitted. On failure it refuses the start and
// returns -1; then it has stolen no voice. Without virtual voices at most one voice is stolen, even if several limits
// are reached. For a virtual voice a.refusal explains why it gets no slot.
func (a *audio) admit(c *command, r *record) int {
	q := query{prio: r.prio, owner: r.owner, bus: -1, all: true}
	reason := ReasonNone
	for i := int(r.bus); i >= 0 && reason == ReasonNone; i = a.tree[i].parent {
		if b := &a.buses[i]; b.limit > 0 && b.playing >= b.limit {
			reason, q.bus = ReasonBusLimit, i // the lowest bus: its victim serves all limits above it
		}
	}
	if g := r.group; g != nil && g.limit > 0 && a.countSharing(g, r.owner) >= g.limit {
		reason, q.group = ReasonGroupLimit, g
	}
	free := func() bool {
		return a.free() || a.overflow == GrowPool && a.growByStep()
	}
	if reason == ReasonNone && free() {
		return a.allocSlot(a.tree[r.bus].output, &r.slot)
	}
	if r.group != nil && r.group.full == Reject {
		q.excluded = r.group
	}
	var e audioEvent
	r.setCause(&e, uint64(a.stats.Started)+1)
	e.Reason, e.RunnerUp = reason, -1
	var remaining float64
	// A limit compares all virtual voices. A full pool compares them only if one of them has to be
	// stolen, see virtualVictimFor.
	switch {
	case reason != ReasonNone:
		a.refreshScores(scopeAll)
	case !a.canHide(true) || a.maxFinite > 0 && !a.canHide(false):
		a.refreshScores(scopeMoving)
	default:
		a.refreshScores(scopeReal)
	}
	e.Newcomer, remaining = a.scoreIncoming(r)
	if reason == ReasonBusLimit {
		e.Bus = uint16(q.bus)
	}
	var limitVictim, chosen, least victim.Choice
	limitVictim.Slot, chosen.Slot, least.Slot = -1, -1, -1
	limitEvent := &a.limitEvent
	if reason != ReasonNone {
		*limitEvent = e
		limitEvent.Newcomer = remaining
		if !a.chooseVictim(&limitVictim, &q, r, limitEvent) {
			limitEvent.Kind = EventLimited
			a.refuse(c, limitEvent)
			return -1
		}
	}
	// No voice is stolen before it is certain that the pool accepts r without that voice.
	prio := a.hideFromChoice(limitVictim.Slot)
	if limitVictim.Slot >= 0 && free() {
		a.showToChoice(limitVictim.Slot, prio)
		a.steal(&limitVictim, limitEvent)
		return a.allocSlot(a.tree[r.bus].output, &r.slot)
	}
	e.Reason = ReasonPoolFull
	q.group, q.bus, q.all = nil, -1, false
	won, virtual := a.chooseVictim(&chosen, &q, r, &e), false
	if !won || a.isLessAudible(r, &chosen, &e) {
		if virtual = a.startsVirtual(&least, r, remaining); virtual && won {
			won = false
			convertToRefusal(&e, ReasonQuieter, &chosen, chosen.Audibility)
		}
	}
	a.showToChoice(limitVictim.Slot, prio)
	if !won && !virtual {
		a.refuse(c, &e)
		return -1
	}
	if limitVictim.Slot >= 0 {
		a.steal(&limitVictim, limitEvent)
	}
	if won {
		a.demote(&chosen, &e, r.prio, remaining)
		return a.allocSlot(a.tree[r.bus].output, &r.slot)
	}
	if least.Slot >= 0 {
		var lost audioEvent
		r.setCause(&lost, uint64(a.stats.Started)+1)
		lost.Bus = e.Bus
		a.stealVirtual(&least, lost, remaining)
	}
	a.refusal = e
	return a.allocVirtual(a.incomingKind.endless, &r.slot)
}

// hideFromChoice excludes the voice at index i from choices of a victim, and from the counts of voices, until
// showToChoice. i may be -1 for no voice. The result is the priority of the voice, for showToChoice.
func (a *audio) hideFromChoice(i int) (prio int32) {
	if a.hiddenIndex = i; i >= 0 {
		prio = a.scores.Prio(i)
		a.scores.SetPrio(i, victim.Unstealable)
	}
	return prio
}

// showToChoice undoes hideFromChoice(i), whose result was prio. i may be -1.
func (a *audio) showToChoice(i int, prio int32) {
	if a.hiddenIndex = -1; i >= 0 {
		a.scores.SetPrio(i, prio)
	}
}

// updateIndex updates the state that depends on the index of a voice, such as whether it is virtual, after the voice
// has got index i. It publishes the state, the index and the position of the voice.
func (a *audio) updateIndex(i int) {
	s := a.mutable(i)
	s.virtual = i >= a.base
	a.updateRestorePrio(i)
	a.newPlayheads[i] = s.voice.Position()
	storeFrames(&a.playheads[i], a.newPlayheads[i])
	s.record.status.Set(s.state(), i) // last: readers of the index expect a valid position
}

// unpublishIndex stores the position of v, the voice of r, in r and publishes that v has no index. It must be called
// before another voice gets the index of v.
func (r *record) unpublishIndex(v *voice.Voice) {
	storeFrames(&r.position, v.Position())
	r.status.Set(r.status.State(), -1)
}

// chooseVictim sets c to the victim for the start of r among the voices that q selects, and reports whether r gets
// the place of that victim. The policy is the group's if e.Reason is ReasonGroupLimit, otherwise the mixer's. If the
// result is false, it turns e into the event of the refusal. It does not end the victim.
func (a *audio) chooseVictim(c *victim.Choice, q *query, r *record, e *audioEvent) (won bool) {
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
		a.scoreMasking(true)
	}
	a.choose(c, q, key)
	switch {
	case c.Slot < 0 && e.Reason == ReasonPoolFull:
		why, lowest := a.rejectReason(q)
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

// isLessAudible reports whether the start of r should become virtual instead of stealing the victim c: the start can
// become virtual, has the same priority as c, and is less audible in the next 20 ms. e has the audibility of r. It is
// false for policies that do not compare audibility.
func (a *audio) isLessAudible(r *record, c *victim.Choice, e *audioEvent) bool {
	steals := a.overflow == StealQuietest || a.overflow == GrowPool
	return steals && a.incomingKind.virtualizable && a.scores.Prio(c.Slot) == r.prio && e.Newcomer < c.Audibility
}

// convertToRefusal turns e, the event of the victim c, into an EventRejected of the incoming start with the reason
// why. runnerUp is the audibility, a power, that the event reports as the second candidate; -1 without a second
// candidate.
func convertToRefusal(e *audioEvent, why Reason, c *victim.Choice, runnerUp float64) {
	*e = audioEvent{Kind: EventRejected, Bus: e.Bus, Choice: eventChoice{
		Reason: why, Policy: e.Policy, Powers: eventcode.Powers{Audibility: e.Newcomer, Newcomer: e.Newcomer, RunnerUp: runnerUp},
		Candidates: int32(c.Candidates), Peers: int32(c.Peers),
	}}
}

// rejectReason returns the reason why no voice that q selects can be stolen: ReasonPoolFull if only the exclusion of
// a group prevents it, ReasonOutranked if all priorities are higher, ReasonProtected if all voices are protected.
// With ReasonOutranked, lowest is the lowest priority of an unprotected voice; otherwise it is 0.
func (a *audio) rejectReason(q *query) (why Reason, lowest int32) {
	if q.excluded != nil { // possible victims may all be in the spared group
		var c victim.Choice
		others := *q
		others.excluded = nil
		if a.choose(&c, &others, victim.ByAge); c.Slot >= 0 {
			return ReasonPoolFull, 0
		}
	}
	if lowest = a.scores.LowestPrio(); lowest < victim.Unstealable {
		return ReasonOutranked, lowest
	}
	return ReasonProtected, 0
}

// steal ends the voice c.Slot so that another voice can take its place. A real voice leaves a tail. steal completes e
// and emits it as EventStolen.
func (a *audio) steal(c *victim.Choice, e *audioEvent) {
	s := a.mutable(c.Slot)
	a.explainChoice(e, c)
	if c.Slot < a.base {
		a.leaveTail(s, a.now)
	}
	a.endVoice(c.Slot, a.now, EventStolen, e)
}

// explainChoice stores in e the levels, counts, priorities and policy of choice c. The voice must still have its
// index.
func (a *audio) explainChoice(e *audioEvent, c *victim.Choice) {
	s := a.mutable(c.Slot)
	e.Audibility, e.RunnerUp, e.Lost = c.Audibility, c.RunnerUp, a.lossBound(s)
	a.noteFilters(e, s, c.Slot)
	e.RunnerUpPriority, e.Candidates, e.Peers, e.Priority = c.RunnerUpPrio, int32(c.Candidates), int32(c.Peers), s.prio
	if e.Reason != ReasonGroupLimit { // a group has its own policy
		e.Policy = a.overflow
	}
	e.Endless = s.endless
}

// coalesce merges the start of r into the last voice of the group g, if that voice began recently enough and is
// heard, and reports whether it did. The voice then is as loud as all merged starts together, as incoherent sources:
// their powers add up, up to the group's limit. The start of r, which is c.record, ends as StateCoalesced, with its
// event.
func (a *audio) coalesce(c *command, r *record, g *Group) bool {
	if g.coalesceWithin == 0 || !g.started || a.now-g.last > g.coalesceWithin {
		return false
	}
	first := g.first
	if first.playing == 0 || first.number.Load() != g.number {
		return false
	}
	s := a.mutable(first.status.Index())
	if s.voice.FadingOut() || s.paused&pausedItself != 0 || s.virtual { // the merged start would not be heard
		return false
	}
	// The sounds of a group are considered equal, so only their gains are compared.
	own := pcm.Decibels(r.options.BaseGain + r.options.Gain - s.startGain).Linear()
	s.coalescedPower = min(s.coalescedPower+float64(own*own), g.maxPower)
	s.voice.SetCrowd(a.now, pcm.FromPower(s.coalescedPower), a.smoothed(s.sounded, 0))
	a.rescore(first.status.Index())
	var e audioEvent
	s.record.setCause(&e, s.number())
	e.Kind = EventCoalesced
	a.refuse(c, &e)
	return true
}

// storeFrames stores frames, a number of frames, in word, if the value has changed.
func storeFrames(word *atomic.Int64, frames int64) {
	if word.Load() != frames {
		release.Int64(word, frames)
	}
}
