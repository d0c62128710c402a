package mixer

import "voicepool/pool"

// start decides what becomes of a Play, at its frame: cooldown, limit of the
// group, limit of the bus, pool.
func (a *audio) start(c *command) {
	id := c.record
	r := a.m.record(id)
	a.stats.Asked++
	if r.cancel == id { // stopped before it began
		a.stats.Stopped++
		a.pass(r, id, Stopped, StoppedState)
		return
	}
	g := r.group
	if g != nil && g.started && a.now-g.last < g.cooldown {
		a.turnAway(c, Event{Kind: Limited, Reason: Cooldown})
		return
	}
	if r.silent() {
		a.stats.Ended++
		a.silentFrom(a.now)
		a.pass(r, id, Ended, EndedState)
		return
	}
	if !a.makeRoom(c, r) {
		return
	}
	handle, s, ok := a.slots.Acquire()
	if !ok {
		panic("mixer: no free voice after one was made free")
	}
	i := handle.Slot()
	a.stats.Started++
	*s = slot{
		record: r, id: id, group: g, tag: r.tag, number: uint64(a.stats.Started), seq: c.seq,
		began: a.now, endAt: never, bus: r.bus,
	}
	if r.lasts > 0 {
		s.endAt = a.now + r.lasts
	}
	s.voice.Start(r.sound, r.options, a.now)
	b := &a.buses[r.bus]
	if b.pitched(a.now) {
		s.voice.SetShared(a.now, b.pitch)
	}
	r.live, r.slot = id, i
	r.number.Store(s.number)
	r.state.Store(uint32(Playing))
	if g != nil {
		g.playing++
		g.started, g.last = true, a.now
	}
	b.playing++
	if b.paused {
		s.paused |= pausedBus
	}
	if a.paused {
		s.paused |= pausedAll
	}
	if s.paused == 0 {
		b.enter()
	} else {
		s.held = a.now
		r.state.Store(uint32(Paused))
	}
	a.scores.set(i, r.prio, s.number, r.protect)
	a.rescore(i)
	if fields := wants(r.dirty.Load()); fields != 0 {
		a.moveTo(r, fields, 0)
	}
	a.stats.Playing++
	a.stats.HighWater = max(a.stats.HighWater, a.stats.Playing)
	a.grow.peak = max(a.grow.peak, a.slots.Len())
	a.emit(Event{Frame: a.now, Kind: Started, Slot: i, Voice: s.number, Sound: r.sound, Group: g, Ref: r.ref})
}

// silent reports whether there is nothing to play: an empty sound, or one that
// begins at its end.
func (r *record) silent() bool {
	from, to := r.sound.Loop()
	return r.options.From >= r.sound.Frames() && !(r.options.Loop && to > from)
}

// pass counts a start that is over as it begins. It takes no voice.
func (a *audio) pass(r *record, id pool.Handle, kind Kind, state State) {
	a.stats.Started++
	number := uint64(a.stats.Started)
	r.number.Store(number)
	e := Event{Frame: a.now, Kind: Started, Slot: -1, Voice: number, Sound: r.sound, Group: r.group, Ref: r.ref}
	a.emit(e)
	e.Kind = kind
	a.emit(e)
	a.giveBack(r, id, state)
}

// turnAway ends a start that gets no voice.
func (a *audio) turnAway(c *command, e Event) {
	r := a.m.record(c.record)
	e.Frame, e.Slot, e.Sound, e.Group, e.Ref = a.now, -1, r.sound, r.group, r.ref
	state := RejectedState
	if e.Kind == Limited {
		a.stats.Limited++
		state = LimitedState
	} else {
		a.stats.Rejected++
	}
	a.emit(e)
	a.giveBack(r, c.record, state)
}

// makeRoom sees to it that there is a free voice for r, taking at most one
// victim, which must serve every limit that is reached. It reports whether
// there is one; if not, it has said why.
func (a *audio) makeRoom(c *command, r *record) bool {
	q := query{prio: r.prio, bus: -1}
	reason := NoReason
	if b := &a.buses[r.bus]; b.limit > 0 && b.playing >= b.limit {
		reason, q.bus = BusLimit, int(r.bus)
	}
	if g := r.group; g != nil && g.limit > 0 && g.playing >= g.limit {
		reason, q.group = GroupLimit, g
	}
	if reason == NoReason && a.slots.Len() >= a.slots.Limit() {
		if a.overflow == GrowPool && a.extend() {
			return true
		}
		reason = PoolFull
	}
	if reason == NoReason {
		return true
	}
	newcomer := a.newcomer(r)
	// The limit of a group steals whatever the policy; a bus and the pool only
	// where the policy steals at all.
	policy := a.overflow
	if reason == GroupLimit || policy == GrowPool {
		policy = StealQuietest
	}
	refused := Event{Kind: Limited, Reason: reason, Audibility: newcomer, Newcomer: newcomer, RunnerUp: -1}
	if reason == PoolFull {
		refused.Kind = Rejected
	}
	if policy == Reject {
		a.turnAway(c, refused)
		return false
	}
	choice := a.choose(&q, policy)
	refused.Candidates = choice.candidates
	if choice.slot < 0 {
		if reason == PoolFull {
			refused.Reason = a.outranks()
		}
		a.turnAway(c, refused)
		return false
	}
	victim := float64(a.scores.audibility[choice.slot])
	if a.refuse && policy == StealQuietest && reason != GroupLimit &&
		a.scores.prio[choice.slot] == r.prio && float64(4*newcomer) < victim {
		refused.Kind, refused.Reason, refused.RunnerUp = Rejected, Quieter, victim
		a.turnAway(c, refused)
		return false
	}
	a.steal(choice, Event{
		Reason: reason, By: uint64(a.stats.Started) + 1, BySound: r.sound, ByGroup: r.group, ByRef: r.ref,
		Newcomer: newcomer,
	})
	return true
}

// outranks says why no voice can be taken.
func (a *audio) outranks() Reason {
	for _, prio := range a.scores.prio {
		if prio < unstealable {
			return Outranked
		}
	}
	return AllProtected
}

// steal takes a voice's slot, leaving its tail.
func (a *audio) steal(c choice, e Event) {
	s := a.slots.At(c.slot)
	e.Kind, e.Audibility, e.RunnerUp, e.Candidates = Stolen, float64(a.scores.audibility[c.slot]), -1, c.candidates
	if c.second >= 0 {
		e.RunnerUp = float64(a.scores.audibility[c.second])
	}
	a.leaveTail(s, a.now)
	a.finish(c.slot, a.now, e)
}
