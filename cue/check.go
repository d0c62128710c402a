package cue

import (
	"fmt"

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
		case c.Verb == Play && c.Loop && c.Rounds == 0 && c.For == nil && !ends.stopped(s, c, s.moment(i)) && !ends.released(c, s.moment(i)):
			what = fmt.Sprintf("%s loops and nothing stops it, so a render would never end; give it `for`, stop it with a cue, or give a length", quote(s.Sounds[c.Sound].Name))
		case c.Verb == Set && c.Change.Fields&mixer.Rounds != 0 && c.Change.Rounds == mixer.Forever && ends.loops(s, i):
			what = fmt.Sprintf("%s loops from here on and nothing stops it, so a render would never end; stop it, let it go with `loop: false`, or give a length", quote(c.Target))
		case c.Verb == Pause && ends.paused(s, i):
			what = fmt.Sprintf("nothing resumes or stops %s after this pause, so a render would never end; resume or stop it, or give a length", quote(c.Target))
		}
		if what != "" {
			wrong = append(wrong, &Error{File: s.File, Line: c.Line, Column: c.Column, Msg: what})
		}
	}
	if wrong == nil {
		return nil
	}
	return wrong
}

// moment is a place in the order in which cues act.
type moment struct {
	frame int64
	index int
}

// before reports whether m comes first.
func (m moment) before(n moment) bool {
	return m.frame < n.frame || m.frame == n.frame && m.index < n.index
}

// moment returns when a cue acts for the last time.
func (s *Sheet) moment(i int) moment { return moment{s.Cues[i].last().Frames(s.Rate), i} }

// endings is when each target is stopped and resumed for the last time.
type endings struct {
	stops, resumes  map[string]moment // by target; everything is "all"
	releases, keeps map[string]moment // of ids out of their loops, and in them for ever
}

// target returns what a cue acts on. For what holds and ends voices the master
// is everything.
func (c *Cue) target() string {
	if c.Target == "master" && c.Verb != Set && c.Verb != Fade {
		return "all"
	}
	return c.Target
}

func (s *Sheet) endings() *endings {
	e := &endings{map[string]moment{}, map[string]moment{}, map[string]moment{}, map[string]moment{}}
	for i := range s.Cues {
		c := &s.Cues[i]
		last := e.stops
		switch c.Verb {
		case Resume:
			last = e.resumes
		case Stop:
		case Set:
			if c.Change.Fields&mixer.Rounds == 0 {
				continue
			}
			if last = e.releases; c.Change.Rounds == mixer.Forever {
				last = e.keeps
			}
		default:
			continue
		}
		m := s.moment(i)
		if old, ok := last[c.target()]; !ok || old.before(m) {
			last[c.target()] = m
		}
	}
	return e
}

// stopped reports whether the voices of a cue that plays are stopped after m.
func (e *endings) stopped(s *Sheet, c *Cue, m moment) bool {
	after := func(last map[string]moment, target string) bool {
		stop, ok := last[target]
		return ok && target != "" && m.before(stop)
	}
	for bus := c.Bus; bus != ""; bus = s.parent(bus) {
		if after(e.stops, bus) {
			return true
		}
	}
	return after(e.stops, c.ID) || after(e.stops, "all")
}

// released reports whether the voices of a cue are let out of their loops after m.
func (e *endings) released(c *Cue, m moment) bool {
	last, ok := e.releases[c.ID]
	kept, again := e.keeps[c.ID]
	return ok && c.ID != "" && m.before(last) && !(again && last.before(kept))
}

// loops reports whether some voice that would have come to its end loops for ever
// by a cue.
func (e *endings) loops(s *Sheet, set int) bool {
	m := s.moment(set)
	for i := range s.Cues {
		c := &s.Cues[i]
		if c.Verb == Play && c.ID == s.Cues[set].Target && (!c.Loop || c.Rounds > 0) && c.For == nil &&
			(moment{c.At.Frames(s.Rate), i}).before(m) && !e.stopped(s, c, m) && !e.released(c, m) {
			return true
		}
	}
	return false
}

// parent returns the bus that a bus goes into; empty: the master.
func (s *Sheet) parent(bus string) string {
	for i := range s.Buses {
		if s.Buses[i].Name == bus {
			return s.Buses[i].Parent
		}
	}
	return ""
}

// below reports whether a bus is another or goes into it, at any depth.
func (s *Sheet) below(bus, other string) bool {
	for ; bus != ""; bus = s.parent(bus) {
		if bus == other {
			return true
		}
	}
	return false
}

// paused reports whether some voice stays paused for ever by a cue.
func (e *endings) paused(s *Sheet, pause int) bool {
	p := &s.Cues[pause]
	m := s.moment(pause)
	if resume, ok := e.resumes[p.target()]; ok && m.before(resume) {
		return false
	}
	for i := range s.Cues {
		c := &s.Cues[i]
		if c.Verb != Play {
			continue
		}
		from := m
		switch {
		case p.Scope == OnID:
			// Only what lives when the pause comes is held.
			if c.ID != p.Target || !(moment{c.At.Frames(s.Rate), i}).before(m) {
				continue
			}
		case p.target() != "all" && !s.below(c.Bus, p.Target):
			continue
		default:
			// What starts on a paused bus is held as well.
			if last := s.moment(i); m.before(last) {
				from = last
			}
		}
		if !e.stopped(s, c, from) {
			return true
		}
	}
	return false
}
