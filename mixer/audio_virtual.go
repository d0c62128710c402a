package mixer

import (
	"cmp"
	"slices"
)

// showState makes public what has become of a voice that lives.
func (a *audio) showState(i int) {
	s := a.at(i)
	state := StatePlaying
	switch {
	case s.paused != 0:
		state = StatePaused
	case i >= a.base:
		state = StateVirtual
	}
	s.record.state.Store(uint32(state))
}

// demote takes a voice's slot, leaving its tail. It goes on as a virtual one; if
// there is no place for it, the least audible of all virtual ones and itself is
// lost for good. prio and whole are those of the start that it is for, as lose and
// leastVirtual have them.
func (a *audio) demote(c choice, e Event, prio int32, whole float64) {
	a.weigh(&e, c)
	if !a.freeVirtual() {
		least := a.leastVirtual(prio)
		if least.slot < 0 || a.scores.less(c.slot, least.slot, a.scores.whole) {
			e.Kind = EventStolen
			a.leaveTail(a.at(c.slot), a.now)
			a.finish(c.slot, a.now, &e)
			return
		}
		a.lose(least, e, whole)
	}
	a.leaveTail(a.at(c.slot), a.now)
	to := a.move(c.slot, a.takeVirtual())
	s := a.at(to)
	e.Kind, e.Frame, e.Slot, e.Voice, e.Sound, e.Group, e.Ref = EventVirtual, a.now, -1, s.number, s.voice.Sound(), s.group, s.record.ref
	a.emit(&e)
}

// lose ends a virtual voice for good, for the sake of the newcomer of e, whose whole
// audibility is what the event compares with its own.
func (a *audio) lose(c choice, e Event, whole float64) {
	a.weigh(&e, c)
	e.Kind, e.Reason, e.powers.newcomer = EventStolen, ReasonVirtualFull, whole
	a.finish(c.slot, a.now, &e)
}

// leastVirtual returns the virtual voice that is lost first of those that a start of
// priority prio may take: of the lowest priority, the least audible from now on, the
// oldest. Its slot is -1 if there is none.
func (a *audio) leastVirtual(prio int32) choice {
	s := &a.scores
	c, second := choice{slot: -1, runnerUp: -1}, -1
	for i := a.next(a.base); i >= 0; i = a.next(i + 1) {
		if s.prio[i] > prio {
			continue
		}
		c.candidates++
		switch {
		case c.slot < 0 || s.less(i, c.slot, s.whole):
			c.slot, second = i, c.slot
		case second < 0 || s.less(i, second, s.whole):
			second = i
		}
	}
	if c.slot >= 0 {
		c.audibility, c.peers = float64(s.whole[c.slot]), s.count(s.prio[a.base:], s.prio[c.slot])
	}
	if second >= 0 {
		c.runnerUp, c.next = float64(s.whole[second]), s.prio[second]
	}
	return c
}

// refuse is what becomes of a start for which there is no slot: a virtual voice,
// if there are any and it is not the first to be lost among them. It returns the
// index, or -1.
func (a *audio) refuse(c *command, refused *Event, whole float64) int {
	if a.virtuals == nil {
		a.turnAway(c, refused)
		return -1
	}
	r := a.record(c.record)
	if !a.freeVirtual() {
		least := a.leastVirtual(r.prio)
		if least.slot < 0 || a.scores.prio[least.slot] == r.prio && least.audibility >= whole {
			a.turnAway(c, refused)
			return -1
		}
		refused.By, refused.BySound, refused.ByGroup, refused.ByRef = uint64(a.stats.Started)+1, r.sound.Load(), r.group, r.ref
		a.lose(least, *refused, whole)
	}
	a.refused = *refused
	return a.takeVirtual()
}

// move takes a voice from one index to another, which is free and taken.
func (a *audio) move(from, to int) int {
	s := a.at(to)
	*s = *a.at(from)
	s.virtual = to >= a.base
	a.seat(to)
	if s.record.placed {
		a.places[to] = a.places[from]
		s.voice.SetSpace(&a.places[to].space)
	}
	a.scores.move(from, to)
	a.vacate(from)
	a.showState(to)
	return to
}

func (s *scores) move(from, to int) {
	s.audibility[to], s.gain[to], s.number[to], s.prio[to] = s.audibility[from], s.gain[from], s.number[from], s.prio[from]
	s.whole[to] = s.whole[from]
	if s.masks != nil {
		s.masks.move(from, to)
	}
}

// The hysteresis of an exchange, 6 dB, and how many there are in 20 ms.
const (
	exchangeGain = 4
	maskedGain   = 2 // of StealMasked, whose scores are squeezed
	exchanges    = 4
)

// exchange gives free slots to the best virtual voices, then lets those that are
// much louder than real ones take their slots. On the grid, after rescoring.
func (a *audio) exchange() {
	a.mask(false)
	a.fill()
	policy, gain := StealQuietest, float64(exchangeGain)
	if a.scores.masks != nil {
		policy, gain = StealMasked, maskedGain
	}
	keys := a.scores.keys(policy)
	for range exchanges {
		a.mask(false)
		best := a.bestVirtual()
		s := &a.scores
		if best < 0 || keys[best] == 0 {
			return
		}
		prio := a.at(best).prio
		c := a.choose(&query{prio: prio, bus: -1}, policy)
		if c.slot < 0 || s.prio[c.slot] == prio && !(float64(keys[best]) > float64(gain*float64(keys[c.slot]))) {
			return
		}
		v := a.at(best)
		e := Event{
			Reason: ReasonExchanged, By: v.number, BySound: v.voice.Sound(), ByGroup: v.group, ByRef: v.record.ref,
			powers: powers{newcomer: float64(s.audibility[best])},
		}
		a.swap(c, best, e)
	}
}

// swap exchanges a real voice and a virtual one.
func (a *audio) swap(c choice, best int, e Event) {
	a.weigh(&e, c)
	real, virtual := a.at(c.slot), a.at(best)
	a.leaveTail(real, a.now)
	*real, *virtual = *virtual, *real
	real.virtual, virtual.virtual = false, true
	a.places[c.slot], a.places[best] = a.places[best], a.places[c.slot]
	for _, s := range [...]*slot{real, virtual} { // nobody may look where the other one is
		s.record.unseat(&s.voice)
	}
	for _, i := range [...]int{c.slot, best} {
		s := a.at(i)
		a.seat(i)
		if s.record.placed {
			s.voice.SetSpace(&a.places[i].space)
		}
		a.scores.set(i, s.prio, s.number, s.protect)
		a.rescore(i)
		a.showState(i)
	}
	e.Kind, e.Frame, e.Slot, e.Voice, e.Sound, e.Group, e.Ref = EventVirtual, a.now, -1, virtual.number, virtual.voice.Sound(), virtual.group, virtual.record.ref
	a.emit(&e)
	a.comeBack(c.slot)
}

// fill gives free slots to virtual voices. Where several are free, the voices are
// put in order once, so that a pool that grew by much is not searched as often.
func (a *audio) fill() {
	free := a.slots.Limit() - a.slots.Len()
	if free <= 0 || a.virtuals.Len() == 0 {
		return
	}
	if free == 1 {
		if best := a.bestVirtual(); best >= 0 {
			a.promote(best)
		}
		return
	}
	waiting := a.waiting[:0]
	for i := a.next(a.base); i >= 0; i = a.next(i + 1) {
		if a.waits(i) {
			waiting = append(waiting, i)
		}
	}
	slices.SortFunc(waiting, a.first)
	for _, i := range waiting[:min(free, len(waiting))] {
		a.promote(i)
	}
}

// promote gives a free slot to a virtual voice.
func (a *audio) promote(i int) {
	a.comeBack(a.move(i, a.takeSlot()))
	a.stats.HighWater = max(a.stats.HighWater, int64(a.slots.Len()))
	a.grow.peak = max(a.grow.peak, a.slots.Len())
}

// comeBack lets a voice be heard that was virtual until now.
func (a *audio) comeBack(i int) {
	s := a.at(i)
	s.voice.Return(a.now, a.smooth)
	a.say(s, EventReal, a.now, i)
}

// bestVirtual returns the virtual voice that is to come back first; -1 if there is
// none that goes on.
func (a *audio) bestVirtual() int {
	best := -1
	for i := a.next(a.base); i >= 0; i = a.next(i + 1) {
		if a.waits(i) && (best < 0 || a.first(i, best) < 0) {
			best = i
		}
	}
	return best
}

// waits reports whether a virtual voice is to come back at all.
func (a *audio) waits(i int) bool {
	s := a.at(i)
	return s.paused == 0 && !s.voice.FadingOut()
}

// first orders virtual voices by which comes back first: those that would be heard
// at all, then those of the highest priority, whether protected or not, the loudest in
// the next 40 ms, the oldest.
func (a *audio) first(i, j int) int {
	s := &a.scores
	keys := s.audibility
	if s.masks != nil {
		keys = s.masks.score
	}
	x, y := keys[i], keys[j]
	if (x == 0) != (y == 0) { // or one that is muted would keep its place before those that are not
		return cmp.Compare(y, x)
	}
	return cmp.Or(cmp.Compare(a.at(j).prio, a.at(i).prio), cmp.Compare(y, x), cmp.Compare(s.number[i], s.number[j]))
}
