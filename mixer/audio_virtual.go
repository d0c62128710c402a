package mixer

import (
	"cmp"
	"math"
	"slices"

	"voicepool/internal/dsp"
)

// state returns the state of a living voice.
func (s *slot) state() State {
	switch {
	case s.paused != 0:
		return StatePaused
	case s.virtual:
		return StateVirtual
	}
	return StatePlaying
}

// demote takes the slot of a voice, with a tail, and makes it virtual if possible. If all virtual voices
// are in use, the least audible one, or the voice itself, is stolen for good. prio and remaining are the
// priority and audibility of the incoming start.
func (a *audio) demote(c *choice, e *Event, prio int32, remaining float64) {
	s := a.at(c.slot)
	if !s.virtualizable {
		a.steal(c, e)
		return
	}
	if !a.hides(s.endless) {
		var least choice
		a.leastVirtual(&least, prio, s.endless)
		if least.slot < 0 || a.scores.less(c.slot, least.slot, a.scores.remaining) {
			a.steal(c, e)
			return
		}
		a.lose(&least, *e, remaining)
	}
	a.explainChoice(e, c)
	a.leaveTail(s, a.now)
	to := a.move(c.slot, a.takeVirtual(s.endless, s))
	a.tell(e, EventVirtual, a.at(to), a.now, to)
}

// lose ends a virtual voice for good. remaining is the audibility of the incoming start.
func (a *audio) lose(c *choice, e Event, remaining float64) {
	a.explainChoice(&e, c)
	e.Reason, e.powers.newcomer = ReasonVirtualFull, remaining
	a.finish(c.slot, a.now, EventStolen, &e)
}

// leastVirtual chooses the virtual voice c that is stolen to make room for an endless or a finite one. It
// is the least audible from now on, with a priority of at most prio.
func (a *audio) leastVirtual(c *choice, prio int32, endless bool) {
	filter := anyVoices
	if all, finite := a.virtualCounts(); a.below(endless) { // any kind makes room
	} else if endless && finite > 0 { // only the same kind makes room
		filter = endlessVoices
	} else if !endless && finite < all {
		filter = finiteVoices
	}
	a.refreshRemaining(filter)
	a.chooseVirtual(c, prio, filter)
}

// startsVirtual reports whether a start without a slot becomes a virtual voice. least is the virtual voice
// that is stolen for it; unchanged if there is room.
func (a *audio) startsVirtual(least *choice, r *record, remaining float64) bool {
	if !a.incomingKind.virtualizable || a.hides(a.incomingKind.endless) {
		return a.incomingKind.virtualizable
	}
	a.leastVirtual(least, r.prio, a.incomingKind.endless)
	return least.slot >= 0 && (a.scores.prio[least.slot] != r.prio || least.audibility < remaining)
}

// move moves a voice to another index, which was taken for it.
func (a *audio) move(from, to int) int {
	s := a.at(to)
	a.placeVoice(to)
	a.scores.move(from, to)
	if sp := a.spectral.Load(); sp != nil {
		sp.voices[to] = sp.voices[from]
	}
	if a.scores.masks != nil {
		a.noteMasks(to, s) // last, because a virtual voice has no rating yet
	}
	if a.scheduleScore(to); to >= a.base {
		a.scheduleRemainingGroup(to - a.base)
	}
	a.vacate(from)
	return to
}

func (s *scores) move(from, to int) {
	s.setAudibility(to, s.audibility[from])
	s.setPrio(to, s.prio[from])
	s.number[to], s.validUntil[to] = s.number[from], s.validUntil[from]
	if s.gain != nil {
		s.gain[to] = s.gain[from]
	}
	s.setRemaining(to, s.remaining[from])
	s.setEndless(to, s.endless[from])
	if j := to - s.base(); j >= 0 {
		s.remainingHolds[j] = 0 // unknown for real voices
	}
	if k := s.masks; k != nil {
		k.score[to] = k.score[from]
	}
}

// The hysteresis of an exchange, 1 dB, and the maximum number of exchanges in 10 ms.
const (
	exchangeGain = 1.2589254
	maskedGain   = 2 // for StealMasked, whose scores have a compressed scale
	exchanges    = 4
)

// untilTick returns how many of n frames remain before the next frame of the grid: 20 ms, or 10 ms while
// there are virtual voices.
func (a *audio) untilTick(n int64) int64 {
	at := a.now % a.hop
	if half := a.hop / 2; at < half && a.virtuals.Len() > 0 {
		return min(n, half-at)
	}
	return min(n, a.hop-at)
}

// tick does the work of the grid, if this frame is on it.
func (a *audio) tick() {
	at := a.now % a.hop
	half := at == a.hop/2 && a.virtuals.Len() > 0
	if at != 0 && !half || a.ticked == a.now {
		return
	}
	a.ticked = a.now
	if at == 0 && a.grow.step > 0 {
		a.contract()
	}
	a.refreshScores(scopeAll)
	a.exchange()
}

// exchange restores virtual voices: first into free slots, then into the slots of much less audible real
// voices. Such a voice becomes virtual if it can. With the policy Reject only voices that can become
// virtual lose their slots.
func (a *audio) exchange() {
	if a.virtuals.Len() == 0 {
		return
	}
	a.maskAll(false, a.freeSlots())
	changed := a.fill()
	policy, gain := StealQuietest, float64(exchangeGain)
	if a.scores.masks != nil {
		policy, gain = StealMasked, maskedGain
	}
	keys := a.scores.returnKeys()
	q := query{bus: -1}
	if a.overflow == Reject {
		q.filter = virtualizableVoices
	}
	for range exchanges {
		if changed {
			a.maskAll(true, 1)
		}
		a.turn()
		best, s := a.firstBack(), &a.scores
		if best < 0 || keys[best] == 0 {
			return
		}
		prio := a.at(best).prio
		q.prio = prio
		var c choice
		a.choose(&c, &q, policy)
		if c.slot < 0 || s.prio[c.slot] == prio && !(float64(keys[best]) > float64(gain*float64(keys[c.slot]))) {
			return
		}
		v := a.at(best)
		var e Event
		v.record.asks(&e, v.number())
		e.Reason, e.powers.newcomer, e.NewcomerPriority = ReasonExchanged, float64(s.audibility[best]), prio
		a.swap(&c, best, e)
		changed = true
	}
}

// swap exchanges a real and a virtual voice. If the real voice cannot take the place of the virtual one,
// a voice is stolen as for a start.
func (a *audio) swap(c *choice, best int, e Event) {
	real, virtual := a.at(c.slot), a.at(best)
	if !real.virtualizable || real.endless != virtual.endless && !a.below(real.endless) {
		a.demote(c, &e, virtual.prio, float64(a.scores.remaining[best]))
		a.comeBack(a.move(best, a.takeSlot(a.tree[virtual.bus].output, virtual)))
		return
	}
	a.explainChoice(&e, c)
	a.finite += boolInt(!real.endless) - boolInt(!virtual.endless)
	a.leaveTail(real, a.now)
	a.put(c.slot, virtual)
	a.put(best, real)
	a.rank(c.slot, a.tree[virtual.bus].output)
	real.record.unpublishSlot(&real.voice) // before the indices are reused
	virtual.record.unpublishSlot(&virtual.voice)
	for _, i := range [...]int{c.slot, best} {
		s := a.at(i)
		a.placeVoice(i)
		a.scores.set(i, s.prio, s.number(), s.protect)
		a.rescore(i)
	}
	a.tell(&e, EventVirtual, real, a.now, best)
	a.comeBack(c.slot)
}

// fewFree is the number of free slots above which fill sorts the virtual voices instead of searching for
// each.
const fewFree = 32

// freeSlots returns the number of free slots; negative if protected voices exceed the limit.
func (a *audio) freeSlots() int { return a.slots.Limit() - a.slots.Len() }

// fill gives free slots to virtual voices, and reports whether there was one.
func (a *audio) fill() (took bool) {
	free := a.freeSlots()
	if free > fewFree {
		waiting := a.inOrder()
		for _, i := range waiting[:min(free, len(waiting))] {
			a.takeBack(int(i))
			took = true
		}
		return took
	}
	if free > 0 {
		a.turn()
	}
	for ; free > 0; free-- {
		i := a.firstBack()
		if i < 0 {
			return took
		}
		a.takeBack(i)
		took = true
		a.scores.eligible[i] = unstealable // the other keys are unchanged
	}
	return took
}

// takeBack restores a virtual voice into a free slot.
func (a *audio) takeBack(i int) {
	s := a.at(i)
	a.comeBack(a.move(i, a.takeSlot(a.tree[s.bus].output, s)))
	a.seatsTaken()
}

// inOrder returns the virtual voices that may be restored, in the order of first.
func (a *audio) inOrder() []int32 {
	order := a.scores.eligible[a.base:a.base]
	for i, waits := range a.scores.restorePrio[:a.scores.usedVirtual] {
		if waits != unstealable {
			order = append(order, int32(a.base+i))
		}
	}
	slices.SortFunc(order, a.first)
	return order
}

// first orders virtual voices for restoring: audible voices first, then by priority regardless of
// protection, then the loudest in the next 20 ms, then the oldest.
func (a *audio) first(i, j int32) int {
	s, keys := &a.scores, a.scores.returnKeys()
	x, y := keys[i], keys[j]
	if (x == 0) != (y == 0) { // otherwise muted voices would block audible ones
		return cmp.Compare(y, x)
	}
	return cmp.Or(cmp.Compare(s.restorePrio[int(i)-a.base], s.restorePrio[int(j)-a.base]), cmp.Compare(y, x), cmp.Compare(s.number[i], s.number[j]))
}

// noteWaits updates whether the virtual voice at an index may be restored, and its priority.
func (a *audio) noteWaits(i int) {
	if i < a.base {
		return
	}
	waits := int32(unstealable)
	if s := a.at(i); s.paused == 0 && !s.voice.FadingOut() {
		waits = -s.prio
	}
	i -= a.base
	a.scores.restorePrio[i], a.scores.usedVirtual = waits, max(a.scores.usedVirtual, i+1)
}

// returnKeys returns how loud voices would be if restored.
func (s *scores) returnKeys() []float32 {
	if s.masks != nil {
		return s.masks.score
	}
	return s.audibility
}

// turn prepares the keys of firstBack, so that the weakest one is restored first, in the order of first.
func (a *audio) turn() {
	const loudest = 0x7f800000 // the bits of infinity
	s := &a.scores
	to := a.base + s.usedVirtual
	order, keys := s.eligible[a.base:to], s.returnKeys()[a.base:to]
	for i, x := range keys {
		waits := s.restorePrio[i]
		if x == 0 && waits != unstealable {
			waits += 2*MaxPriority + 1 // after all audible ones
		}
		order[i], s.restoreKeys[i] = waits, math.Float32frombits(loudest-math.Float32bits(x))
	}
}

// firstBack returns the virtual voice that is restored first, or -1. It uses the keys of turn.
func (a *audio) firstBack() int {
	s, from := &a.scores, a.base
	order, turned := s.eligible[from:from+s.usedVirtual], s.restoreKeys[:s.usedVirtual]
	var w dsp.Weakest
	if w.Find(order, turned, unstealable-1); w.Candidates == 0 {
		return -1
	}
	return from + oldest(&w, order, turned, s.number[from:])
}

// comeBack fades in a restored voice.
func (a *audio) comeBack(i int) {
	s := a.at(i)
	s.voice.FadeBackIn(a.now, a.smooth)
	s.restScreen()
	a.tell(&Event{}, EventReal, s, a.now, i)
}
