package mixer

import (
	"cmp"
	"slices"

	"voicepool/pcm"
)

// gainReadback tracks the gains of the buses on the control side, including gains for later frames and
// batches. Under the mutex.
type gainReadback struct {
	current      []pcm.Decibels  // by bus
	setAt        []int64         // by bus: the frame at which it was set
	scheduled    []scheduledGain // in the order of the calls
	maxScheduled int             // maximum length of scheduled: Config.Commands
	due          []scheduledGain // scratch space of applyDue
	lookahead    int64           // see horizon; frames
}

// scheduledGain is a gain that is set at a frame, or at an offset from the firing of a batch.
type scheduledGain struct {
	batch *Batch // may be nil
	frame int64
	bus   uint16
	gain  pcm.Decibels
}

// at returns the frame of the mix where the gain is set; known is false while its batch has not fired, and the frame
// is meaningless then.
func (g *scheduledGain) at() (frame int64, known bool) {
	if g.batch == nil {
		return g.frame, true
	}
	base, fired := g.batch.Base()
	return base + g.frame, fired
}

// record records l, a command that sets the gain of a bus; its frame may be Now. next is the frame where a command of
// Now takes effect. A gain up to horizon(next) counts as set at once. If too many gains are scheduled, the oldest is
// dropped.
func (g *gainReadback) record(l scheduledGain, next int64) {
	g.applyDue(next)
	if l.frame == Now {
		l.frame = next
	}
	if l.batch == nil && l.frame <= g.horizon(next) {
		g.apply(&l)
		return
	}
	if len(g.scheduled) >= g.maxScheduled { // the oldest entry belongs to a batch that was dropped
		g.scheduled = slices.Delete(g.scheduled, 0, 1)
	}
	g.scheduled = append(g.scheduled, l)
}

// apply makes l, whose frame is absolute, the current gain of its bus, unless a gain for a later frame was applied.
func (g *gainReadback) apply(l *scheduledGain) {
	if l.frame >= g.setAt[l.bus] {
		g.current[l.bus], g.setAt[l.bus] = l.gain, l.frame
	}
}

// horizon returns the last frame whose gains count as set: 50 ms after next, because callers plan a few milliseconds
// ahead. next is the frame where a command of Now takes effect.
func (g *gainReadback) horizon(next int64) int64 { return next + g.lookahead }

// applyDue applies the scheduled gains up to horizon(next), in the order of their frames.
func (g *gainReadback) applyDue(next int64) {
	if len(g.scheduled) == 0 {
		return
	}
	due := g.due[:0]
	g.scheduled = slices.DeleteFunc(g.scheduled, func(l scheduledGain) bool {
		frame, known := l.at()
		if !known || frame > g.horizon(next) {
			return false
		}
		l.frame = frame
		due = append(due, l)
		return true
	})
	slices.SortStableFunc(due, func(a, b scheduledGain) int { return cmp.Compare(a.frame, b.frame) })
	for i := range due {
		g.apply(&due[i])
	}
	clear(due) // releases batches
	g.due = due
}

// cancel removes the scheduled gains of batch s that do not count as set yet. next is as in record.
func (g *gainReadback) cancel(s *Batch, next int64) {
	g.applyDue(next)
	g.scheduled = slices.DeleteFunc(g.scheduled, func(l scheduledGain) bool { return l.batch == s })
}
