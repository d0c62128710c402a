package mixer

// growth is the state of a pool that grows.
type growth struct {
	step, max int   // step 0: it does not grow
	idle      int64 // frames without need until it contracts
	needed    int64 // the last frame at which it was needed so large
	peak      int   // the most voices since the grid was last passed
}

// extend grows a full pool by a step, and reports whether there is a free voice now.
func (a *audio) extend() bool {
	a.grow.needed = a.now
	limit := min(a.slots.Limit()+a.grow.step, a.grow.max)
	if limit > a.slots.Limit() {
		a.setLimit(limit)
	}
	return a.free()
}

// contract takes the last step back when it has not been needed for long.
func (a *audio) contract() {
	peak := max(a.grow.peak, a.slots.Len())
	a.grow.peak = a.slots.Len()
	limit := a.slots.Limit()
	smaller := max(limit-a.grow.step, a.wanted)
	if smaller >= limit || peak > smaller {
		a.grow.needed = a.now
		return
	}
	if a.now-a.grow.needed >= a.grow.idle {
		a.setLimit(smaller)
		a.grow.needed = a.now
	}
}

// contractUntil does what contract does at each hop between now and a frame while nothing plays.
func (a *audio) contractUntil(frame int64) {
	every := max((a.grow.idle+a.hop-1)/a.hop*a.hop, a.hop)
	at := max((a.grow.needed+a.grow.idle+a.hop-1)/a.hop*a.hop, a.now+a.hop)
	for ; at < frame && a.slots.Limit() > a.wanted; at += every {
		a.setLimit(max(a.slots.Limit()-a.grow.step, a.wanted))
		a.grow.needed = at
	}
}

// resize moves the limit to n.
func (a *audio) resize(n int) {
	a.wanted = n
	a.setLimit(n)
	a.shrink()
}

// shrink takes what plays beyond the limit, but for what is protected.
func (a *audio) shrink() {
	policy := a.overflow
	if policy == Reject || policy == GrowPool {
		policy = StealQuietest
	}
	q := query{prio: MaxPriority, bus: -1}
	for a.slots.Len() > a.slots.Limit() {
		a.freshen(true)
		if policy == StealMasked {
			a.mask(false)
		}
		var c choice
		a.choose(&c, &q, policy)
		if c.slot < 0 {
			return
		}
		a.demote(&c, &Event{Reason: ReasonResize}, MaxPriority, 0)
	}
}

func (a *audio) setLimit(n int) {
	if err := a.slots.SetLimit(n); err != nil {
		panic("mixer: a limit that was checked is refused")
	}
	a.stats.Voices = int64(n)
}

// seatsTaken notes how many voices live, which has grown.
func (a *audio) seatsTaken() {
	a.stats.HighWater = max(a.stats.HighWater, int64(a.slots.Len()))
	a.grow.peak = max(a.grow.peak, a.slots.Len())
}
