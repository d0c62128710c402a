package mixer

import (
	"cmp"
	"slices"

	"voicepool/pcm"
)

// gains are the gains of the buses as the control side has set them: those of later frames, and of salvos,
// from there on. Under the mutex.
type gains struct {
	now   []pcm.Decibels // by bus
	since []int64        // the frames from which they are that
	later []laterGain    // in the order of the calls
	most  int            // of them: as many as there may be commands under way
	due   []laterGain    // room for settle
	ahead int64          // frames
}

// laterGain is a gain that a bus gets at a frame; of a salvo, so many frames after that is fired.
type laterGain struct {
	salvo *Salvo // nil: none
	frame int64
	bus   uint16
	gain  pcm.Decibels
}

// at returns the frame at which it acts; false: nobody knows yet.
func (g *laterGain) at() (frame int64, known bool) {
	if g.salvo == nil {
		return g.frame, true
	}
	base, fired := g.salvo.Base()
	return base + g.frame, fired
}

// set notes a gain that a command sets. next is the frame at which one of now acts.
func (g *gains) set(l laterGain, next int64) {
	g.settle(next)
	if l.frame == Now {
		l.frame = next
	}
	if l.salvo == nil && l.frame <= g.soon(next) {
		g.act(&l)
		return
	}
	if len(g.later) >= g.most { // the first is of a salvo that was dropped later
		g.later = slices.Delete(g.later, 0, 1)
	}
	g.later = append(g.later, l)
}

// act has a gain be set, unless another is that acts later.
func (g *gains) act(l *laterGain) {
	if l.frame >= g.since[l.bus] {
		g.now[l.bus], g.since[l.bus] = l.gain, l.frame
	}
}

// soon is the frame up to which a gain counts as set: somewhat ahead, for who plans a few milliseconds.
func (g *gains) soon(next int64) int64 { return next + g.ahead }

// settle has those be set that are due.
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
	clear(due) // it refers to salvos
	g.due = due
}

// drop forgets those of a salvo that have not acted.
func (g *gains) drop(s *Salvo, next int64) {
	g.settle(next)
	g.later = slices.DeleteFunc(g.later, func(l laterGain) bool { return l.salvo == s })
}
