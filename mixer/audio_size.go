package mixer

import (
	"voicepool/mixer/internal/growth"
	"voicepool/mixer/internal/victim"
)

// poolSize decides how many slots the pool has.
type poolSize struct {
	a         *audio
	growth    growth.Growth
	requested int    // slots requested by Config.Voices or Resize
	seq       uint64 // the sequence number of the last executed Resize
}

// shrinkIfIdle shrinks a pool that has grown, if the smaller size would have been enough for a while. It must be called
// once per hop of 20 ms.
func (z *poolSize) shrinkIfIdle() {
	a := z.a
	z.set(z.growth.Shrink(a.voices.Limit(), a.voices.Len(), z.requested, a.now))
}

// resize sets the number of slots to n, which must be valid. If more voices play, the voices beyond n are stolen or
// become virtual. Protected voices stay, so the pool may keep more voices than n.
func (z *poolSize) resize(n int) {
	z.requested = n
	z.set(n)
	z.shrink()
}

// shrink steals voices, or makes them virtual, until the pool is within its limit. The policy of the mixer chooses
// them; for Reject and GrowPool the least audible voices are chosen. Protected voices stay, so the pool may stay above
// its limit.
func (z *poolSize) shrink() {
	a := z.a
	policy := a.overflow
	if policy == Reject || policy == GrowPool {
		policy = StealQuietest
	}
	q := query{prio: MaxPriority, bus: -1}
	for a.voices.Free() < 0 {
		a.scores.refreshScores(scopeAll)
		if policy == StealMasked {
			a.scores.scoreMasking(false)
		}
		var c victim.Choice
		a.scores.choose(&c, &q, keyOf(policy))
		if c.Slot < 0 {
			return
		}
		a.demote(&c, &audioEvent{Choice: eventChoice{Reason: ReasonResize}}, MaxPriority, 0)
	}
}

// set sets the limit of slots to n, which must be valid, and Stats.Voices. It steals no voice.
func (z *poolSize) set(n int) {
	a := z.a
	if n != a.voices.Limit() {
		a.voices.SetLimit(n)
	}
	a.stats.Voices = int64(n)
}

// updateHighWater raises Stats.HighWater and the peak of z.growth to the present number of real voices, if that number
// is higher. It must be called after a slot was taken.
func (z *poolSize) updateHighWater() {
	a := z.a
	a.stats.HighWater = max(a.stats.HighWater, int64(a.voices.Len()))
	z.growth.Use(a.voices.Len())
}
