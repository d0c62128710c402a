package mixer_test

import (
	"math"

	"voicepool/mixer"
	"voicepool/pcm"
)

// start decides the outcome of a Play.
func (x *model) start(p *modelPlay) {
	x.stats.Asked++
	if p.cancel {
		x.stats.Stopped++
		x.pass(p, mixer.EventStopped, mixer.StateStopped)
		return
	}
	g := p.group
	if g != nil && x.joins(p, g) {
		return
	}
	if g != nil && g.started && x.now-g.last < g.cooldown {
		x.rejectPlay(p, modelEvent{Kind: mixer.EventLimited, Reason: mixer.ReasonCooldown})
		return
	}
	if p.from >= p.sound.Frames() && !(p.o.Loop && p.sound.Loop().Frames() > 0) {
		x.stats.Ended++
		x.stats.SilentFrom = max(x.stats.SilentFrom, x.now)
		x.pass(p, mixer.EventEnded, mixer.StateEnded)
		return
	}
	if !x.makeRoom(p) {
		return
	}
	x.stats.Started++
	x.stats.Playing++
	x.stats.HighWater = max(x.stats.HighWater, x.stats.Playing)
	v := newModelVoice(p, x.now)
	v.number = uint64(x.stats.Started)
	p.number, p.voice, p.state = v.number, v, mixer.StatePlaying
	if p.lasts > 0 {
		v.endAt = x.now + p.lasts
	}
	if pitch := x.pitchOf(p.bus); pitch.from != 0 || pitch.to != 0 {
		v.shared = pitch
		v.plan(x.now)
	}
	v.byBus, v.byAll = x.held(p.bus), x.paused
	if v.paused() {
		v.held = x.now
		p.state = mixer.StatePaused
	}
	if g != nil {
		g.started, g.last, g.crowd = true, x.now, v
	}
	// Its Started event comes last and contains the slot of all preceding events. Ends in between would
	// belong to a start at its own frame, which does not occur.
	v.slot = x.next().Slot
	e := modelEvent{Kind: mixer.EventStarted, Voice: v.number}
	x.emit(p, e)
	x.slots[v.slot] = v
	x.peak = max(x.peak, x.live())
	x.rescore(v)
	for f := range p.dirty {
		switch {
		case p.ahead[f] != nil: // a command came last
			x.apply(v, f, *p.ahead[f], 0)
		case p.dirty[f]:
			x.apply(v, f, p.want[f], 0)
		}
	}
}

// live returns the number of voices.
func (x *model) live() (n int) {
	for _, v := range x.slots {
		if v != nil {
			n++
		}
	}
	return n
}

// pass counts a start that is over as it begins.
func (x *model) pass(p *modelPlay, kind mixer.EventKind, state mixer.State) {
	x.stats.Started++
	p.number, p.state = uint64(x.stats.Started), state
	x.emit(p, modelEvent{Kind: mixer.EventStarted, Slot: -1, Voice: p.number})
	x.emit(p, modelEvent{Kind: kind, Slot: -1, Voice: p.number})
}

// rejectPlay ends p, which gets no voice, with the outcome e.Kind: it counts the outcome and compares e with the next
// event of the mixer.
func (x *model) rejectPlay(p *modelPlay, e modelEvent) {
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
	x.emit(p, e)
}

// joins merges a start into the last voice of its group.
func (x *model) joins(p *modelPlay, g *modelGroup) bool {
	v := g.crowd
	if g.within == 0 || v == nil || x.now-g.last > g.within || v.play.voice != v || len(v.out) > 0 || v.self {
		return false
	}
	more := float64(p.o.Gain+p.o.Base.Gain) - float64(v.play.o.Gain+v.play.o.Base.Gain)
	v.crowdPower = min(v.crowdPower+math.Pow(10, more/10), g.most)
	over := x.smooth
	if !v.sounded {
		over = 0
	}
	v.crowd.ramp(x.now, 10*math.Log10(v.crowdPower), over)
	v.plan(x.now)
	x.rescore(v)
	e := modelEvent{Kind: mixer.EventCoalesced, By: v.number, BySound: v.sound, ByRef: v.play.o.Ref, ByGroup: g.g}
	x.rejectPlay(p, e)
	return true
}

// makeRoom steals at most one voice, which has to serve all limits.
func (x *model) makeRoom(p *modelPlay) bool {
	reason, inBus := mixer.ReasonNone, -1
	for b := p.bus; b >= 0; b = x.buses[b].parent {
		if limit := x.buses[b].limit; limit > 0 && x.playing(b) >= limit {
			reason, inBus = mixer.ReasonBusLimit, b
			break
		}
	}
	var inGroup *modelGroup
	if g := p.group; g != nil && g.limit > 0 {
		n := 0
		for _, v := range x.slots {
			if v != nil && v.play.group == g {
				n++
			}
		}
		if n >= g.limit {
			reason, inGroup = mixer.ReasonGroupLimit, g
		}
	}
	if reason == mixer.ReasonNone && x.live() >= x.limit {
		if x.config.Overflow == mixer.GrowPool && x.extend() {
			return true
		}
		reason = mixer.ReasonPoolFull
	}
	if reason == mixer.ReasonNone {
		return true
	}
	x.refreshScores()
	v := newModelVoice(p, x.now)
	newcomer := float64(x.scoreOf(v).audibility)
	policy := x.config.Overflow
	if reason == mixer.ReasonGroupLimit || policy == mixer.GrowPool {
		policy = mixer.StealQuietest
	}
	refused := modelEvent{Kind: mixer.EventLimited, Reason: reason, Audibility: pcm.FromPower(newcomer), Newcomer: pcm.FromPower(newcomer), RunnerUp: none}
	if reason == mixer.ReasonPoolFull {
		refused.Kind = mixer.EventRejected
	}
	if policy == mixer.Reject {
		x.rejectPlay(p, refused)
		return false
	}
	var among []*modelVoice
	for _, v := range x.slots {
		if v != nil && !v.protect && v.prio <= p.prio && (inGroup == nil || v.play.group == inGroup) && (inBus < 0 || x.below(v.play.bus, inBus)) {
			among = append(among, v)
		}
	}
	refused.Candidates = len(among)
	if len(among) == 0 {
		if reason == mixer.ReasonPoolFull {
			refused.Reason = mixer.ReasonProtected
			for _, v := range x.slots {
				if v != nil && !v.protect && (refused.Reason == mixer.ReasonProtected || int32(v.prio) < refused.RunnerUpPriority) {
					refused.Reason, refused.RunnerUpPriority = mixer.ReasonOutranked, int32(v.prio)
				}
			}
		}
		x.rejectPlay(p, refused)
		return false
	}
	victim, second := x.choose(among, policy)
	least := float64(victim.score.audibility)
	if x.config.RejectQuietest && policy == mixer.StealQuietest && reason != mixer.ReasonGroupLimit && victim.prio == p.prio {
		refuses := 4*newcomer < least
		if near(4*newcomer, least) {
			refuses = x.next().Reason == mixer.ReasonQuieter
		}
		if refuses {
			refused.Reason, refused.RunnerUp, refused.Peers = mixer.ReasonQuieter, pcm.FromPower(least), peers(victim, among)
			x.rejectPlay(p, refused)
			return false
		}
	}
	e := modelEvent{Reason: reason, By: uint64(x.stats.Started) + 1, BySound: p.sound, ByRef: p.o.Ref, Newcomer: pcm.FromPower(newcomer), NewcomerPriority: int32(p.o.Priority), NewcomerImportance: p.o.Importance}
	if p.group != nil {
		e.ByGroup = p.group.g
	}
	x.steal(victim, second, among, e)
	return true
}

// steal ends victim with a tail and compares the event, whose details come from second, the runner-up or nil, and
// from among, all candidates.
func (x *model) steal(victim, second *modelVoice, among []*modelVoice, e modelEvent) {
	e.Endless, e.Importance = victim.endless(), victim.play.o.Importance
	e.Kind, e.Audibility, e.RunnerUp, e.Candidates, e.Peers = mixer.EventStolen, pcm.FromPower(float64(victim.score.audibility)), none, len(among), peers(victim, among)
	if second != nil {
		e.RunnerUp, e.RunnerUpPriority = pcm.FromPower(float64(second.score.audibility)), int32(second.prio)
	}
	x.leaveTail(victim)
	x.finish(victim, e)
}

// peers returns the number of voices with the priority of a voice.
func peers(of *modelVoice, among []*modelVoice) (n int) {
	for _, v := range among {
		if v.prio == of.prio {
			n++
		}
	}
	return n
}

// choose returns the first two victims: by priority, policy and age. If rounding may decide between two,
// the mixer's choice is accepted.
func (x *model) choose(among []*modelVoice, policy mixer.Overflow) (least, second *modelVoice) {
	for _, v := range among {
		switch {
		case least == nil || x.before(v, least, policy):
			least, second = v, least
		case second == nil || x.before(v, second, policy):
			second = v
		}
	}
	got := x.next()
	if got.Kind != mixer.EventStolen || got.Voice == least.number {
		return least, second
	}
	for _, v := range among {
		if v.number != got.Voice || !x.tied(v, least, policy) {
			continue
		}
		x.ties++
		second = nil
		for _, w := range among {
			if w != v && (second == nil || x.before(w, second, policy)) {
				second = w
			}
		}
		return v, second
	}
	return least, second
}

// before reports whether v is a victim before w: by priority, then by policy, then by age.
func (x *model) before(v, w *modelVoice, policy mixer.Overflow) bool {
	a, b := v.score, w.score
	switch {
	case v.prio != w.prio:
		return v.prio < w.prio
	case policy == mixer.StealOldest:
		return v.number < w.number
	case policy == mixer.StealGain:
		if a.gain != b.gain {
			return a.gain < b.gain
		}
	case a.audibility != b.audibility:
		return a.audibility < b.audibility
	}
	return v.number < w.number
}

// tied reports whether two voices differ by rounding alone.
func (x *model) tied(v, w *modelVoice, policy mixer.Overflow) bool {
	a, b := v.score, w.score
	switch {
	case v.prio != w.prio || policy == mixer.StealOldest || a.twin == b.twin:
		return false
	case policy == mixer.StealGain:
		return (a.gain != 0 || b.gain != 0) && near(float64(a.gain), float64(b.gain)) // silence is exact
	case a.audibility == 0 && b.audibility == 0:
		return false
	}
	return near(float64(a.audibility), float64(b.audibility))
}

// refreshScores computes all scores at this frame.
func (x *model) refreshScores() {
	x.refresh()
	for _, v := range x.slots {
		x.rescore(v)
	}
}

// rescore computes the score of v; v may be nil.
func (x *model) rescore(v *modelVoice) {
	if v != nil {
		v.score = x.scoreOf(v)
	}
}

// scoreOf returns the audibility: the power of all gains times the index. The importance multiplies the scores that are
// compared.
func (x *model) scoreOf(v *modelVoice) modelScore {
	b := &x.buses[v.play.bus]
	power := v.reach(x.now).times(b.score).power()
	if b.quiet || b.direct.to == 0 {
		power = 0
	}
	e := v.sound.Envelope()
	heard, worth := power*e.At(v.pos>>32, v.looping()), math.Pow(10, float64(v.play.o.Importance)/10)
	s := modelScore{gain: float32(power * worth), audibility: float32(heard * worth), heard: float32(heard), twin: v.key(x.now)}
	s.twin.reach, s.twin.worth = b.score, worth
	return s
}

// extend grows the pool if possible.
func (x *model) extend() bool {
	x.needed = x.now
	x.limit = max(x.limit, min(x.limit+x.config.Grow.Step, x.config.Grow.Max))
	x.stats.Voices = int64(x.limit)
	return x.live() < x.limit
}

// contract shrinks a growing pool by a step if the smaller size was enough for the idle time.
func (x *model) contract() {
	if x.config.Overflow != mixer.GrowPool {
		return
	}
	peak := max(x.peak, x.live())
	x.peak = x.live()
	smaller := max(x.limit-x.config.Grow.Step, x.wanted)
	if smaller >= x.limit || peak > smaller {
		x.needed = x.now
		return
	}
	if x.now-x.needed >= x.frames(x.config.Grow.Idle) {
		x.limit, x.needed = smaller, x.now
		x.stats.Voices = int64(smaller)
	}
}

// resize steals voices beyond the new limit.
func (x *model) resize(n int) {
	x.wanted, x.limit, x.stats.Voices = n, n, int64(n)
	x.shrink()
}

// shrink steals voices beyond the limit, except protected ones.
func (x *model) shrink() {
	policy := x.config.Overflow
	if policy == mixer.Reject || policy == mixer.GrowPool {
		policy = mixer.StealQuietest
	}
	for x.live() > x.limit {
		x.refreshScores()
		var among []*modelVoice
		for _, v := range x.slots {
			if v != nil && !v.protect {
				among = append(among, v)
			}
		}
		if len(among) == 0 {
			return
		}
		victim, second := x.choose(among, policy)
		x.steal(victim, second, among, modelEvent{Reason: mixer.ReasonResize})
	}
}
