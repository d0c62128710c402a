package cue

import (
	"cmp"
	"fmt"
	"slices"

	"voicepool/mixer"
)

// CheckRender says why a sheet that names no length would never end: a loop
// that nothing stops, or a pause that nothing resumes or stops. The error is
// Errors, as of Parse; nil where the sheet has a length or comes to its end.
func (s *Sheet) CheckRender() error {
	if s.Length != nil {
		return nil
	}
	var wrong Errors
	ends := s.endings()
	for i := range s.Cues {
		c := &s.Cues[i]
		what := ""
		switch {
		case c.Verb == Play && c.Loop && c.Rounds == 0 && c.For == nil && !ends.over(s, c, s.moment(i)):
			what = fmt.Sprintf("%s loops and nothing stops it, so a render would never end; give it `for`, stop it with a cue, or give a length", quote(s.Sounds[c.Sound].Name))
		case c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0 && c.Change.Rounds == mixer.Forever && ends.loops(c, s.moment(i)):
			what = fmt.Sprintf("%s loops from here on and nothing stops it, so a render would never end; stop it, let it go with `loop: false`, or give a length", quote(c.Target))
		case c.Verb == Pause && ends.paused(c, s.moment(i)):
			what = fmt.Sprintf("nothing resumes or stops %s after this pause, so a render would never end; resume or stop it, or give a length", quote(c.Target))
		}
		if what != "" {
			wrong = append(wrong, &Error{File: s.File, Line: c.Line, Column: c.Column, Msg: what})
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

// moment is a place in the order in which cues act.
type moment struct {
	frame int64
	index int
}

// none comes before all moments: what happens then never happens.
var none = moment{-1, 0}

// compare returns -1 where m comes first, 1 where n does.
func (m moment) compare(n moment) int {
	return cmp.Or(cmp.Compare(m.frame, n.frame), cmp.Compare(m.index, n.index))
}

// before reports whether m comes first.
func (m moment) before(n moment) bool {
	return m.frame < n.frame || m.frame == n.frame && m.index < n.index
}

// later returns the one of two moments that comes last.
func later(m, n moment) moment {
	if m.before(n) {
		return n
	}
	return m
}

// moment returns when a cue acts for the last time.
func (s *Sheet) moment(i int) moment { return moment{s.Cues[i].last().Frames(s.Rate), i} }

// target returns what a cue acts on. For what holds and ends voices the master
// is everything.
func (c *Cue) target() string {
	if c.Target == "master" && c.Verb != Set && c.Verb != Fade {
		return "all"
	}
	return c.Target
}

// latest is when something happens to each target for the last time.
type latest map[string]moment

// of returns when it happens to a target for the last time, or none.
func (l latest) of(target string) moment {
	if m, ok := l[target]; ok && target != "" {
		return m
	}
	return none
}

func (l latest) note(target string, m moment) { l[target] = later(l.of(target), m) }

// endings is when each target is stopped and resumed for the last time, and what there is to be
// stopped. Everything is the target "all".
type endings struct {
	stops, resumes  latest
	releases, keeps latest // of ids out of their loops, and in them for ever
	under           latest // of buses: the stops of what they go into included
	plays, once     map[string][]start
	buses           map[string]*onBus // of what is on them and below; "all": of everything
}

// start is when something begins under an id, and when it and those before it are all stopped.
type start struct{ begin, stop moment }

// onBus is what starts on a bus.
type onBus struct {
	first   moment // the first of the moments at which a start is stopped for the last time
	outlive bool   // some start comes after its last stop
	any     bool
}

func (s *Sheet) endings() *endings {
	e := &endings{
		stops: latest{}, resumes: latest{}, releases: latest{}, keeps: latest{},
		under: latest{}, plays: map[string][]start{}, once: map[string][]start{}, buses: map[string]*onBus{},
	}
	for i := range s.Cues {
		c := &s.Cues[i]
		switch {
		case c.Verb == Stop:
			e.stops.note(c.target(), s.moment(i))
		case c.Verb == Resume:
			e.resumes.note(c.target(), s.moment(i))
		case c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0 && c.Change.Rounds == mixer.Forever:
			e.keeps.note(c.target(), s.moment(i))
		case c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0:
			e.releases.note(c.target(), s.moment(i))
		}
	}
	parents := s.parents()
	for bus := range parents {
		stop := none
		for up := bus; up != ""; up = parents[up] {
			stop = later(stop, e.stops.of(up))
		}
		e.under[bus] = stop
	}
	e.gather(s, parents)
	return e
}

// gather notes what starts, by its id and by its bus.
func (e *endings) gather(s *Sheet, parents map[string]string) {
	own := map[string]*onBus{}
	for i := range s.Cues {
		c := &s.Cues[i]
		if c.Verb != Play {
			continue
		}
		stop := e.stop(c)
		b := onBusOf(own, c.Bus)
		b.add(stop, !s.moment(i).before(stop))
		if c.ID == "" {
			continue
		}
		begin := moment{c.At.Frames(s.Rate), i}
		e.plays[c.ID] = append(e.plays[c.ID], start{begin, stop})
		if (!c.Loop || c.Rounds > 0) && c.For == nil && !s.Sounds[c.Sound].Stream {
			e.once[c.ID] = append(e.once[c.ID], start{begin, stop})
		}
	}
	for _, ids := range []map[string][]start{e.plays, e.once} {
		for _, all := range ids {
			slices.SortFunc(all, func(a, b start) int { return a.begin.compare(b.begin) })
			for i := 1; i < len(all); i++ {
				if all[i-1].stop.before(all[i].stop) {
					all[i].stop = all[i-1].stop
				}
			}
		}
	}
	for bus, b := range own {
		for up := bus; up != "" && up != "master"; up = parents[up] {
			onBusOf(e.buses, up).add(b.first, b.outlive)
		}
		onBusOf(e.buses, "all").add(b.first, b.outlive)
	}
}

// onBusOf returns what is on a bus, of those that are noted there.
func onBusOf(buses map[string]*onBus, name string) *onBus {
	b := buses[name]
	if b == nil {
		b = &onBus{}
		buses[name] = b
	}
	return b
}

func (b *onBus) add(stop moment, outlive bool) {
	if !b.any || stop.before(b.first) {
		b.first = stop
	}
	b.any, b.outlive = true, b.outlive || outlive
}

// left reports whether some start that came before m is not stopped after it.
func left(all []start, m moment) bool {
	n, _ := slices.BinarySearchFunc(all, m, func(s start, m moment) int { return s.begin.compare(m) })
	return n > 0 && !m.before(all[n-1].stop)
}

// stop returns when the voices of a cue that plays are stopped for the last time.
func (e *endings) stop(c *Cue) moment {
	return later(later(e.stops.of(c.ID), e.stops.of("all")), e.under.of(c.Bus))
}

// over reports whether the voices of a cue that loops are stopped after m, or let out of their
// loops. No set changes the loop of a stream.
func (e *endings) over(s *Sheet, c *Cue, m moment) bool {
	return m.before(e.stop(c)) || !s.Sounds[c.Sound].Stream && e.released(c.ID, m)
}

// released reports whether the voices of an id are let out of their loops after m.
func (e *endings) released(id string, m moment) bool {
	last := e.releases.of(id)
	return m.before(last) && !last.before(e.keeps.of(id))
}

// loops reports whether some voice that would have come to its end loops for ever by a set at m.
func (e *endings) loops(set *Cue, m moment) bool {
	return !e.released(set.Target, m) && left(e.once[set.Target], m)
}

// paused reports whether some voice stays paused for ever by a pause at m. Of an id only what lives
// then is held; what starts on a paused bus is held as well.
func (e *endings) paused(pause *Cue, m moment) bool {
	if m.before(e.resumes.of(pause.target())) {
		return false
	}
	if pause.Scope == OnID {
		return left(e.plays[pause.Target], m)
	}
	b := e.buses[pause.target()]
	return b != nil && (b.outlive || !m.before(b.first))
}
