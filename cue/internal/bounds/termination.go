package bounds

import (
	"slices"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// CheckRender returns an error if a render of the sheet would never end. A render never ends if a loop is never
// stopped, if a paused voice is never resumed or stopped, or if the sheet repeats. A list without times of GO is an
// error, too, see cue.Sheet.CheckGoes. A sheet with a length is not checked for endless voices. The error is of type
// rules.Errors, as from cue.Parse.
func CheckRender(s *cue.Sheet) error {
	if err := s.CheckGoes(); err != nil || s.Length != nil {
		return err
	}
	return checkVoices(runsheet.Scheduled(s))
}

// checkVoices returns an error if the sheet repeats or has voices that never end. Its length is ignored. The error is
// of type rules.Errors, with the places of the cues.
func checkVoices(s *runsheet.Sheet) error {
	r := parse.New(&rules.Rules{}, s.File, nil, nil)
	if !s.Repeat.IsZero() && len(s.Cues) > 0 {
		c := &s.Cues[0]
		r.Fail(yaml.Position{Line: c.Line, Column: c.Column}, "the sheet repeats every %v, so a render would never end; give it an end with --length, such as --length 10m", s.Repeat)
		return r.Errors()
	}
	ends := terminationsOf(s)
	for i, c := range s.Active() {
		m := s.LastInstant(i)
		fail := func(format string, args ...any) {
			r.WithPrefix(c.ListLabel(), func() { r.Fail(yaml.Position{Line: c.Line, Column: c.Column}, format, args...) })
		}
		for _, c := range c.Starts() {
			if p := c.Play; p.Loop && p.Rounds == 0 && p.For == nil && !ends.endsLoop(p, m) {
				fail("%s loops and nothing stops it, so a render would never end; give it `for`, stop it with a cue, or give a length",
					yaml.Quote(s.Sounds[c.Sound].Name))
				break
			}
		}
		t := c.Target()
		switch _, pause := c.Action.(*cue.Pause); {
		case c.LoopsForever() && ends.loopsForever(t.Name, m):
			fail("%s loops from here on and nothing stops it, so a render would never end; stop it, let it go with `loop: false`, or give a length", yaml.Quote(t.Name))
		case pause && ends.pausedForever(c, m):
			fail("nothing resumes or stops %s after this pause, so a render would never end; resume or stop it, or give a length", yaml.Quote(t.Name))
		}
	}
	return r.Errors()
}

// later returns m or n, whichever is later. A zero instant is earlier than every other.
func later(m, n runsheet.Instant) runsheet.Instant {
	if m.Before(n) {
		return n
	}
	return m
}

// certainInstant returns the last instant when s.Cues[i] is certain to act. This is its last repetition. If the
// intervals between the repetitions are random, only the first time that the cue acts is certain.
func certainInstant(s *runsheet.Sheet, i int) runsheet.Instant {
	if c := &s.Cues[i]; !c.EveryMax.IsZero() {
		return runsheet.Instant{Frame: c.Frame(0, s.Rate), Index: i}
	}
	return s.LastInstant(i)
}

// latest maps a target to the last instant of an event.
type latest map[string]runsheet.Instant

// add stores m as the instant of target, unless a later instant is stored for it.
func (l latest) add(target string, m runsheet.Instant) { l[target] = later(l[target], m) }

// terminations holds, per target, the instants that decide whether voices end: the last stop, the last resume and the
// last release from loops. A resume counts because a paused voice does not end. The target "all" means every voice.
type terminations struct {
	stops, resumes         latest
	releases, endlessLoops latest // per id: voices leave their loops; voices stay in them endlessly
	busStops               latest // per bus: stops of the bus and its parents
	plays, once            map[string][]startInstants

	// Per bus, and for "all": the earliest last stop among the starts on the bus and below it. It is zero if
	// a start comes after its last stop.
	buses map[string]runsheet.Instant
}

// startInstants is a start with an id. lastStop is the earliest among the last stops of this start and of the earlier
// starts of the id. The zero instant means that a start among them is never stopped.
type startInstants struct{ first, lastStop runsheet.Instant }

// terminationsOf collects the starts of the sheet and, for each target, the last instants that stop, resume or release
// voices. It considers the acting cues and the scheduled panics. A cue with a chance may not act, so its stop, resume
// or release does not count.
func terminationsOf(s *runsheet.Sheet) *terminations {
	e := &terminations{
		stops: latest{}, resumes: latest{}, releases: latest{}, endlessLoops: latest{},
		busStops: latest{}, plays: map[string][]startInstants{}, once: map[string][]startInstants{}, buses: latest{},
	}
	for i, c := range s.Active() {
		var last latest // of the action; nil: it does not count
		switch a := c.Action.(type) {
		case *cue.Stop:
			last = e.stops
		case *cue.Resume:
			last = e.resumes
		case *cue.Set:
			if c.LoopsForever() {
				e.endlessLoops.add(a.Target.Name, s.LastInstant(i))
			} else if a.Change.Fields&mixer.FieldRounds != 0 {
				last = e.releases
			}
		}
		if last != nil && c.Chance == 0 {
			last.add(c.VoiceTarget(), certainInstant(s, i))
		}
	}
	for _, a := range s.Panics {
		e.stops.add("all", runsheet.Instant{Frame: a.Frame, Index: a.Cues})
	}
	parents := s.Parents()
	for bus := range parents {
		for up := bus; up != ""; up = parents[up] {
			e.busStops.add(bus, e.stops[up])
		}
	}
	e.collectStarts(s, parents)
	return e
}

// collectStarts records the starts of sheet s in e, by id and by bus, each with the instant of its last stop. e must
// already have all stops. parents maps each bus to its parent.
func (e *terminations) collectStarts(s *runsheet.Sheet, parents map[string]string) {
	own := map[string]runsheet.Instant{} // starts on the bus itself
	for i, by := range s.Active() {
		for _, c := range by.Starts() {
			p := c.Play
			stop := e.lastStop(p)
			if s.LastInstant(i).Before(stop) {
				storeEarliest(own, p.Bus, stop)
			} else {
				own[p.Bus] = runsheet.Instant{}
			}
			if p.ID == "" {
				continue
			}
			instants := startInstants{runsheet.Instant{Frame: c.Frame(0, s.Rate), Index: i}, stop}
			e.plays[p.ID] = append(e.plays[p.ID], instants)
			if (!p.Loop || p.Rounds > 0) && p.For == nil {
				e.once[p.ID] = append(e.once[p.ID], instants)
			}
		}
	}
	for _, ids := range []map[string][]startInstants{e.plays, e.once} {
		for _, all := range ids {
			slices.SortFunc(all, func(a, b startInstants) int { return a.first.Compare(b.first) })
			for i := 1; i < len(all); i++ {
				if all[i-1].lastStop.Before(all[i].lastStop) {
					all[i].lastStop = all[i-1].lastStop
				}
			}
		}
	}
	for bus, stop := range own {
		for up := bus; up != "" && up != "master"; up = parents[up] {
			storeEarliest(e.buses, up, stop)
		}
		storeEarliest(e.buses, "all", stop)
	}
}

// storeEarliest stores m under name in buses, unless an earlier instant is stored there. The zero instant is the
// earliest.
func storeEarliest(buses map[string]runsheet.Instant, name string, m runsheet.Instant) {
	if least, ok := buses[name]; !ok || m.Before(least) {
		buses[name] = m
	}
}

// neverStopped reports whether any of the given starts begins before the instant m and is not stopped after m. Earlier
// stops and a stop at m do not count: the sound may have been stopped, or may have ended by itself, before m. The slice
// all must be sorted by the field first, with the values of lastStop that collectStarts sets.
func neverStopped(all []startInstants, m runsheet.Instant) bool {
	n, _ := slices.BinarySearchFunc(all, m, func(s startInstants, m runsheet.Instant) int { return s.first.Compare(m) })
	return n > 0 && !m.Before(all[n-1].lastStop)
}

// lastStop returns the instant of the last cue or scheduled panic that stops the voices of the start p, by id, by bus
// or all voices. If they are never stopped, it is the zero instant.
func (e *terminations) lastStop(p *cue.Play) runsheet.Instant {
	return later(later(e.stops[p.ID], e.stops["all"]), e.busStops[p.Bus])
}

// endsLoop reports whether the voices of p, a looping start, are stopped or released from their loops after the instant
// m.
func (e *terminations) endsLoop(p *cue.Play, m runsheet.Instant) bool {
	return m.Before(e.lastStop(p)) || e.released(p.ID, m)
}

// released reports whether the voices of id leave their loops after the instant m and are not made to loop endlessly
// again later. It is false for the empty id.
func (e *terminations) released(id string, m runsheet.Instant) bool {
	last := e.releases[id]
	return m.Before(last) && !last.Before(e.endlessLoops[id])
}

// loopsForever reports whether a set leaves a voice looping without end. The set, at the instant m, makes the voices of
// the id target loop endlessly. The result is true if a voice began before m, would end without the set, and is not
// stopped or released after m. Whether that voice still sounds at m is not checked.
func (e *terminations) loopsForever(target string, m runsheet.Instant) bool {
	return !e.released(target, m) && neverStopped(e.once[target], m)
}

// pausedForever reports whether pause, a cue at the instant m, leaves a voice paused without end. A pause of an id
// holds the voices alive at that instant. A pause of a bus or of all voices also holds later starts. The voices
// continue only after a later resume of the same target; other resumes do not count. A later stop ends them, too. It is
// not checked whether a voice still sounds at m, so the result may be true without one.
func (e *terminations) pausedForever(pause *runsheet.Cue, m runsheet.Instant) bool {
	if m.Before(e.resumes[pause.VoiceTarget()]) {
		return false
	}
	if t := pause.Target(); t.Scope == cue.OnID {
		return neverStopped(e.plays[t.Name], m)
	}
	stop, some := e.buses[pause.VoiceTarget()]
	return some && !m.Before(stop)
}
