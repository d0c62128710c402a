package mixer

import (
	"voicepool/pool"
	"voicepool/voice"
)

// start decides what becomes of a Play, at its frame: cooldown, limit of the
// group, limit of the bus, pool.
func (a *audio) start(c *command) {
	id := c.record
	r := a.record(id)
	a.stats.Asked++
	if r.cancel == id { // stopped before it began
		a.stats.Stopped++
		a.pass(r, id, EventStopped, StateStopped)
		return
	}
	g := r.group
	if g != nil && a.joins(c, r, g) {
		return
	}
	if g != nil && g.started && a.now-g.last < g.cooldown {
		a.turnAway(c, &Event{Kind: EventLimited, Reason: ReasonCooldown})
		return
	}
	if r.silent() {
		a.stats.Ended++
		a.silentFrom(a.now)
		a.pass(r, id, EventEnded, StateEnded)
		return
	}
	sound := r.sound.Load()
	r.options.Feed, r.options.Space = r.feed, a.settle(&a.asking, r)
	a.coming.Start(sound, r.options, a.now)
	defer a.coming.Forget()
	i := a.makeRoom(c, r)
	if i < 0 {
		return
	}
	s := a.at(i)
	a.stats.Started++
	// Field by field: the rest is zero, as the pool gives it, and a slot is large.
	s.record, s.id, s.group, s.tag, s.number = r, id, g, r.tag, uint64(a.stats.Started)
	s.began, s.endAt, s.bus, s.prio, s.protect, s.crowdPower = a.now, never, r.bus, r.prio, r.protect, 1
	s.start, s.virtual = r.options.BaseGain+r.options.Gain, i >= a.base
	if r.lasts > 0 {
		s.endAt = a.now + r.lasts
	}
	s.voice = a.coming
	if r.placed {
		a.places[i] = a.asking
		s.voice.SetSpace(&a.places[i].space)
	}
	b := &a.buses[r.bus]
	if pitch := a.pitchOf(r.bus); pitch.From != 0 || pitch.To != 0 {
		s.voice.SetShared(a.now, pitch)
	}
	r.live = id
	a.seat(i)
	r.number.Store(s.number)
	a.showState(i)
	if g != nil {
		g.playing++
		g.started, g.last, g.first, g.number = true, a.now, r, s.number
	}
	if b.held {
		s.paused |= pausedBus
	}
	if a.paused {
		s.paused |= pausedAll
	}
	active := 1
	if s.paused != 0 {
		active = 0
		s.held = a.now
		a.showState(i)
	}
	a.count(r.bus, 1, active)
	a.scores.set(i, r.prio, s.number, r.protect)
	a.rescore(i)
	fields, ahead := wants(r.dirty.Load()), foreseen{}
	if r.foreseen.id == id {
		ahead = r.foreseen
	}
	if fields|ahead.fields != 0 {
		a.moveTo(r, fields, ahead, 0)
	}
	a.stats.Playing++
	a.stats.HighWater = max(a.stats.HighWater, int64(a.slots.Len()))
	a.grow.peak = max(a.grow.peak, a.slots.Len())
	a.say(s, EventStarted, a.now, a.slotOf(i))
	if s.virtual {
		e := s.event(EventVirtual, a.now, -1)
		w := &a.refused
		e.Reason, e.powers, e.Candidates, e.Peers = w.Reason, w.powers, w.Candidates, w.Peers
		e.Policy, e.Priority, e.powers.lost = a.overflow, s.prio, a.lost(s)
		a.emit(&e)
	}
}

// silent reports whether there is nothing to play: an empty sound, or one that
// begins at its end.
func (r *record) silent() bool {
	sound := r.sound.Load()
	return !sound.Streamed() && r.options.From >= sound.Frames() && !(r.options.Loop && sound.Loop().Frames() > 0)
}

// pass counts a start that is over as it begins. It takes no voice.
func (a *audio) pass(r *record, id pool.Handle, kind EventKind, state State) {
	a.stats.Started++
	number := uint64(a.stats.Started)
	r.number.Store(number)
	e := Event{Frame: a.now, Kind: EventStarted, Slot: -1, Voice: number, Sound: r.sound.Load(), Group: r.group, Ref: r.ref}
	a.emit(&e)
	e.Kind = kind
	a.emit(&e)
	r.drop()
	a.giveBack(r, id, state)
}

// drop closes the feed of a start that nobody will hear.
func (r *record) drop() {
	if r.feed != nil {
		r.feed.Drop()
	}
}

// turnAway ends a start that gets no voice.
func (a *audio) turnAway(c *command, e *Event) {
	r := a.record(c.record)
	e.Frame, e.Slot, e.Sound, e.Group, e.Ref = a.now, -1, r.sound.Load(), r.group, r.ref
	state := StateRejected
	switch e.Kind {
	case EventLimited:
		a.stats.Limited++
		state = StateLimited
	case EventCoalesced:
		a.stats.Coalesced++
		state = StateCoalesced
	default:
		a.stats.Rejected++
	}
	a.emit(e)
	r.drop()
	a.giveBack(r, c.record, state)
}

// makeRoom sees to it that there is a free place for r and takes it: a slot, or,
// where only a virtual voice can be had, that. It returns the index, or -1, and
// then it has said why. Without virtual voices at most one victim is taken, which
// serves every limit that is reached.
func (a *audio) makeRoom(c *command, r *record) int {
	q := query{prio: r.prio, bus: -1, all: true}
	reason := ReasonNone
	for i := int(r.bus); i >= 0 && reason == ReasonNone; i = a.tree[i].parent {
		if b := &a.buses[i]; b.limit > 0 && b.playing >= b.limit {
			reason, q.bus = ReasonBusLimit, i // the lowest: a victim there serves all above it
		}
	}
	if g := r.group; g != nil && g.limit > 0 && g.playing >= g.limit {
		reason, q.group = ReasonGroupLimit, g
	}
	free := func() bool {
		return a.free() || a.overflow == GrowPool && a.extend()
	}
	if reason == ReasonNone && free() {
		return a.takeSlot()
	}
	e := Event{
		Reason: reason, By: uint64(a.stats.Started) + 1, BySound: r.sound.Load(), ByGroup: r.group, ByRef: r.ref, powers: powers{runnerUp: -1},
	}
	var whole float64
	// Of virtual voices a limit looks at all, and a full pool only where one of them has
	// to make room.
	a.freshen(reason != ReasonNone || a.virtuals != nil && !a.freeVirtual())
	e.powers.newcomer, whole = a.newcomer(r.bus)
	if reason == ReasonBusLimit {
		e.Bus = Bus{index: uint16(q.bus)}
	}
	if reason != ReasonNone {
		forGood := e
		forGood.powers.newcomer = whole
		choice, wins := a.contest(&q, r, &forGood)
		if !wins {
			forGood.Kind = EventLimited
			a.turnAway(c, &forGood)
			return -1
		}
		a.steal(choice, &forGood)
	}
	if reason != ReasonNone && free() {
		return a.takeSlot()
	}
	e.Reason = ReasonPoolFull
	choice, wins := a.contest(&query{prio: r.prio, bus: -1}, r, &e)
	switch {
	case !wins:
		return a.refuse(c, &e, whole)
	case a.virtuals != nil:
		a.demote(choice, e, r.prio, whole)
	default:
		a.steal(choice, &e)
	}
	return a.takeSlot()
}

// seat makes public where a voice is.
func (a *audio) seat(i int) {
	s := a.at(i)
	a.reached[i] = s.voice.Position()
	a.positions[i].Store(a.reached[i])
	s.record.slot.Store(int32(i))
	s.record.seats.Add(1)
}

// unseat makes public where a voice has come to that leaves its place, before another
// one has it.
func (r *record) unseat(v *voice.Voice) {
	r.position.Store(v.Position())
	r.slot.Store(-1)
	r.seats.Add(1) // after it: who has counted it has seen that it left
}

// contest chooses who gives way to r, whose coming e tells of. Where nobody does, r
// does not win, and e says why it is refused.
func (a *audio) contest(q *query, r *record, e *Event) (c choice, wins bool) {
	// The limit of a group steals whatever the policy; a bus and the pool only
	// where the policy steals at all.
	policy := a.overflow
	if e.Reason == ReasonGroupLimit || policy == GrowPool {
		policy = StealQuietest
	}
	if policy == Reject {
		e.refuse(e.Reason, &c, -1)
		return c, false
	}
	quietest := policy == StealQuietest
	if e.Reason != ReasonPoolFull && a.virtuals != nil && (quietest || policy == StealMasked) {
		policy = stealForGood
	}
	if policy == StealMasked {
		a.mask(true)
	}
	c = a.choose(q, policy)
	switch {
	case c.slot < 0 && e.Reason == ReasonPoolFull:
		e.refuse(a.outranks(), &c, -1)
	case c.slot < 0:
		e.refuse(e.Reason, &c, -1)
	case a.refuses && quietest && e.Reason != ReasonGroupLimit &&
		a.scores.prio[c.slot] == r.prio && float64(4*e.powers.newcomer) < c.audibility:
		e.refuse(ReasonQuieter, &c, c.audibility)
	default:
		return c, true
	}
	return c, false
}

// refuse makes what was to be said of a victim what is to be said of the newcomer.
func (e *Event) refuse(why Reason, c *choice, runnerUp float64) {
	own := e.powers.newcomer
	*e = Event{
		Kind: EventRejected, Reason: why, Bus: e.Bus, powers: powers{audibility: own, newcomer: own, runnerUp: runnerUp},
		Candidates: c.candidates, Peers: c.peers,
	}
}

// outranks says why no voice can be taken.
func (a *audio) outranks() Reason {
	for _, prio := range a.scores.prio[:a.base] {
		if prio < unstealable {
			return ReasonOutranked
		}
	}
	return ReasonProtected
}

// steal ends a voice for somebody else, leaving its tail.
func (a *audio) steal(c choice, e *Event) {
	s := a.at(c.slot)
	a.weigh(e, c)
	e.Kind = EventStolen
	if c.slot < a.base {
		a.leaveTail(s, a.now)
	}
	a.finish(c.slot, a.now, e)
}

// weigh notes what decided a choice.
func (a *audio) weigh(e *Event, c choice) {
	s := a.at(c.slot)
	e.powers = powers{c.audibility, e.powers.newcomer, c.runnerUp, a.lost(s)}
	e.RunnerUpPriority, e.Candidates, e.Peers, e.Policy, e.Priority = c.next, c.candidates, c.peers, a.overflow, s.prio
}
