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

// start decides, at the present frame, the outcome of c.record, a request to play a sound. It begins a real or a
// virtual voice, perhaps after another voice was stolen. Or the request ends at once without a voice, is refused, or
// is merged into a voice of its group. The outcome counts in Stats, and its events are emitted.
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
			a.graph.Buses[extra.sends[i].Bus].ReceiveSends()
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
	if a.graph.HasPitch(int(r.bus)) {
		if pitch := a.graph.PitchOf(int(r.bus), a.now); pitch.From != 0 || pitch.To != 0 {
			s.voice.SetBusPitch(a.now, pitch)
		}
	}
	if a.graph.Buses[r.bus].PausedByTree() {
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
	a.graph.AddPlaying(int(s.bus), 1)
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

// hasNoSound reports whether the start of r needs no voice: its sound is empty, or the start begins at or after the
// end of the sound and does not loop. It returns false for a stream.
func (r *record) hasNoSound() bool {
	sound := r.sound.Load()
	return !sound.Streamed() && r.options.From >= sound.Frames() && !(r.options.Loop && sound.Loop().Frames() > 0)
}

// endUnheard ends a start, a request to play a sound, without a voice. id is the handle of the start, and r is its
// record. The start counts in Stats as begun at the present frame. EventStarted is emitted, then an event of the given
// kind, EventEnded or EventStopped. The record returns to the control side.
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

// discardStart ends a start, a request to play a sound, without a voice. id is the handle of the start, and r is its
// record. discardStart drops the stream of the start and counts the outcome kind in Stats. A sound that should follow
// becomes ready. The record returns to the control side. No event is emitted.
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

// refuse ends the start c.record, a request to play a sound, which gets no voice of its own. It counts the outcome
// e.Kind in Stats. It fills in the fields of e that describe the start and emits e. The caller has set e.Kind and the
// reason.
func (a *audio) refuse(c *command, e *audioEvent) {
	r := a.record(c.record)
	e.Frame, e.Slot, e.Sound, e.Group, e.Ref, e.NewcomerPriority = a.now, -1, r.sound.Load(), r.group, r.ref, r.prio
	a.setStem(e, r)
	a.emit(e)
	a.discardStart(r, c.record, e.Kind)
}

// admit finds a place for a voice that the start of r needs, and returns its index in the voice table. c is the
// command of the start. The place is a free slot, the slot of a stolen voice, or a place among the virtual voices,
// which are not mixed. If the start can have no place, admit refuses it and returns -1; then no voice was stolen.
// Events of stolen voices are emitted. Without virtual voices at most one voice is stolen, even if several limits are
// reached. If the start becomes virtual, a.refusal explains why it gets no slot.
func (a *audio) admit(c *command, r *record) int {
	q := query{prio: r.prio, owner: r.owner, all: true}
	reason := ReasonNone
	if q.bus = a.graph.FullBus(int(r.bus)); q.bus >= 0 { // the lowest bus: its victim serves all limits above it
		reason = ReasonBusLimit
	}
	if g := r.group; g != nil && g.limit > 0 && a.countSharing(g, r.owner) >= g.limit {
		reason, q.group = ReasonGroupLimit, g
	}
	free := func() bool {
		return a.free() || a.overflow == GrowPool && a.growByStep()
	}
	if reason == ReasonNone && free() {
		return a.allocSlot(a.tree.Nodes[r.bus].Output, &r.slot)
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
		return a.allocSlot(a.tree.Nodes[r.bus].Output, &r.slot)
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
		return a.allocSlot(a.tree.Nodes[r.bus].Output, &r.slot)
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

// hideFromChoice excludes the voice at index i from choices of a victim until showToChoice. Until then its place counts
// as free. The result is the priority of the voice, which showToChoice needs. If i is -1, no voice is excluded, and the
// result is 0.
func (a *audio) hideFromChoice(i int) (prio int32) {
	if a.hiddenIndex = i; i >= 0 {
		prio = a.scores.Prio(i)
		a.scores.SetPrio(i, victim.Unstealable)
	}
	return prio
}

// showToChoice undoes hideFromChoice(i): the voice at index i can become a victim again. prio is the result of
// hideFromChoice, the priority that the voice gets back. i is -1 if no voice was hidden.
func (a *audio) showToChoice(i int, prio int32) {
	if a.hiddenIndex = -1; i >= 0 {
		a.scores.SetPrio(i, prio)
	}
}

// updateIndex updates the state of a voice that depends on its index in the voice table, after the voice has got index
// i. From a.base on, indices belong to virtual voices. The state, the index and the position of the voice become
// visible to the control side.
func (a *audio) updateIndex(i int) {
	s := a.mutable(i)
	s.virtual = i >= a.base
	a.updateRestorePrio(i)
	a.newPlayheads[i] = s.voice.Position()
	storeFrames(&a.playheads[i], a.newPlayheads[i])
	s.record.status.Set(s.state(), i) // last: readers of the index expect a valid position
}

// unpublishIndex shows the control side that v, the voice of r, has no index for the moment. It first stores the
// position of v in r. It must be called before another voice gets the index of v.
func (r *record) unpublishIndex(v *voice.Voice) {
	storeFrames(&r.position, v.Position())
	r.status.Set(r.status.State(), -1)
}

// chooseVictim sets c to the voice to steal for the start of r, among the voices that q selects. The result reports
// whether r gets its place. If not, e becomes the event that refuses the start. For a group limit, as given by
// e.Reason, the policy of the group applies, otherwise the policy of the mixer. With the policy Reject, c stays
// unchanged, and r gets no place. With Config.RejectQuietest, a start that is 6 dB less audible than a victim of the
// same priority gets no place, except at a group limit. The chosen voice is not ended.
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

// isLessAudible reports whether the start of r should become virtual instead of stealing the voice c. The start must
// be allowed to become virtual, have the same priority as that voice and be less audible in the next 20 ms. e.Newcomer
// is the audibility of the start. The result is false for policies that do not compare audibility.
func (a *audio) isLessAudible(r *record, c *victim.Choice, e *audioEvent) bool {
	steals := a.overflow == StealQuietest || a.overflow == GrowPool
	return steals && a.incomingKind.virtualizable && a.scores.Prio(c.Slot) == r.prio && e.Newcomer < c.Audibility
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

// steal ends the voice c.Slot so that another voice can take its place. A real voice leaves a tail. steal fills in e
// with the details of the choice c and emits it as EventStolen.
func (a *audio) steal(c *victim.Choice, e *audioEvent) {
	s := a.mutable(c.Slot)
	a.explainChoice(e, c)
	if c.Slot < a.base {
		a.leaveTail(s, a.now)
	}
	a.endVoice(c.Slot, a.now, EventStolen, e)
}

// explainChoice stores the levels, counts, priorities and policy of the choice c in the event e. The chosen voice must
// still have its index.
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

// coalesce merges the start of r, which is c.record, into the last voice of the group g. It does so only if that voice
// began recently enough and still plays, and reports whether it did. A voice that is fading out, virtual or paused by
// itself is not used; a pause of its bus does not matter. The powers of merged starts add up, up to the limit of the
// group, and the voice gets the gain of the sum. The start of r then ends as coalesced, with an EventCoalesced.
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

// storeFrames stores frames, a number of frames, in word. If the value is unchanged, it writes no memory.
func storeFrames(word *atomic.Int64, frames int64) {
	if word.Load() != frames {
		release.Int64(word, frames)
	}
}
