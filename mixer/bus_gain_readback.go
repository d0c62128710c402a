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

// at returns the frame of the mix where the gain is set. While the gain belongs to a batch that has not fired, known
// is false, and the frame has no meaning.
func (g *scheduledGain) at() (frame int64, known bool) {
	if g.batch == nil {
		return g.frame, true
	}
	base, fired := g.batch.Base()
	return base + g.frame, fired
}

// record records l, a command that sets the gain of a bus, so that Bus.Gain can return the gain. If l.frame is Now,
// the gain is set at next, the frame where a command of Now takes effect. A gain for a frame up to 50 ms after next
// counts as set at once. Other gains, and gains of a batch, wait in g.scheduled. If this list is full, its oldest gain
// is dropped.
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

// apply makes l the current gain of its bus, unless a gain for a later frame was applied before. l.frame must be a
// frame of the mix.
func (g *gainReadback) apply(l *scheduledGain) {
	if l.frame >= g.setAt[l.bus] {
		g.current[l.bus], g.setAt[l.bus] = l.gain, l.frame
	}
}

// horizon returns the last frame whose gains count as set: g.lookahead, 50 ms, after next. next is the frame where a
// command of Now takes effect. Callers plan a few milliseconds ahead, and they expect to read the gain that they set.
func (g *gainReadback) horizon(next int64) int64 { return next + g.lookahead }

// applyDue applies the scheduled gains that are due, in the order of their frames, and removes them from the list.
// They are due if their frame is at most 50 ms after next, the frame where a command of Now takes effect. Gains of
// batches that have not fired stay.
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

// cancel removes the gains of batch s that are scheduled but not due, because the batch is dropped. Gains that are due
// are applied first. next is the frame where a command of Now takes effect.
func (g *gainReadback) cancel(s *Batch, next int64) {
	g.applyDue(next)
	g.scheduled = slices.DeleteFunc(g.scheduled, func(l scheduledGain) bool { return l.batch == s })
}
