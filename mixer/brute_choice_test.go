package mixer_test

import (
	"math"
	"slices"

	"voicepool/mixer"
	"voicepool/pcm"
)

// start decides the outcome of a Play: coalescing, cooldown, limits, pool.
func (x *brute) start(p *brutePlay) {
	x.stats.Asked++
	v := newBruteVoice(p, min(int64(p.o.From.Milliseconds())*x.rate/1000, p.sound.frames))
	g := p.group
	if g != nil && g.within > 0 && g.first != nil && x.now-g.last <= g.within {
		w := g.first
		if w.play.voice == w && w.stopped == nil && !w.paused[0] && !w.virtual() {
			more := float64(p.o.Gain + p.o.Base.Gain - w.play.o.Gain - w.play.o.Base.Gain)
			w.crowd = min(w.crowd+math.Pow(10, more/10), g.most)
			x.rejectPlay(p, modelEvent{Kind: mixer.EventCoalesced, By: w.number, BySound: w.play.sound.sound, ByRef: w.play.o.Ref, ByGroup: g.g})
			return
		}
	}
	if g != nil && g.started && x.now-g.last < g.cooldown {
		x.rejectPlay(p, modelEvent{Kind: mixer.EventLimited, Reason: mixer.ReasonCooldown})
		return
	}
	if v.pos>>32 >= p.sound.frames && !v.loop {
		p.number = uint64(x.stats.Started) + 1
		x.stats.Started++
		x.stats.Ended++
		p.state = mixer.StateEnded
		x.expectEvent(p, modelEvent{Kind: mixer.EventStarted, Slot: -1, Voice: p.number})
		x.expectEvent(p, modelEvent{Kind: mixer.EventEnded, Slot: -1, Voice: p.number})
		return
	}
	waits, ok := x.makeRoom(v)
	if !ok {
		return
	}
	x.stats.Started++
	x.stats.Playing++
	v.number = uint64(x.stats.Started)
	p.number, p.voice = v.number, v
	if p.o.For > 0 {
		v.endAt = x.now + max(int64(p.o.For.Milliseconds())*x.rate/1000, 1)
	}
	for b := p.bus; b >= 0; b = x.buses[b].parent {
		v.paused[1] = v.paused[1] || x.buses[b].paused
	}
	v.paused[2] = x.paused
	v.held = x.now
	if g != nil {
		g.started, g.last, g.first = true, x.now, v
	}
	if waits != nil {
		v.slot = -1
		x.expectEvent(p, modelEvent{Kind: mixer.EventStarted, Slot: -1, Voice: v.number})
		waits.Kind, waits.Slot, waits.Voice, waits.Priority, waits.Endless = mixer.EventVirtual, -1, v.number, int32(v.prio), v.endless()
		waits.Importance = p.o.Importance
		x.expectEvent(p, *waits)
	} else {
		v.slot = x.freeSlot(mixer.EventStarted, v.number)
		x.expectEvent(p, modelEvent{Kind: mixer.EventStarted, Voice: v.number})
	}
	x.voices = append(x.voices, v)
	x.updateHighWater()
	v.show()
}

// freeSlot returns the slot in the mixer's event. Every free slot is accepted.
func (x *brute) freeSlot(k mixer.EventKind, number uint64) int {
	e := x.next()
	if e.Kind != k || e.Voice != number {
		x.fatal("frame %d: the mixer says %v, by brute force voice %d is %v\n%s", x.now, describe([]modelEvent{e}), number, k, x.living())
	}
	if e.Slot < 0 || e.Slot >= x.config.MaxVoices || x.count(func(v *bruteVoice) bool { return v.slot == e.Slot }) > 0 {
		x.fatal("frame %d: voice %d gets slot %d, which is not free", x.now, number, e.Slot)
	}
	return e.Slot
}

// rejectPlay ends p, which gets no voice, with the outcome e.Kind: it counts the outcome and compares e with the next
// event of the mixer.
func (x *brute) rejectPlay(p *brutePlay, e modelEvent) {
	e.Slot, e.NewcomerPriority, e.NewcomerImportance = -1, int32(p.o.Priority), p.o.Importance
	switch e.Kind {
	case mixer.EventLimited:
		x.stats.Limited++
		p.state = mixer.StateLimited
	case mixer.EventCoalesced:
		x.stats.Coalesced++
		p.state = mixer.StateCoalesced
	default:
		x.stats.Rejected++
		p.state = mixer.StateRejected
	}
	x.expectEvent(p, e)
}

// hasRoom reports whether a slot is free, after growing the pool if possible.
func (x *brute) hasRoom() bool {
	if x.count(hasSlot) < x.limit {
		return true
	}
	if x.config.Overflow != mixer.GrowPool {
		return false
	}
	x.needed = x.now
	if larger := min(x.limit+x.config.Grow.Step, x.config.Grow.Max); larger > x.limit {
		x.limit = larger
		x.choices["grow"]++
	}
	return x.count(hasSlot) < x.limit
}

// by stores the start that causes an event.
func (x *brute) by(e modelEvent, v *bruteVoice) modelEvent {
	e.By, e.BySound, e.ByRef, e.NewcomerPriority = uint64(x.stats.Started)+1, v.play.sound.sound, v.play.o.Ref, int32(v.prio)
	e.NewcomerImportance = v.play.o.Importance
	if v.play.group != nil {
		e.ByGroup = v.play.group.g
	}
	return e
}

// makeRoom finds a slot for an incoming start. If the start can only be virtual, it returns the event for
// that. ok is false if the start is refused; the event has been checked then.
func (x *brute) makeRoom(v *bruteVoice) (waits *modelEvent, ok bool) {
	in, reason := func(*bruteVoice) bool { return true }, mixer.ReasonNone
	for b := v.bus; b >= 0; b = x.buses[b].parent {
		onIt := func(w *bruteVoice) bool { return x.below(w.bus, b) }
		if limit := x.buses[b].limit; limit > 0 && x.count(onIt) >= limit {
			in, reason = onIt, mixer.ReasonBusLimit // the lowest bus serves all buses above it
			break
		}
	}
	if g := v.play.group; g != nil && g.limit > 0 {
		if x.count(v.like) >= g.limit {
			both := in
			in, reason = func(w *bruteVoice) bool { return both(w) && v.like(w) }, mixer.ReasonGroupLimit
			if g.o.PerOwner {
				x.choices["an owner's limit"]++
			}
		}
	}
	if reason != mixer.ReasonNone {
		// The victim of a limit is lost for good: its whole remainder counts, and virtual voices are
		// candidates.
		policy := x.config.Overflow
		switch {
		case reason == mixer.ReasonGroupLimit:
			policy = v.play.group.o.Full
			x.choices["limit, "+policy.String()]++
		case policy == mixer.GrowPool || policy == mixer.StealMasked:
			policy = mixer.StealQuietest
		}
		score := x.scoreOf(policy, v)
		loud := x.level
		if policy == mixer.StealQuietest {
			score, loud = x.best, x.best
		}
		victim, e, refused := x.contest(v, reason, policy, in, score, loud, x.best(v))
		if victim == nil {
			refused.Kind = mixer.EventLimited
			x.rejectPlay(v.play, refused)
			return nil, false
		}
		if refused := x.refuses(v, victim); refused != nil {
			x.choices["a limit's victim stays"]++
			x.rejectPlay(v.play, *refused)
			return nil, false
		}
		x.choices[reason.String()]++
		if victim.virtual() {
			x.choices["a virtual one by a limit"]++
		}
		e.Kind = mixer.EventStolen
		x.finish(victim, e)
	}
	if x.hasRoom() {
		return nil, true
	}
	policy, victim, e, refused := x.pool(v)
	switch {
	case victim == nil && !x.keeps(v):
		x.rejectPlay(v.play, refused)
		return nil, false
	case victim == nil:
		return x.wait(v, refused)
	case x.isLess(v, victim, policy):
		x.choices["less than all"]++
		return x.wait(v, modelEvent{
			Kind: mixer.EventRejected, Reason: mixer.ReasonQuieter, Audibility: e.Newcomer, Newcomer: e.Newcomer, RunnerUp: e.Audibility,
			Candidates: e.Candidates, Peers: e.Peers,
		})
	}
	x.choices["pool, "+policy.String()]++
	if victim.prio < v.prio {
		x.choices["a lower priority"]++
	}
	x.giveWay(victim, e, v.prio, x.best(v))
	return nil, true
}

// isLess reports whether an incoming start becomes virtual, because its next 20 ms are less audible
// than the victim's.
func (x *brute) isLess(v, victim *bruteVoice, policy mixer.Overflow) bool {
	if policy != mixer.StealQuietest || !x.keeps(v) || victim.prio != v.prio {
		return false
	}
	own, least := x.level(v), x.level(victim)
	if least != 0 && tied(own, least) { // the mixer may decide otherwise
		said := func(e modelEvent) bool {
			return e.Kind == mixer.EventStarted && e.Ref == v.play.o.Ref && e.Slot < 0
		}
		return said(x.next()) || len(x.events) > 1 && said(x.events[1])
	}
	if own >= least {
		return false
	}
	if !x.hides(v) {
		_, _, worse := x.outlasted(v)
		return !worse
	}
	return true
}

// pool chooses the victim for an incoming start that needs a slot.
func (x *brute) pool(v *bruteVoice) (policy mixer.Overflow, victim *bruteVoice, e, refused modelEvent) {
	if policy = x.config.Overflow; policy == mixer.GrowPool {
		policy = mixer.StealQuietest
	}
	victim, e, refused = x.contest(v, mixer.ReasonPoolFull, policy, hasSlot, x.scoreOf(policy, v), x.level, x.level(v))
	return policy, victim, e, refused
}

// refuses returns the event of the refusal if the pool has no slot for an incoming start, even without
// the victim of a limit; otherwise nil. It restores all state.
func (x *brute) refuses(v, without *bruteVoice) (said *modelEvent) {
	voices, events, limit := x.voices, x.events, x.limit
	defer func() {
		if x.voices, x.events = voices, events; said == nil {
			x.limit = limit // it grows later
		}
	}()
	x.voices = x.among(func(w *bruteVoice) bool { return w != without })
	if e := x.next(); e.Kind == mixer.EventStolen && e.Voice == without.number {
		x.events = events[1:]
	}
	if x.hasRoom() {
		return nil
	}
	_, victim, _, refused := x.pool(v)
	if victim != nil || x.keeps(v) {
		if victim != nil || x.hides(v) {
			return nil
		}
		if _, _, worse := x.outlasted(v); !worse {
			return nil
		}
	}
	return &refused
}

// contest chooses the victim for an incoming start, or returns the event of the refusal.
func (x *brute) contest(v *bruteVoice, why mixer.Reason, policy mixer.Overflow, in func(*bruteVoice) bool, score, loud func(*bruteVoice) float64, own float64) (*bruteVoice, modelEvent, modelEvent) {
	refused := modelEvent{Kind: mixer.EventRejected, Reason: why, Audibility: pcm.FromPower(own), Newcomer: pcm.FromPower(own), RunnerUp: none}
	if policy == mixer.Reject {
		x.choices["reject"]++
		return nil, refused, refused
	}
	may := func(w *bruteVoice) bool { return in(w) && !w.protect && w.prio <= v.prio }
	spared := func(w *bruteVoice) bool {
		return v.play.group != nil && v.play.group.o.Full == mixer.Reject && v.like(w)
	}
	victim, e := x.choose(x.among(func(w *bruteVoice) bool { return may(w) && !spared(w) }), x.reportedVictim(), score, loud)
	if victim == nil && why == mixer.ReasonPoolFull && x.count(may) > 0 {
		x.choices["its like alone"]++
		return nil, refused, refused
	}
	if victim == nil {
		if why == mixer.ReasonPoolFull {
			refused.Reason = mixer.ReasonProtected
			for _, w := range x.among(func(w *bruteVoice) bool { return !w.virtual() && !w.protect }) {
				if prio := int32(w.prio); refused.Reason != mixer.ReasonOutranked || prio < refused.RunnerUpPriority {
					refused.Reason, refused.RunnerUpPriority = mixer.ReasonOutranked, prio
				}
			}
		}
		x.choices[refused.Reason.String()+", nobody"]++
		return nil, refused, refused
	}
	if x.config.RejectQuietest && why != mixer.ReasonGroupLimit && victim.prio == v.prio {
		least := loud(victim)
		refuses := 4*own < least
		if tied(4*own, least) {
			kind := mixer.EventLimited
			if why == mixer.ReasonPoolFull {
				kind = mixer.EventRejected
			}
			said := func(e modelEvent) bool {
				return e.Reason == mixer.ReasonQuieter && e.Ref == v.play.o.Ref && e.Kind == kind
			}
			refuses = said(x.next()) || len(x.events) > 1 && said(x.events[1])
		}
		if refuses {
			x.choices["quieter"]++
			refused.Reason, refused.RunnerUp, refused.Candidates, refused.Peers = mixer.ReasonQuieter, e.Audibility, e.Candidates, e.Peers
			return nil, e, refused
		}
	}
	e = x.by(e, v)
	e.Reason, e.Newcomer = why, pcm.FromPower(own)
	return victim, e, refused
}

// giveWay takes the slot of a voice. If the voice becomes virtual and all places are in use, the
// least audible virtual voice, or the voice itself, is lost. prio and best belong to the incoming start.
func (x *brute) giveWay(victim *bruteVoice, e modelEvent, prio int, best float64) {
	if !x.keeps(victim) {
		e.Kind = mixer.EventStolen
		x.finish(victim, e)
		return
	}
	if !x.hides(victim) {
		lost, l := x.leastVirtual(victim, prio)
		if lost == nil || x.first([]*bruteVoice{lost, victim}, x.next().Voice, x.rising(x.best)) == victim {
			x.choices["the victim lost"]++
			e.Kind = mixer.EventStolen
			x.finish(victim, e)
			return
		}
		l.NewcomerPriority, l.NewcomerImportance = e.NewcomerPriority, e.NewcomerImportance
		if l.By, l.BySound, l.ByRef, l.ByGroup = e.By, e.BySound, e.ByRef, e.ByGroup; e.By != 0 {
			l.Newcomer = pcm.FromPower(best)
		}
		x.lose(lost, l)
	}
	x.choices["became virtual"]++
	e.Kind, e.Slot, e.Voice = mixer.EventVirtual, -1, victim.number
	victim.slot = -1
	victim.show()
	x.expectEvent(victim.play, e)
}

// shrink steals voices beyond the limit, except protected ones.
func (x *brute) shrink() {
	policy := x.config.Overflow
	if policy == mixer.Reject || policy == mixer.GrowPool {
		policy = mixer.StealQuietest
	}
	for x.count(hasSlot) > x.limit {
		victim, e := x.choose(x.among(func(v *bruteVoice) bool { return hasSlot(v) && !v.protect }), x.reportedVictim(), x.scoreOf(policy, nil), x.level)
		if victim == nil {
			return
		}
		x.choices["resize"]++
		e.Reason = mixer.ReasonResize
		x.giveWay(victim, e, mixer.MaxPriority, 0)
	}
}

// each applies do to voices in the order of the mixer.
func (x *brute) each(of func(*bruteVoice) bool, do func(*bruteVoice)) (found bool) {
	for _, v := range x.inPoolOrder(slices.Clone(x.among(of))) {
		found = true
		do(v)
	}
	return found
}
