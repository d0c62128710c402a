package mixer

import (
	"voicepool/mixer/internal/victim"
)

// state returns the state of a living voice. A paused virtual voice counts as paused.
func (s *slot) state() State {
	switch {
	case s.paused != 0:
		return StatePaused
	case s.virtual:
		return StateVirtual
	}
	return StatePlaying
}

// demote takes the slot of the real voice c.Slot for an incoming start, with a tail. The voice becomes virtual if it
// can. If no virtual voice is free, the least audible virtual voice, or the voice c.Slot itself, is stolen for good.
// demote completes e, the event of the voice c.Slot, and emits it. prio and remaining are the priority and the
// audibility, a power, of the incoming start.
func (a *audio) demote(c *victim.Choice, e *audioEvent, prio int32, remaining float64) {
	s := a.mutable(c.Slot)
	if !s.virtualizable {
		a.steal(c, e)
		return
	}
	if !a.canHide(s.endless) {
		var least victim.Choice
		a.virtualVictimFor(&least, prio, s.endless)
		if least.Slot < 0 || a.scores.Less(c.Slot, least.Slot, victim.ByRemaining) {
			a.steal(c, e)
			return
		}
		a.stealVirtual(&least, *e, remaining)
	}
	a.explainChoice(e, c)
	a.leaveTail(s, a.now)
	to := a.moveVoice(c.Slot, a.allocVirtual(s.endless, s))
	a.emitVoiceEvent(e, EventVirtual, a.mutable(to), a.now, to)
}

// stealVirtual ends the virtual voice c.Slot for good, completes e as an EventStolen with ReasonVirtualFull, and
// emits it. remaining is the audibility of the incoming start, a power.
func (a *audio) stealVirtual(c *victim.Choice, e audioEvent, remaining float64) {
	a.explainChoice(&e, c)
	e.Reason, e.Newcomer = ReasonVirtualFull, remaining
	a.endVoice(c.Slot, a.now, EventStolen, &e)
}

// virtualVictimFor sets c to the virtual voice to steal so that another voice can become virtual. endless is the kind
// of that other voice, which may limit the candidates. The victim has the lowest priority, at most prio, and among
// equal priorities is the least audible from now on. c.Slot is -1 without a candidate.
func (a *audio) virtualVictimFor(c *victim.Choice, prio int32, endless bool) {
	kind := victim.Any
	if all, finite := a.virtualCounts(); a.hasCapacity(endless) { // any kind makes room
	} else if endless && finite > 0 { // only the same kind makes room
		kind = victim.Endless
	} else if !endless && finite < all {
		kind = victim.Finite
	}
	a.refreshRemaining(kind)
	a.scores.ChooseVirtual(c, prio, kind)
}

// startsVirtual reports whether the incoming start of r, which gets no slot, can begin as a virtual voice. That
// requires that it may become virtual, and that a virtual voice is free or can be stolen because it has a lower
// priority or is less audible. remaining is the audibility of r from now on, a power. If a virtual voice must be
// stolen for r, least is set to that voice. If the result is true and no voice must be stolen, least is unchanged.
func (a *audio) startsVirtual(least *victim.Choice, r *record, remaining float64) bool {
	if !a.incomingKind.virtualizable || a.canHide(a.incomingKind.endless) {
		return a.incomingKind.virtualizable
	}
	a.virtualVictimFor(least, r.prio, a.incomingKind.endless)
	return least.Slot >= 0 && (a.scores.Prio(least.Slot) != r.prio || least.Audibility < remaining)
}

// moveVoice moves a voice and its scores from index from to index to, publishes the new index, frees index from, and
// returns to. Requires that the voice is already at index to in the voice table, see allocSlot.
func (a *audio) moveVoice(from, to int) int {
	s := a.mutable(to)
	a.updateIndex(to)
	a.scores.Move(from, to)
	if sp := a.spectral.Load(); sp != nil {
		sp.voices[to] = sp.voices[from]
	}
	if a.masks != nil {
		a.updateMasks(to, s) // last, because a virtual voice has no rating yet
	}
	a.scoresDue.validUntil[to] = a.scoresDue.validUntil[from]
	if a.scheduleScore(to); to >= a.base {
		a.scoresDue.remainingHolds[to-a.base] = 0 // unknown for real voices
		a.scheduleRemainingGroup(to - a.base)
	}
	a.freeIndex(from)
	return to
}

// The hysteresis of an exchange, 1 dB, and the maximum number of exchanges in 10 ms.
const (
	exchangeGain = 1.2589254
	maskedGain   = 2 // for StealMasked, whose scores have a compressed scale
	exchanges    = 4
)

// untilGrid returns how many of n frames can be mixed before the next frame of the grid, where scores are refreshed:
// every 20 ms, or every 10 ms while there are virtual voices.
func (a *audio) untilGrid(n int64) int64 {
	at := a.now % a.hop
	if half := a.hop / 2; at < half && a.virtuals.Len() > 0 {
		return min(n, half-at)
	}
	return min(n, a.hop-at)
}

// runGrid refreshes scores, exchanges virtual voices and shrinks an idle pool if the frame now is on the grid, once
// for each frame. Between two full hops it does so only while there are virtual voices.
func (a *audio) runGrid() {
	at := a.now % a.hop
	half := at == a.hop/2 && a.virtuals.Len() > 0
	if at != 0 && !half || a.gridDone == a.now {
		return
	}
	a.gridDone = a.now
	if at == 0 && a.growth.step > 0 {
		a.shrinkIfIdle()
	}
	a.refreshScores(scopeAll)
	a.exchange()
}

// exchange restores virtual voices: first into free slots, then at most four into slots of real voices. A virtual
// voice takes the slot of a real voice that has a lower priority, or the same priority and less audibility by more
// than the hysteresis; a silent one does not. The real voice becomes virtual if it can, and is stolen otherwise. With
// the policy Reject only voices that can become virtual lose their slots.
func (a *audio) exchange() {
	if a.virtuals.Len() == 0 {
		return
	}
	a.scoreVirtualMasking(false, a.freeSlots())
	changed := a.restoreIntoFreeSlots()
	gain := float64(exchangeGain)
	if a.masks != nil {
		gain = maskedGain
	}
	keys, key := a.scores.RestoreAudibility(), a.scores.RestoreKey()
	q := query{bus: -1}
	if a.overflow == Reject {
		q.virtualizable = true
	}
	for range exchanges {
		if changed {
			a.scoreVirtualMasking(true, 1)
		}
		a.scores.PrepareRestore()
		best := a.scores.NextRestore()
		if best < 0 || keys[best] == 0 {
			return
		}
		prio := a.mutable(best).prio
		q.prio = prio
		var c victim.Choice
		a.choose(&c, &q, key)
		if c.Slot < 0 || a.scores.Prio(c.Slot) == prio && !(float64(keys[best]) > float64(gain*float64(keys[c.Slot]))) {
			return
		}
		v := a.mutable(best)
		var e audioEvent
		v.record.setCause(&e, v.number())
		e.Reason, e.Newcomer, e.NewcomerPriority = ReasonExchanged, float64(a.scores.Audibility(best)), prio
		a.swap(&c, best, e)
		changed = true
	}
}

// swap gives the slot of the real voice c.Slot to the virtual voice at index best, which fades in, and makes the real
// voice virtual, with a tail. It completes e, the event of the real voice, and emits it. If the real voice cannot
// take the index of the virtual one, demote finds it another or steals a voice.
func (a *audio) swap(c *victim.Choice, best int, e audioEvent) {
	real, virtual := a.mutable(c.Slot), a.mutable(best)
	if !real.virtualizable || real.endless != virtual.endless && !a.hasCapacity(real.endless) {
		a.demote(c, &e, virtual.prio, float64(a.scores.Remaining(best)))
		a.fadeInRestored(a.moveVoice(best, a.allocSlot(a.tree[virtual.bus].output, virtual)))
		return
	}
	a.explainChoice(&e, c)
	a.finite += boolInt(!real.endless) - boolInt(!virtual.endless)
	a.leaveTail(real, a.now)
	a.put(c.Slot, virtual)
	a.put(best, real)
	a.assignRank(c.Slot, a.tree[virtual.bus].output)
	real.record.unpublishIndex(&real.voice) // before the indices are reused
	virtual.record.unpublishIndex(&virtual.voice)
	for _, i := range [...]int{c.Slot, best} {
		s := a.mutable(i)
		a.updateIndex(i)
		a.scores.Set(i, s.prio, s.number(), s.protect)
		a.rescore(i)
	}
	a.emitVoiceEvent(&e, EventVirtual, real, a.now, best)
	a.fadeInRestored(c.Slot)
}

// fewFree is the number of free slots above which restoreIntoFreeSlots sorts the virtual voices instead of
// searching for each.
const fewFree = 32

// freeSlots returns the number of free slots. It is negative if protected voices keep more slots than the pool size.
func (a *audio) freeSlots() int { return a.slots.Limit() - a.slots.Len() }

// restoreIntoFreeSlots gives free slots to virtual voices in the order of victim.Table.RestoreOrder, and reports
// whether any voice got a slot.
func (a *audio) restoreIntoFreeSlots() (restored bool) {
	free := a.freeSlots()
	if free > fewFree {
		waiting := a.scores.RestoreOrder()
		for _, i := range waiting[:min(free, len(waiting))] {
			a.restoreIntoSlot(int(i))
			restored = true
		}
		return restored
	}
	if free > 0 {
		a.scores.PrepareRestore()
	}
	for ; free > 0; free-- {
		i := a.scores.NextRestore()
		if i < 0 {
			return restored
		}
		a.restoreIntoSlot(i)
		restored = true
	}
	return restored
}

// restoreIntoSlot restores the virtual voice at index i into a free slot, which must exist.
func (a *audio) restoreIntoSlot(i int) {
	s := a.mutable(i)
	a.fadeInRestored(a.moveVoice(i, a.allocSlot(a.tree[s.bus].output, s)))
	a.updateHighWater()
}

// updateRestorePrio gives the virtual voice at index i its present priority in the order of restoring. A paused or
// fading voice is not restored. It has no effect on a real voice.
func (a *audio) updateRestorePrio(i int) {
	if i < a.base {
		return
	}
	prio := int32(victim.Unstealable)
	if s := a.mutable(i); s.paused == 0 && !s.voice.FadingOut() {
		prio = -s.prio
	}
	a.scores.SetRestorePrio(i, prio)
}

// fadeInRestored fades in the restored voice at index i over 5 ms and emits EventReal.
func (a *audio) fadeInRestored(i int) {
	s := a.mutable(i)
	s.voice.FadeBackIn(a.now, a.smooth)
	s.resetScreen()
	a.emitVoiceEvent(&audioEvent{}, EventReal, s, a.now, i)
}
