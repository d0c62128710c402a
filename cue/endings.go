package cue

import (
	"slices"
	"sort"

	"voicepool/mixer"
)

// moment is a place in the order in which cues act.
type moment struct {
	frame int64
	index int
}

// none comes before all moments: what happens then never happens.
var none = moment{-1, 0}

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
	plays, once     map[string]starts
	buses           map[string]*onBus // of what is on them and below; "all": of everything
}

// starts are those under one id, in their order. stops has, for each, the first of the moments at
// which it and those before it are stopped.
type starts struct{ begin, stops []moment }

// onBus is what starts on a bus.
type onBus struct {
	first   moment // the first of the moments at which a start is stopped for the last time
	outlive bool   // some start comes after its last stop
	any     bool
}

func (s *Sheet) endings() *endings {
	e := &endings{
		stops: latest{}, resumes: latest{}, releases: latest{}, keeps: latest{},
		under: latest{}, plays: map[string]starts{}, once: map[string]starts{}, buses: map[string]*onBus{},
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
	parents := map[string]string{}
	for i := range s.Buses {
		parents[s.Buses[i].Name] = s.Buses[i].Parent
	}
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
		b := own[c.Bus]
		if b == nil {
			b = &onBus{first: stop}
			own[c.Bus] = b
		}
		b.add(stop, !s.moment(i).before(stop))
		if c.ID == "" {
			continue
		}
		begin := moment{c.At.Frames(s.Rate), i}
		e.plays[c.ID] = e.plays[c.ID].with(begin, stop)
		if (!c.Loop || c.Rounds > 0) && c.For == nil && !s.Sounds[c.Sound].Stream {
			e.once[c.ID] = e.once[c.ID].with(begin, stop)
		}
	}
	for _, all := range []map[string]starts{e.plays, e.once} {
		for id := range all {
			all[id].sort()
		}
	}
	for bus, b := range own {
		up := bus
		for ; up != "" && up != "master"; up = parents[up] {
			e.onBus(up).join(b)
		}
		e.onBus("all").join(b)
	}
}

func (e *endings) onBus(name string) *onBus {
	b := e.buses[name]
	if b == nil {
		b = &onBus{}
		e.buses[name] = b
	}
	return b
}

func (b *onBus) add(stop moment, outlive bool) {
	if !b.any || stop.before(b.first) {
		b.first = stop
	}
	b.any, b.outlive = true, b.outlive || outlive
}

func (b *onBus) join(other *onBus) { b.add(other.first, other.outlive) }

func (l starts) with(begin, stop moment) starts {
	return starts{append(l.begin, begin), append(l.stops, stop)}
}

func (l starts) Len() int           { return len(l.begin) }
func (l starts) Less(i, j int) bool { return l.begin[i].before(l.begin[j]) }
func (l starts) Swap(i, j int) {
	l.begin[i], l.begin[j] = l.begin[j], l.begin[i]
	l.stops[i], l.stops[j] = l.stops[j], l.stops[i]
}

func (l starts) sort() {
	sort.Sort(l)
	for i := 1; i < len(l.stops); i++ {
		if l.stops[i-1].before(l.stops[i]) {
			l.stops[i] = l.stops[i-1]
		}
	}
}

// left reports whether some start that came before m is not stopped after it.
func (l starts) left(m moment) bool {
	n, _ := slices.BinarySearchFunc(l.begin, m, func(a, b moment) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	return n > 0 && !m.before(l.stops[n-1])
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
	return !e.released(set.Target, m) && e.once[set.Target].left(m)
}

// paused reports whether some voice stays paused for ever by a pause at m. Of an id only what lives
// then is held; what starts on a paused bus is held as well.
func (e *endings) paused(pause *Cue, m moment) bool {
	if m.before(e.resumes.of(pause.target())) {
		return false
	}
	if pause.Scope == OnID {
		return e.plays[pause.Target].left(m)
	}
	b := e.buses[pause.target()]
	return b != nil && (b.outlive || !m.before(b.first))
}
