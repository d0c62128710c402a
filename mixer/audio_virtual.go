package mixer

import (
	"voicepool/mixer/internal/victim"
)

// state returns the state of a living voice: StatePaused, StateVirtual or StatePlaying. A virtual voice that is paused
// counts as paused.
func (s *slot) state() State {
	switch {
	case s.paused != 0:
		return StatePaused
	case s.virtual:
		return StateVirtual
	}
	return StatePlaying
}

// demote takes the slot of the real voice c.Slot for an incoming start. The voice leaves a tail and becomes virtual,
// if it can; otherwise it is stolen. If all places for virtual voices are in use, either the least audible virtual
// voice or the voice c.Slot is stolen for good. demote fills in e, the event of the voice c.Slot, and emits it. prio
// and remaining are the priority and the audibility, a power, of the incoming start.
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

// stealVirtual ends the virtual voice c.Slot for good. It fills in e as an EventStolen with ReasonVirtualFull and
// emits it. remaining is the audibility of the incoming start, a power.
func (a *audio) stealVirtual(c *victim.Choice, e audioEvent, remaining float64) {
	a.explainChoice(&e, c)
	e.Reason, e.Newcomer = ReasonVirtualFull, remaining
	a.endVoice(c.Slot, a.now, EventStolen, &e)
}

// virtualVictimFor sets c to the virtual voice to steal so that another voice can become virtual. It has the lowest
// priority, at most prio, and among equal priorities it is the least audible. endless is the kind of the other voice.
// If the places for that kind are in use, only virtual voices of that kind are candidates. c.Slot is -1 without a
// candidate.
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

// startsVirtual reports whether the incoming start of r, which gets no slot, can begin as a virtual voice. It must be
// allowed to become virtual, and there must be a free place or a virtual voice to steal. Such a voice has a lower
// priority or is less audible; least is set to it. If there is a free place, least is unchanged. remaining is the
// audibility of r, a power.
func (a *audio) startsVirtual(least *victim.Choice, r *record, remaining float64) bool {
	if !a.incomingKind.virtualizable || a.canHide(a.incomingKind.endless) {
		return a.incomingKind.virtualizable
	}
	a.virtualVictimFor(least, r.prio, a.incomingKind.endless)
	return least.Slot >= 0 && (a.scores.Prio(least.Slot) != r.prio || least.Audibility < remaining)
}

// moveVoice completes the move of a voice from one index of the voice table to another, between a slot and a place for
// virtual voices. The voice must already be stored at index to, see allocSlot. moveVoice moves its scores, publishes
// its new index and frees the index from. It returns to.
func (a *audio) moveVoice(from, to int) int {
	s := a.mutable(to)
	a.updateIndex(to)
	a.scores.Move(from, to)
	if r := a.responses.Load(); r != nil {
		r.Voices[to] = r.Voices[from]
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

// untilGrid returns how many of the next n frames can be mixed before the scores of voices are refreshed again. This
// happens at every multiple of 20 ms. While there are virtual voices, it happens at every multiple of 10 ms.
func (a *audio) untilGrid(n int64) int64 {
	at := a.now % a.hop
	if half := a.hop / 2; at < half && a.virtuals.Len() > 0 {
		return min(n, half-at)
	}
	return min(n, a.hop-at)
}

// runGrid does the periodic work if it is due at the present frame: it refreshes the scores of voices and restores
// virtual voices. It is due every 20 ms, and while there are virtual voices every 10 ms. Every 20 ms it also shrinks a
// grown pool that is idle. A repeated call at the same frame has no effect.
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

// exchange restores virtual voices, which keep their time without being mixed. First they get the free slots. Then at
// most four of them take slots of real voices that have a lower priority, or the same priority and are quieter by more
// than a margin. A silent virtual voice takes no such slot. The real voice becomes virtual if it can, and is stolen
// otherwise. With the policy Reject only voices that can become virtual lose their slots.
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

// swap exchanges the real voice c.Slot and the virtual voice at index best. The virtual voice fades in, and the real
// voice becomes virtual and leaves a tail. swap fills in e, the event of the real voice, and emits it. If the real
// voice cannot take the index of the virtual voice, demote finds it another place or steals a voice.
func (a *audio) swap(c *victim.Choice, best int, e audioEvent) {
	real, virtual := a.mutable(c.Slot), a.mutable(best)
	if !real.virtualizable || real.endless != virtual.endless && !a.hasCapacity(real.endless) {
		a.demote(c, &e, virtual.prio, float64(a.scores.Remaining(best)))
		a.fadeInRestored(a.moveVoice(best, a.allocSlot(a.tree.Nodes[virtual.bus].Output, virtual)))
		return
	}
	a.explainChoice(&e, c)
	a.finite += boolInt(!real.endless) - boolInt(!virtual.endless)
	a.leaveTail(real, a.now)
	a.put(c.Slot, virtual)
	a.put(best, real)
	a.assignRank(c.Slot, a.tree.Nodes[virtual.bus].Output)
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

// freeSlots returns the number of free slots. It is negative if protected voices occupy more slots than the pool size.
func (a *audio) freeSlots() int { return a.slots.Limit() - a.slots.Len() }

// restoreIntoFreeSlots gives free slots to virtual voices, which become real and fade in. Audible voices come before
// silent ones. Among them the highest priority comes first, then the most audible. The result reports whether any
// voice got a slot.
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

// restoreIntoSlot moves the virtual voice at index i into a free slot, which must exist. The voice becomes real and
// fades in.
func (a *audio) restoreIntoSlot(i int) {
	s := a.mutable(i)
	a.fadeInRestored(a.moveVoice(i, a.allocSlot(a.tree.Nodes[s.bus].Output, s)))
	a.updateHighWater()
}

// updateRestorePrio sets the priority of the virtual voice at index i for getting a slot again. A voice that is paused
// or fading out gets no slot. It has no effect on a real voice.
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

// fadeInRestored fades in the voice at index i, which has just got a slot, over 5 ms, and emits EventReal.
func (a *audio) fadeInRestored(i int) {
	s := a.mutable(i)
	s.voice.FadeBackIn(a.now, a.smooth)
	s.resetScreen()
	a.emitVoiceEvent(&audioEvent{}, EventReal, s, a.now, i)
}
