package mixer

import (
	"slices"

	"voicepool/pool"
	"voicepool/voice"
)

// link is a pending successor.
type link struct {
	lead, next pool.Handle
	when       When
	at         int64 // the frame at which the lead leaves its loop; never: not in this stretch
}

// successor is a start whose lead is over.
type successor struct {
	link
	stopped bool // it never sounds
}

// chain holds the successors. Both lists have room for all commands under way, see queueBuffers.
type chain struct {
	links  []link
	ready  []successor
	handed *voice.Moves // the fades of the lead of the present start; nil without a lead
}

// link makes a start wait for the end of another one and replaces an earlier successor.
func (a *audio) link(c *command) {
	a.inFlight.uncomplete()
	*a.record(c.record).rare.Load().handed = voice.Moves{}
	l := link{lead: c.target.id, next: c.record, when: c.when, at: never}
	a.unlink(l.lead, false, nil)
	r := a.record(l.lead)
	state := r.status.state()
	switch own := pool.Handle(r.id.Load()) == l.lead; {
	case r.live == l.lead && a.at(r.status.index()).dying:
		a.ready = append(a.ready, successor{link: l, stopped: true})
	case r.live == l.lead || own && !state.Over():
		a.links = append(a.links, l)
	default: // it has ended already
		a.ready = append(a.ready, successor{link: l, stopped: own && state != StateEnded})
	}
}

// unlink makes the successor of a lead ready. The successor counts as stopped unless the lead ended by
// itself. moves are the fades of the lead; may be nil.
func (a *audio) unlink(lead pool.Handle, ended bool, moves *voice.Moves) {
	for i := range a.links {
		if l := a.links[i]; l.lead == lead {
			a.links = slices.Delete(a.links, i, i+1)
			if moves != nil {
				*a.record(l.next).rare.Load().handed = *moves
			}
			a.ready = append(a.ready, successor{link: l, stopped: !ended})
			return
		}
	}
}

// cancel stops a start that has not begun.
func (a *audio) cancel(r *record, id pool.Handle) {
	r.cancel = id
	for i := range a.links {
		if l := a.links[i]; l.next == id {
			a.links = slices.Delete(a.links, i, i+1)
			a.ready = append(a.ready, successor{link: l, stopped: true})
			return
		}
	}
}

// succeed starts the ready successors.
func (a *audio) succeed() {
	for i := 0; i < len(a.ready); i++ { // the list may grow
		s := &a.ready[i]
		r := a.record(s.next)
		if s.stopped {
			r.cancel = s.next
		}
		c := command{kind: cmdPlay, frame: a.now, record: s.next}
		r.settle()
		a.noteCommand(&c)
		a.handed = r.rare.Load().handed
		a.start(&c)
		a.handed = nil
		a.inFlight.complete()
	}
	a.ready = a.ready[:0]
}

// takeOver continues fades of the lead in the present start and returns their properties. It takes over
// long fades, and ramps of properties that were set on both to the same value. A property set to another
// value is kept.
func (a *audio) takeOver(r *record, id pool.Handle) (props propertySet) {
	if a.handed == nil {
		return 0
	}
	if f := r.filter(); f != nil && a.handed.HadFilter() {
		a.coming.AttachFilter(a.now, f, 0, 0) // for the cutoffs that it takes over
	}
	own := a.coming.Moves()
	goes := fadesByProperty(&own)
	overrides := r.overrides(id)
	lead := fadesByProperty(a.handed)
	for f, m := range goes {
		set := overrides != nil && overrides.props&(1<<f) != 0
		switch {
		case lead[f].End() <= a.now:
		case set && property(f).finalValue(overrides.values[f], a.rate) != lead[f].To:
		case set || lead[f].Frames > a.smooth:
			*m = *lead[f]
			props |= 1 << f
		}
	}
	if props&(1<<propLowPass) != 0 {
		own.LowPass = a.handed.LowPass
	}
	if props&(1<<propHighPass) != 0 {
		own.HighPass = a.handed.HighPass
	}
	if props != 0 {
		a.coming.SetMoves(a.now, &own)
	}
	a.coming.ContinueFilters(a.handed)
	return props
}

// noteTaken records the fades that a voice has taken over: their present values and their targets.
func (a *audio) noteTaken(i int, props propertySet) {
	moves := a.at(i).voice.Moves()
	for f, m := range fadesByProperty(&moves) {
		if props&(1<<f) == 0 {
			continue
		}
		is, goes := command{kind: cmdSet}, command{kind: cmdSet, over: m.End() - a.now, change: Change{Shape: m.Shape}}
		at, to := property(f).journalValues(&moves, a.now)
		is.change.put(property(f), at)
		goes.change.put(property(f), to)
		a.noteAct(i, &is)
		a.noteAct(i, &goes)
	}
}

// leave ends the voices that leave their loops at this frame for their successors.
func (a *audio) leave() {
	for i := 0; i < len(a.links); {
		if l := &a.links[i]; l.at == a.now {
			a.giveWay(a.record(l.lead).status.index()) // removes the link
		} else {
			i++
		}
	}
	a.succeed()
}

// giveWay ends a voice at this frame for its successor and records the cut in the journal.
func (a *audio) giveWay(i int) {
	a.noteAct(i, &command{kind: cmdStop, over: noTail})
	a.finish(i, a.now, EventEnded, &Event{})
}

// untilNext returns how many of n frames remain before the first voice with a successor ends.
func (a *audio) untilNext(n int64) int64 {
	for i := 0; i < len(a.links); {
		l := &a.links[i]
		l.at = never
		r := a.record(l.lead)
		i++
		if r.live != l.lead {
			continue
		}
		index := r.status.index()
		s := a.at(index)
		if s.paused != 0 {
			continue
		}
		left, wraps := s.voice.RemainingFrames(n, a.now, l.when == AtLoopEnd)
		switch {
		case left == 0: // a command moved it to its end
			a.giveWay(index)
			a.succeed()
			i = 0
			continue
		case wraps:
			l.at = a.now + left
		}
		n = min(n, left, s.endAt-a.now)
	}
	return n
}

// untilEnd returns how many of n frames remain before the first voice may end or leave its loop.
func (a *audio) untilEnd(n int64) int64 {
	for i, place := a.after(0); i >= 0; i, place = a.after(place) {
		s := a.present(i)
		if s.paused != 0 {
			continue
		}
		n = a.untilLeft(s, n, true)
	}
	return n
}

// leftLoop reports whether a voice has left its loop or is over.
func (a *audio) leftLoop(id pool.Handle) bool {
	r := a.record(id)
	if r.live != id {
		return r.status.state().Over() || pool.Handle(r.id.Load()) != id
	}
	return a.at(r.status.index()).voice.PastLoop()
}
