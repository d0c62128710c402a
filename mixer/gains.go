package mixer

import (
	"cmp"
	"slices"

	"voicepool/pcm"
)

// gains tracks the gains of the buses on the control side, including gains for later frames and salvos.
// Under the mutex.
type gains struct {
	now   []pcm.Decibels // by bus
	since []int64        // by bus: the frame at which it was set
	later []laterGain    // in the order of the calls
	most  int            // maximum length of later: Config.Commands
	due   []laterGain    // scratch space of settle
	ahead int64          // see soon; frames
}

// laterGain is a gain that is set at a frame, or at an offset from the firing of a salvo.
type laterGain struct {
	salvo *Salvo // may be nil
	frame int64
	bus   uint16
	gain  pcm.Decibels
}

// at returns the frame of the set; known is false while its salvo is not fired.
func (g *laterGain) at() (frame int64, known bool) {
	if g.salvo == nil {
		return g.frame, true
	}
	base, fired := g.salvo.Base()
	return base + g.frame, fired
}

// set records a command that sets a gain. next is the frame of a command of now.
func (g *gains) set(l laterGain, next int64) {
	g.settle(next)
	if l.frame == Now {
		l.frame = next
	}
	if l.salvo == nil && l.frame <= g.soon(next) {
		g.act(&l)
		return
	}
	if len(g.later) >= g.most { // the oldest entry belongs to a salvo that was dropped
		g.later = slices.Delete(g.later, 0, 1)
	}
	g.later = append(g.later, l)
}

// act applies a gain unless a later one was applied.
func (g *gains) act(l *laterGain) {
	if l.frame >= g.since[l.bus] {
		g.now[l.bus], g.since[l.bus] = l.gain, l.frame
	}
}

// soon returns the frame up to which a gain counts as set. It is slightly ahead of next for callers that
// plan a few milliseconds ahead.
func (g *gains) soon(next int64) int64 { return next + g.ahead }

// settle applies the gains that are due.
func (g *gains) settle(next int64) {
	if len(g.later) == 0 {
		return
	}
	due := g.due[:0]
	g.later = slices.DeleteFunc(g.later, func(l laterGain) bool {
		frame, known := l.at()
		if !known || frame > g.soon(next) {
			return false
		}
		l.frame = frame
		due = append(due, l)
		return true
	})
	slices.SortStableFunc(due, func(a, b laterGain) int { return cmp.Compare(a.frame, b.frame) })
	for i := range due {
		g.act(&due[i])
	}
	clear(due) // releases salvos
	g.due = due
}

// drop removes the pending gains of a salvo.
func (g *gains) drop(s *Salvo, next int64) {
	g.settle(next)
	g.later = slices.DeleteFunc(g.later, func(l laterGain) bool { return l.salvo == s })
}
