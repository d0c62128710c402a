package cue

import "fmt"

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
		case c.Verb == Play && c.Loop && c.For == nil && !ends.stopped(c, s.moment(i)):
			what = fmt.Sprintf("%s loops and nothing stops it, so a render would never end; give it `for`, stop it with a cue, or give a length", quote(s.Sounds[c.Sound].Name))
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
	stops, resumes map[string]moment // by target; everything is "all"
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
	e := &endings{map[string]moment{}, map[string]moment{}}
	for i := range s.Cues {
		c := &s.Cues[i]
		last := e.stops
		switch c.Verb {
		case Resume:
			last = e.resumes
		case Stop:
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
func (e *endings) stopped(c *Cue, m moment) bool {
	for _, target := range [...]string{c.ID, c.Bus, "all"} {
		if stop, ok := e.stops[target]; ok && target != "" && m.before(stop) {
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
		case p.target() != "all" && c.Bus != p.Target:
			continue
		default:
			// What starts on a paused bus is held as well.
			if last := s.moment(i); m.before(last) {
				from = last
			}
		}
		if !e.stopped(c, from) {
			return true
		}
	}
	return false
}
