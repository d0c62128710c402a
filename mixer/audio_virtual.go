package mixer

import (
	"cmp"
	"math"
	"slices"

	"voicepool/internal/dsp"
)

// state returns what has become of a voice that lives.
func (s *slot) state() State {
	switch {
	case s.paused != 0:
		return StatePaused
	case s.virtual:
		return StateVirtual
	}
	return StatePlaying
}

// demote takes a voice's slot, leaving its tail. It goes on as a virtual one, if it is
// one that does; if there is no place for it, the least audible of all that could make
// room and itself is lost for good. prio and whole are those of the start that it is
// for, as lose and leastVirtual have them.
func (a *audio) demote(c *choice, e *Event, prio int32, whole float64) {
	s := a.at(c.slot)
	if !s.keeps {
		a.steal(c, e)
		return
	}
	if !a.hides(s.endless) {
		var least choice
		a.leastVirtual(&least, prio, s.endless)
		if least.slot < 0 || a.scores.less(c.slot, least.slot, a.scores.whole) {
			a.steal(c, e)
			return
		}
		a.lose(&least, *e, whole)
	}
	a.weigh(e, c)
	a.leaveTail(s, a.now)
	to := a.move(c.slot, a.takeVirtual(s.endless, s))
	a.tell(e, EventVirtual, a.at(to), a.now, to)
}

// lose ends a virtual voice for good, for a newcomer of which whole is the audibility.
func (a *audio) lose(c *choice, e Event, whole float64) {
	a.weigh(&e, c)
	e.Reason, e.powers.newcomer = ReasonVirtualFull, whole
	a.finish(c.slot, a.now, EventStolen, &e)
}

// leastVirtual has c be the virtual voice that is lost first of those that a start of
// priority prio may take for the sake of an endless or a finite voice: the one that would
// be missed least from now on.
func (a *audio) leastVirtual(c *choice, prio int32, endless bool) {
	q := query{prio: prio, bus: -1, virtual: true}
	if all, finite := a.unheard(); a.below(endless) { // anyone makes room
	} else if endless && finite > 0 { // only another one of its kind does
		q.only = endlessOnes
	} else if !endless && finite < all {
		q.only = finiteOnes
	}
	a.choose(c, &q, stealForGood)
}

// goesUnheard reports whether a start for which there is no slot becomes a virtual voice: if it
// is one that does, and not the first to be lost among those. least, nobody before, is who is
// lost for it.
func (a *audio) goesUnheard(least *choice, r *record, whole float64) bool {
	if !a.asks.keeps || a.hides(a.asks.endless) {
		return a.asks.keeps
	}
	a.leastVirtual(least, r.prio, a.asks.endless)
	return least.slot >= 0 && (a.scores.prio[least.slot] != r.prio || least.audibility < whole)
}

// move takes a voice from one index to another, which was taken for it.
func (a *audio) move(from, to int) int {
	s := a.at(to)
	a.seat(to)
	a.scores.move(from, to)
	if sp := a.spectral.Load(); sp != nil {
		sp.heard[to] = sp.heard[from]
	}
	if a.scores.masks != nil {
		a.noteMasks(to, s) // last: a virtual voice is not rated yet
	}
	a.noteDue(to)
	a.vacate(from)
	return to
}

func (s *scores) move(from, to int) {
	s.setAudibility(to, s.audibility[from])
	s.setPrio(to, s.prio[from])
	s.gain[to], s.number[to] = s.gain[from], s.number[from]
	s.whole[to], s.endless[to], s.holds[to] = s.whole[from], s.endless[from], s.holds[from]
	if k := s.masks; k != nil {
		k.score[to] = k.score[from]
	}
}

// The hysteresis of an exchange, 1 dB, and how many there are in 10 ms.
const (
	exchangeGain = 1.2589254
	maskedGain   = 2 // of StealMasked, whose scores are squeezed
	exchanges    = 4
)

// untilTick returns how many of n frames there are to the next frame of the grid: of 20 ms, and of
// 10 ms while a voice is virtual.
func (a *audio) untilTick(n int64) int64 {
	at := a.now % a.hop
	if half := a.hop / 2; at < half && a.virtuals.Len() > 0 {
		return min(n, half-at)
	}
	return min(n, a.hop-at)
}

// tick does what the grid has for this frame.
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
	a.freshen(true)
	a.exchange()
}

// exchange gives free slots to the best virtual voices, then the slots of real ones to
// those that are much louder. Whoever gives way goes on unheard if it is one that does;
// under Reject only those give way, since nobody is to be lost.
func (a *audio) exchange() {
	if a.virtuals.Len() == 0 {
		return
	}
	a.maskAll(false)
	changed := a.fill()
	policy, gain := StealQuietest, float64(exchangeGain)
	if a.scores.masks != nil {
		policy, gain = StealMasked, maskedGain
	}
	keys := a.scores.returnKeys()
	q := query{bus: -1}
	if a.overflow == Reject {
		q.only = keptOnes
	}
	for range exchanges {
		if changed {
			a.maskAll(true)
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

// swap exchanges a real voice and a virtual one. Where the real one cannot have the
// other's place, somebody is lost as for a start.
func (a *audio) swap(c *choice, best int, e Event) {
	real, virtual := a.at(c.slot), a.at(best)
	if !real.keeps || real.endless != virtual.endless && !a.below(real.endless) {
		a.demote(c, &e, virtual.prio, float64(a.scores.whole[best]))
		a.comeBack(a.move(best, a.takeSlot(a.tree[virtual.bus].output, virtual)))
		return
	}
	a.weigh(&e, c)
	a.finite += one(!real.endless) - one(!virtual.endless)
	a.leaveTail(real, a.now)
	a.put(c.slot, virtual)
	a.put(best, real)
	a.rank(c.slot, a.tree[virtual.bus].output)
	real.record.unseat(&real.voice) // nobody may look where the other one is
	virtual.record.unseat(&virtual.voice)
	for _, i := range [...]int{c.slot, best} {
		s := a.at(i)
		a.seat(i)
		a.scores.set(i, s.prio, s.number(), s.protect)
		a.rescore(i)
	}
	a.tell(&e, EventVirtual, real, a.now, best)
	a.comeBack(c.slot)
}

// fewFree is up to how many free slots are filled by a search each; more, by putting all in order once.
const fewFree = 32

// fill gives free slots to virtual voices, and reports whether there was one.
func (a *audio) fill() (took bool) {
	free := a.slots.Limit() - a.slots.Len()
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
		a.scores.eligible[i] = unstealable // no other key has changed
	}
	return took
}

// takeBack gives a virtual voice a free slot.
func (a *audio) takeBack(i int) {
	s := a.at(i)
	a.comeBack(a.move(i, a.takeSlot(a.tree[s.bus].output, s)))
	a.seatsTaken()
}

// inOrder returns the virtual voices that may come back, the first one first.
func (a *audio) inOrder() []int32 {
	order := a.scores.eligible[a.base:a.base]
	for i, waits := range a.scores.waits[:a.scores.used] {
		if waits != unstealable {
			order = append(order, int32(a.base+i))
		}
	}
	slices.SortFunc(order, a.first)
	return order
}

// first orders virtual voices by which comes back first: those that would be heard at all, then those of the
// highest priority, whether protected or not, the loudest in the next 20 ms, the oldest.
func (a *audio) first(i, j int32) int {
	s, keys := &a.scores, a.scores.returnKeys()
	x, y := keys[i], keys[j]
	if (x == 0) != (y == 0) { // or one that is muted would keep its place before those that are not
		return cmp.Compare(y, x)
	}
	return cmp.Or(cmp.Compare(s.waits[int(i)-a.base], s.waits[int(j)-a.base]), cmp.Compare(y, x), cmp.Compare(s.number[i], s.number[j]))
}

// noteWaits records whether the virtual voice of an index may come back, and before whom.
func (a *audio) noteWaits(i int) {
	if i < a.base {
		return
	}
	waits := int32(unstealable)
	if s := a.at(i); s.paused == 0 && !s.voice.FadingOut() {
		waits = -s.prio
	}
	i -= a.base
	a.scores.waits[i], a.scores.used = waits, max(a.scores.used, i+1)
}

// returnKeys returns how loud voices would be that come back.
func (s *scores) returnKeys() []float32 {
	if s.masks != nil {
		return s.masks.score
	}
	return s.audibility
}

// turn prepares what firstBack searches, so that the weakest of it comes back first, as first has it.
func (a *audio) turn() {
	const loudest = 0x7f800000 // the bits of infinity
	s := &a.scores
	to := a.base + s.used
	order, keys := s.eligible[a.base:to], s.returnKeys()[a.base:to]
	for i, x := range keys {
		waits := s.waits[i]
		if x == 0 && waits != unstealable {
			waits += 2*MaxPriority + 1 // behind all that would be heard
		}
		order[i], s.turned[i] = waits, math.Float32frombits(loudest-math.Float32bits(x))
	}
}

// firstBack returns the virtual voice that comes back first; -1: there is none. What turn has prepared
// has to hold.
func (a *audio) firstBack() int {
	s, from := &a.scores, a.base
	order, turned := s.eligible[from:from+s.used], s.turned[:s.used]
	var w dsp.Weakest
	if w.Find(order, turned, unstealable-1); w.Candidates == 0 {
		return -1
	}
	return from + oldest(&w, order, turned, s.number[from:])
}

// comeBack lets a voice be heard that was virtual until now.
func (a *audio) comeBack(i int) {
	s := a.at(i)
	s.voice.Return(a.now, a.smooth)
	s.restScreen()
	a.tell(&Event{}, EventReal, s, a.now, i)
}
