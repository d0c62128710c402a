package cue

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"voicepool/bank/rules"
	"voicepool/internal/yaml"
	"voicepool/mixer"
)

// CheckRender says why a sheet that names no length would never end: a loop
// that nothing stops, or a pause that nothing resumes or stops. The error is
// rules.Errors, as of Parse; nil where the sheet has a length or comes to its end.
func (s *Sheet) CheckRender() error {
	if err := s.CheckGoes(); err != nil || s.Length != nil {
		return err
	}
	r := newReader(&Sheet{}, s.File)
	if !s.Repeat.IsZero() && len(s.Cues) > 0 {
		c := &s.Cues[0]
		r.Fail(yaml.Place{Line: c.Line, Column: c.Column}, "the sheet repeats every %v, so a render would never end; give it an end with --length, such as --length 10m", s.Repeat)
		return r.Errors()
	}
	s = s.fired()
	ends := s.endings()
	for i, c := range s.acting() {
		m := s.moment(i)
		fail := func(format string, args ...any) {
			r.Of(c.prefix(), func() { r.Fail(yaml.Place{Line: c.Line, Column: c.Column}, format, args...) })
		}
		for _, c := range c.starts() {
			if c.Loop && c.Rounds == 0 && c.For == nil && !ends.over(c, m) {
				fail("%s loops and nothing stops it, so a render would never end; give it `for`, stop it with a cue, or give a length",
					yaml.Quote(s.Sounds[c.Sound].Name))
				break
			}
		}
		switch {
		case c.keeps() && ends.loops(c, m):
			fail("%s loops from here on and nothing stops it, so a render would never end; stop it, let it go with `loop: false`, or give a length", yaml.Quote(c.Target))
		case c.Verb == Pause && ends.paused(c, m):
			fail("nothing resumes or stops %s after this pause, so a render would never end; resume or stop it, or give a length", yaml.Quote(c.Target))
		}
	}
	return r.Errors()
}

// moment is a place in the order in which cues act. The zero value stands for never: nothing comes
// before it that it could end.
type moment struct {
	frame int64
	index int
}

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
func (s *Sheet) moment(i int) moment { return moment{s.Cues[i].last(s.Rate), i} }

// surely returns up to when a cue has surely acted for the last time.
func (s *Sheet) surely(i int) moment {
	if c := &s.Cues[i]; !c.EveryMost.IsZero() {
		return moment{c.frame(0, s.Rate), i}
	}
	return s.moment(i)
}

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

func (l latest) note(target string, m moment) { l[target] = later(l[target], m) }

// endings is when each target is stopped and resumed for the last time, and what there is to be
// stopped. Everything is the target "all".
type endings struct {
	stops, resumes  latest
	releases, keeps latest // of ids out of their loops, and in them for ever
	under           latest // of buses: the stops of what they go into included
	plays, once     map[string][]start

	// Of what starts on a bus and below, "all" being everything: the first of the moments at
	// which a start is stopped for the last time; zero where some start comes after that.
	buses map[string]moment
}

// start is when something begins under an id, and when it and those before it are all stopped.
type start struct{ begin, stop moment }

func (s *Sheet) endings() *endings {
	e := &endings{
		stops: latest{}, resumes: latest{}, releases: latest{}, keeps: latest{},
		under: latest{}, plays: map[string][]start{}, once: map[string][]start{}, buses: map[string]moment{},
	}
	for i, c := range s.acting() {
		switch {
		case c.Verb == Stop && c.Chance == 0:
			e.stops.note(c.target(), s.surely(i))
		case c.Verb == Resume && c.Chance == 0:
			e.resumes.note(c.target(), s.surely(i))
		case c.keeps():
			e.keeps.note(c.target(), s.moment(i))
		case c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0 && c.Chance == 0:
			e.releases.note(c.target(), s.surely(i))
		}
	}
	for _, a := range s.panics {
		e.stops.note("all", moment{a.frame, a.cues})
	}
	parents := s.Parents()
	for bus := range parents {
		for up := bus; up != ""; up = parents[up] {
			e.under.note(bus, e.stops[up])
		}
	}
	e.gather(s, parents)
	return e
}

// keeps reports whether a cue keeps voices in their loops for ever.
func (c *Cue) keeps() bool {
	return c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0 && c.Change.Rounds == mixer.Forever
}

// gather notes what starts, by its id and by its bus.
func (e *endings) gather(s *Sheet, parents map[string]string) {
	own := map[string]moment{} // of what is on a bus itself
	for i, asked := range s.acting() {
		for _, c := range asked.starts() {
			stop := e.stop(c)
			if s.moment(i).before(stop) {
				first(own, c.Bus, stop)
			} else {
				own[c.Bus] = moment{}
			}
			if c.ID == "" {
				continue
			}
			begins := start{moment{c.frame(0, s.Rate), i}, stop}
			e.plays[c.ID] = append(e.plays[c.ID], begins)
			if (!c.Loop || c.Rounds > 0) && c.For == nil {
				e.once[c.ID] = append(e.once[c.ID], begins)
			}
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
	for bus, stop := range own {
		for up := bus; up != "" && up != "master"; up = parents[up] {
			first(e.buses, up, stop)
		}
		first(e.buses, "all", stop)
	}
}

// first notes a moment of a bus, if it is the first there.
func first(buses map[string]moment, name string, m moment) {
	if least, ok := buses[name]; !ok || m.before(least) {
		buses[name] = m
	}
}

// left reports whether some start that came before m is not stopped after it.
func left(all []start, m moment) bool {
	n, _ := slices.BinarySearchFunc(all, m, func(s start, m moment) int { return s.begin.compare(m) })
	return n > 0 && !m.before(all[n-1].stop)
}

// stop returns when the voices of a cue that plays are stopped for the last time.
func (e *endings) stop(c *Cue) moment {
	return later(later(e.stops[c.ID], e.stops["all"]), e.under[c.Bus])
}

// over reports whether the voices of a cue that loops are stopped after m, or let out of their
// loops.
func (e *endings) over(c *Cue, m moment) bool {
	return m.before(e.stop(c)) || e.released(c.ID, m)
}

// released reports whether the voices of an id are let out of their loops after m.
func (e *endings) released(id string, m moment) bool {
	last := e.releases[id]
	return m.before(last) && !last.before(e.keeps[id])
}

// loops reports whether some voice that would have come to its end loops for ever by a set at m.
func (e *endings) loops(set *Cue, m moment) bool {
	return !e.released(set.Target, m) && left(e.once[set.Target], m)
}

// paused reports whether some voice stays paused for ever by a pause at m. Of an id only what lives
// then is held; what starts on a paused bus is held as well.
func (e *endings) paused(pause *Cue, m moment) bool {
	if m.before(e.resumes[pause.target()]) {
		return false
	}
	if pause.Scope == OnID {
		return left(e.plays[pause.Target], m)
	}
	stop, some := e.buses[pause.target()]
	return some && !m.before(stop)
}

// ErrEndless is wrapped by the error of Read when something still sounds after the last moment at
// which the sheet lets anything end. It is a fault of the mixer, which would fill a disk.
var ErrEndless = errors.New("cue: the render does not end")

const (
	// slowest is the lowest pitch that a voice can have, in semitones.
	slowest = -96

	// grace, in seconds, is more than all that follows a voice: its tail and the limiter.
	grace = 1

	// letGo, in seconds, is more than a DC guard takes on top of that until it lets go: it looks at
	// whole seconds, at two of them at most, and fades out in half a second.
	letGo = 3
)

// bound returns a frame before which a render is over, or never where nobody knows: a sheet that
// comes to no end, or a stream that does not say how long it is.
//
// After the last cue nothing is started, held, taken to another place or kept in a loop any more.
// What plays then has at most all of its sound before it, as slowly as the sheet can make it, and
// its loop as often as the sheet says.
func (p *Player) bound() int64 {
	s := p.sheet
	if s.Length != nil || len(s.panics) > 0 || s.Awaits() || s.CheckRender() != nil {
		return never
	}
	last := 0.0 // frames
	for i, asked := range s.acting() {
		m := s.moment(i).frame
		last = max(last, float64(m+asked.Over.Frames(s.Rate)))
		for _, c := range asked.starts() {
			last = max(last, float64(m+c.delay.Frames(s.Rate)))
		}
	}
	pitches := s.pitches()
	rest := 0.0
	for _, asked := range s.acting() {
		for _, c := range asked.starts() {
			rest = max(rest, p.lasts(c, asked, &pitches))
		}
	}
	if rest == never {
		return never
	}
	end := last + rest + float64(grace*s.Rate) + float64(s.rings())
	if s.Master.DCGuard {
		end += float64(letGo * s.Rate)
	}
	if end >= never/2 {
		return never
	}
	return int64(end)
}

// lasts returns how many frames a start that a cue asks for lasts at most; never: nobody knows.
func (p *Player) lasts(c, asked *Cue, pitches *pitches) float64 {
	s := p.sheet
	if c.For != nil {
		return float64(c.For.Frames(s.Rate))
	}
	frames := 0.0
	for _, sound := range p.sounds[c.Sound].Files(c.Loop) {
		if sound.Frames() == 0 && sound.Streamed() && !c.Loop {
			return never
		}
		rounds := c.Rounds
		if sets := pitches.sets[c.tag]; sets != nil {
			rounds = max(rounds, sets.rounds)
		}
		frames = max(frames, float64(sound.Frames())+float64(rounds+1)*float64(sound.Loop().Frames()))
	}
	return frames * math.Exp2(-max(pitches.of(s, c, asked).least, slowest)/12)
}

// checkEnd reports what is mixed beyond the bound.
func (p *Player) checkEnd() error {
	f := &p.file
	if f.bound == 0 {
		f.bound = p.bound()
	}
	if f.now < f.bound {
		return nil
	}
	return fmt.Errorf("%w: the sheet lets everything end before %v, and there are still voices then: %d; cut it with a length, such as `length: 60s`",
		ErrEndless, rules.FrameTime(f.bound, p.sheet.Rate), p.mixer.Stats().Playing)
}
