package mixer

import (
	"slices"

	"voicepool/pool"
)

// link is a start that waits for another one to be over.
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

// chain is who follows whom. Both lists have room for all commands under way, of which each
// start that waits is one.
type chain struct {
	links []link
	ready []successor
}

func newChain(commands int) chain {
	return chain{make([]link, 0, commands), make([]successor, 0, commands)}
}

// link has a start wait for another one, in the place of what waited for it until now.
func (a *audio) link(c *command) {
	a.underWay.Add(1)
	l := link{lead: c.target.voice.id, next: c.record, when: c.when, at: never}
	a.unlink(l.lead, false)
	r := a.record(l.lead)
	state := State(r.state.Load())
	switch own := pool.Handle(r.id.Load()) == l.lead; {
	case r.live == l.lead && a.at(int(r.slot.Load())).dying:
		a.ready = append(a.ready, successor{l, true})
	case r.live == l.lead || own && !state.Over():
		a.links = append(a.links, l)
	default: // it came to its end meanwhile
		a.ready = append(a.ready, successor{l, own && state != StateEnded})
	}
}

// unlink lets what follows a start begin, or, where that did not end by itself, not.
func (a *audio) unlink(lead pool.Handle, ended bool) {
	for i := range a.links {
		if l := a.links[i]; l.lead == lead {
			a.links = slices.Delete(a.links, i, i+1)
			a.ready = append(a.ready, successor{l, !ended})
			return
		}
	}
}

// cancel stops a start that has not come.
func (a *audio) cancel(r *record, id pool.Handle) {
	r.cancel = id
	for i := range a.links {
		if l := a.links[i]; l.next == id {
			a.links = slices.Delete(a.links, i, i+1)
			a.ready = append(a.ready, successor{l, true})
			return
		}
	}
}

// succeed starts what follows starts that are over.
func (a *audio) succeed() {
	for i := 0; i < len(a.ready); i++ { // more may come meanwhile
		s := a.ready[i]
		if s.stopped {
			a.record(s.next).cancel = s.next
		}
		c := command{kind: cmdPlay, frame: a.now, record: s.next}
		a.record(s.next).settle()
		a.noteCommand(&c)
		a.start(&c)
		a.underWay.Add(-1)
	}
	a.ready = a.ready[:0]
}

// leave ends the voices that leave their loops at this frame for others.
func (a *audio) leave() {
	for i := 0; i < len(a.links); {
		if l := &a.links[i]; l.at == a.now {
			a.giveWay(int(a.record(l.lead).slot.Load())) // takes the link out
		} else {
			i++
		}
	}
	a.succeed()
}

// giveWay ends a voice at this frame for its successor. Nothing else in a journal would.
func (a *audio) giveWay(i int) {
	a.noteAct(i, &command{kind: cmdStop, over: noTail})
	a.finish(i, a.now, EventEnded, &Event{})
}

// untilNext returns how many of n frames there are before the first voice ends that
// another one follows.
func (a *audio) untilNext(n int64) int64 {
	for i := 0; i < len(a.links); {
		l := &a.links[i]
		l.at = never
		r := a.record(l.lead)
		i++
		if r.live != l.lead {
			continue
		}
		index := int(r.slot.Load())
		s := a.at(index)
		if s.paused != 0 {
			continue
		}
		left, wraps := s.voice.Left(n, a.now, l.when == AtLoopEnd)
		switch {
		case left == 0: // it was taken to its end by a command
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

// untilEnd returns how many of n frames there are before the first voice may be over.
func (a *audio) untilEnd(n int64) int64 {
	for _, v := range a.living() {
		s := v.slot
		if s.paused != 0 {
			continue
		}
		left, _ := s.voice.Left(n, a.now, false)
		n = min(n, max(left, 1), max(s.endAt-a.now, 1))
	}
	return n
}
