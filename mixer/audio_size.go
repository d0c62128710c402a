package mixer

import "voicepool/mixer/internal/victim"

// growth is the state of a growing pool.
type growth struct {
	step, max int   // 0: the pool does not grow
	idle      int64 // frames without need before it shrinks
	neededAt  int64 // the last frame at which the present size was needed
	peak      int   // the maximum number of voices since the last frame of the grid
}

// growByStep grows the pool by growth.step slots, up to its maximum, and reports whether a slot is free then. It also
// records that the present size is needed now, which delays the next shrinking.
func (a *audio) growByStep() bool {
	a.growth.neededAt = a.now
	limit := min(a.slots.Limit()+a.growth.step, a.growth.max)
	if limit > a.slots.Limit() {
		a.setSlots(limit)
	}
	return a.free()
}

// shrinkIfIdle shrinks the pool by growth.step slots, but not below requestedSlots. It does so only if the smaller
// size would have been enough for the last growth.idle frames. It must be called once per hop of 20 ms, because it
// also begins a new measurement of growth.peak.
func (a *audio) shrinkIfIdle() {
	peak := max(a.growth.peak, a.slots.Len())
	a.growth.peak = a.slots.Len()
	limit := a.slots.Limit()
	smaller := max(limit-a.growth.step, a.requestedSlots)
	if smaller >= limit || peak > smaller {
		a.growth.neededAt = a.now
		return
	}
	if a.now-a.growth.neededAt >= a.growth.idle {
		a.setSlots(smaller)
		a.growth.neededAt = a.now
	}
}

// shrinkIfIdleUntil has the same effect as calling shrinkIfIdle once per hop of 20 ms until the given frame of the
// mix, while no voice plays.
func (a *audio) shrinkIfIdleUntil(frame int64) {
	every := max((a.growth.idle+a.hop-1)/a.hop*a.hop, a.hop)
	at := max((a.growth.neededAt+a.growth.idle+a.hop-1)/a.hop*a.hop, a.now+a.hop)
	for ; at < frame && a.slots.Limit() > a.requestedSlots; at += every {
		a.setSlots(max(a.slots.Limit()-a.growth.step, a.requestedSlots))
		a.growth.neededAt = at
	}
}

// resize sets the number of slots to n, which must be valid. If more voices play, the voices beyond n are stolen or
// become virtual. Protected voices stay, so the pool may keep more voices than n.
func (a *audio) resize(n int) {
	a.requestedSlots = n
	a.setSlots(n)
	a.shrink()
}

// shrink steals voices, or makes them virtual, until the pool is within its limit. The policy of the mixer chooses
// them; for Reject and GrowPool the least audible voices are chosen. Protected voices stay, so the pool may stay above
// its limit.
func (a *audio) shrink() {
	policy := a.overflow
	if policy == Reject || policy == GrowPool {
		policy = StealQuietest
	}
	q := query{prio: MaxPriority, bus: -1}
	for a.slots.Len() > a.slots.Limit() {
		a.refreshScores(scopeAll)
		if policy == StealMasked {
			a.scoreMasking(false)
		}
		var c victim.Choice
		a.choose(&c, &q, keyOf(policy))
		if c.Slot < 0 {
			return
		}
		a.demote(&c, &audioEvent{Choice: eventChoice{Reason: ReasonResize}}, MaxPriority, 0)
	}
}

// setSlots sets the limit of slots to n, which must be valid, and Stats.Voices. It steals no voice.
func (a *audio) setSlots(n int) {
	if err := a.slots.SetLimit(n); err != nil {
		panic("mixer: a limit that was checked is refused")
	}
	a.stats.Voices = int64(n)
}

// updateHighWater raises Stats.HighWater and growth.peak to the present number of real voices, if that number is
// higher. It must be called after a slot was taken.
func (a *audio) updateHighWater() {
	a.stats.HighWater = max(a.stats.HighWater, int64(a.slots.Len()))
	a.growth.peak = max(a.growth.peak, a.slots.Len())
}
