package cue

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// CheckRender returns an error if a render of the sheet would never end. A render never ends if a loop is never
// stopped, if a paused voice is never resumed or stopped, or if the sheet repeats. A list without times of GO is an
// error, too, see CheckGoes. A sheet with a length is not checked for endless voices. The error is of type
// rules.Errors, as from Parse.
func (s *Sheet) CheckRender() error {
	if err := s.CheckGoes(); err != nil || s.Length != nil {
		return err
	}
	r := newReader(&Sheet{}, s.File)
	if !s.Repeat.IsZero() && len(s.Cues) > 0 {
		c := &s.Cues[0]
		r.Fail(yaml.Position{Line: c.Line, Column: c.Column}, "the sheet repeats every %v, so a render would never end; give it an end with --length, such as --length 10m", s.Repeat)
		return r.Errors()
	}
	s = s.withScheduledGoes()
	ends := s.terminations()
	for i, c := range s.activeCues() {
		m := s.lastInstant(i)
		fail := func(format string, args ...any) {
			r.WithPrefix(c.label(), func() { r.Fail(yaml.Position{Line: c.Line, Column: c.Column}, format, args...) })
		}
		for _, c := range c.starts() {
			if c.Loop && c.Rounds == 0 && c.For == nil && !ends.endsLoop(c, m) {
				fail("%s loops and nothing stops it, so a render would never end; give it `for`, stop it with a cue, or give a length",
					yaml.Quote(s.Sounds[c.Sound].Name))
				break
			}
		}
		switch {
		case c.loopsForever() && ends.loopsForever(c, m):
			fail("%s loops from here on and nothing stops it, so a render would never end; stop it, let it go with `loop: false`, or give a length", yaml.Quote(c.Target))
		case c.Verb == Pause && ends.pausedForever(c, m):
			fail("nothing resumes or stops %s after this pause, so a render would never end; resume or stop it, or give a length", yaml.Quote(c.Target))
		}
	}
	return r.Errors()
}

// instant is a position in the order of acting cues: a frame and the index of a cue. The zero value means never; every
// other instant is later.
type instant struct {
	frame int64
	index int
}

// compare compares two instants by frame and then by cue index. It returns -1 if m is earlier than n, 1 if it is later,
// and 0 if they are equal.
func (m instant) compare(n instant) int {
	return cmp.Or(cmp.Compare(m.frame, n.frame), cmp.Compare(m.index, n.index))
}

// before reports whether m is earlier than n, by frame and then by cue index.
func (m instant) before(n instant) bool {
	return m.frame < n.frame || m.frame == n.frame && m.index < n.index
}

// later returns m or n, whichever is later. A zero instant is earlier than every other.
func later(m, n instant) instant {
	if m.before(n) {
		return n
	}
	return m
}

// lastInstant returns the instant of the last repetition of s.Cues[i]. If its intervals are random, the result is an
// upper bound.
func (s *Sheet) lastInstant(i int) instant { return instant{s.Cues[i].lastFrame(s.Rate), i} }

// certainInstant returns the latest instant when s.Cues[i] certainly acts. It is its last repetition, or the first one
// if its intervals are random.
func (s *Sheet) certainInstant(i int) instant {
	if c := &s.Cues[i]; !c.EveryMax.IsZero() {
		return instant{c.frame(0, s.Rate), i}
	}
	return s.lastInstant(i)
}

// target returns the target of c. "master" is returned as "all", except for set and fade cues, which then change only
// the bus.
func (c *Cue) target() string {
	if c.Target == "master" && c.Verb != Set && c.Verb != Fade {
		return "all"
	}
	return c.Target
}

// latest maps a target to the last instant of an event.
type latest map[string]instant

// add stores m as the instant of target, unless a later instant is stored for it.
func (l latest) add(target string, m instant) { l[target] = later(l[target], m) }

// terminations holds, per target, the instants that decide whether voices end: the last stop, the last resume and the
// last release from loops. A resume counts because a paused voice does not end. The target "all" means every voice.
type terminations struct {
	stops, resumes         latest
	releases, endlessLoops latest // per id: voices leave their loops; voices stay in them endlessly
	busStops               latest // per bus: stops of the bus and its parents
	plays, once            map[string][]startInstants

	// Per bus, and for "all": the earliest last stop among the starts on the bus and below it. It is zero if
	// a start comes after its last stop.
	buses map[string]instant
}

// startInstants is a start with an id. lastStop is the earliest among the last stops of this start and of the earlier
// starts of the id. The zero instant means that a start among them is never stopped.
type startInstants struct{ first, lastStop instant }

// terminations collects the starts of the sheet and, for each target, the last instants that stop, resume or release
// voices. It considers the acting cues and the scheduled panics. A cue with a chance may not act, so its stop, resume
// or release does not count.
func (s *Sheet) terminations() *terminations {
	e := &terminations{
		stops: latest{}, resumes: latest{}, releases: latest{}, endlessLoops: latest{},
		busStops: latest{}, plays: map[string][]startInstants{}, once: map[string][]startInstants{}, buses: map[string]instant{},
	}
	for i, c := range s.activeCues() {
		switch {
		case c.Verb == Stop && c.Chance == 0:
			e.stops.add(c.target(), s.certainInstant(i))
		case c.Verb == Resume && c.Chance == 0:
			e.resumes.add(c.target(), s.certainInstant(i))
		case c.loopsForever():
			e.endlessLoops.add(c.target(), s.lastInstant(i))
		case c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0 && c.Chance == 0:
			e.releases.add(c.target(), s.certainInstant(i))
		}
	}
	for _, a := range s.panics {
		e.stops.add("all", instant{a.frame, a.cues})
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

// loopsForever reports whether c is a set that makes voices loop endlessly.
func (c *Cue) loopsForever() bool {
	return c.Verb == Set && c.Change.Fields&mixer.FieldRounds != 0 && c.Change.Rounds == mixer.Forever
}

// collectStarts records the starts of sheet s in e, by id and by bus, each with the instant of its last stop. e must
// already have all stops. parents maps each bus to its parent.
func (e *terminations) collectStarts(s *Sheet, parents map[string]string) {
	own := map[string]instant{} // starts on the bus itself
	for i, cue := range s.activeCues() {
		for _, c := range cue.starts() {
			stop := e.lastStop(c)
			if s.lastInstant(i).before(stop) {
				storeEarliest(own, c.Bus, stop)
			} else {
				own[c.Bus] = instant{}
			}
			if c.ID == "" {
				continue
			}
			instants := startInstants{instant{c.frame(0, s.Rate), i}, stop}
			e.plays[c.ID] = append(e.plays[c.ID], instants)
			if (!c.Loop || c.Rounds > 0) && c.For == nil {
				e.once[c.ID] = append(e.once[c.ID], instants)
			}
		}
	}
	for _, ids := range []map[string][]startInstants{e.plays, e.once} {
		for _, all := range ids {
			slices.SortFunc(all, func(a, b startInstants) int { return a.first.compare(b.first) })
			for i := 1; i < len(all); i++ {
				if all[i-1].lastStop.before(all[i].lastStop) {
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
func storeEarliest(buses map[string]instant, name string, m instant) {
	if least, ok := buses[name]; !ok || m.before(least) {
		buses[name] = m
	}
}

// neverStopped reports whether any of the given starts begins before m and has no stop after m. Its sound may have
// ended by itself before m. The slice all must be sorted by begin, with the stops that collectStarts sets.
func neverStopped(all []startInstants, m instant) bool {
	n, _ := slices.BinarySearchFunc(all, m, func(s startInstants, m instant) int { return s.first.compare(m) })
	return n > 0 && !m.before(all[n-1].lastStop)
}

// lastStop returns the instant of the last cue or scheduled panic that stops the voices of the start c, by id, by bus
// or all voices. If they are never stopped, it is the zero instant.
func (e *terminations) lastStop(c *Cue) instant {
	return later(later(e.stops[c.ID], e.stops["all"]), e.busStops[c.Bus])
}

// endsLoop reports whether the voices of c, a looping start, are stopped or released from their loops after the instant
// m.
func (e *terminations) endsLoop(c *Cue, m instant) bool {
	return m.before(e.lastStop(c)) || e.released(c.ID, m)
}

// released reports whether the voices of id leave their loops after the instant m and are not made to loop endlessly
// again later. It is false for the empty id.
func (e *terminations) released(id string, m instant) bool {
	last := e.releases[id]
	return m.before(last) && !last.before(e.endlessLoops[id])
}

// loopsForever reports whether set leaves a voice looping without end. set is a cue at the instant m that makes voices
// loop endlessly. The result is true if a voice began before m, would end without set, and is not stopped or released
// after m. Whether that voice still sounds at m is not checked.
func (e *terminations) loopsForever(set *Cue, m instant) bool {
	return !e.released(set.Target, m) && neverStopped(e.once[set.Target], m)
}

// pausedForever reports whether pause, a cue at the instant m, leaves a voice paused without end. A pause of an id
// holds the voices alive at that instant. A pause of a bus or of all voices also holds later starts. Only a resume of
// the same target counts. Whether the voice of an id still sounds at m is not checked.
func (e *terminations) pausedForever(pause *Cue, m instant) bool {
	if m.before(e.resumes[pause.target()]) {
		return false
	}
	if pause.Scope == OnID {
		return neverStopped(e.plays[pause.Target], m)
	}
	stop, some := e.buses[pause.target()]
	return some && !m.before(stop)
}

// ErrEndless is wrapped by the error of Read if voices still sound when everything in the sheet must have
// ended. It indicates a fault of the mixer and prevents a render from filling the disk.
var ErrEndless = errors.New("cue: the render does not end")

const (
	// minPitch is the lowest pitch of a voice, in semitones.
	minPitch = -96

	// maxTail is an upper bound for the tail of a voice plus the limiter's delay, in seconds.
	maxTail = 1

	// maxDCFade is an upper bound, in seconds, for the additional time of the DC guard. It measures whole
	// seconds, at most two of them, and then fades out in half a second.
	maxDCFade = 3
)

// upperBound returns an upper bound for the end of a render, in frames. It returns never if the end is unknown or set
// elsewhere. This is so if the sheet has a length or panics, waits for ends, does not end, or plays a stream of unknown
// length.
//
// After the last cue no voice is started, paused, moved to another position or kept in a loop. Each voice that plays
// then has at most its whole sound left, at the slowest pitch of the sheet, plus the loop rounds of the sheet.
func (p *Player) upperBound() int64 {
	s := p.sheet
	if s.Length != nil || len(s.panics) > 0 || s.HasFollowOns() || s.CheckRender() != nil {
		return never
	}
	last := 0.0 // frames
	for i, cue := range s.activeCues() {
		m := s.lastInstant(i).frame
		last = max(last, float64(m+cue.Over.Frames(s.Rate)))
		for _, c := range cue.starts() {
			last = max(last, float64(m+c.delay.Frames(s.Rate)))
		}
	}
	pitches := s.pitches()
	maxRemaining := 0.0
	for _, cue := range s.activeCues() {
		for _, c := range cue.starts() {
			maxRemaining = max(maxRemaining, p.maxDuration(c, cue, &pitches))
		}
	}
	if maxRemaining == never {
		return never
	}
	end := last + maxRemaining + float64(maxTail*s.Rate) + float64(s.effectTail())
	if s.Master.DCGuard {
		end += float64(maxDCFade * s.Rate)
	}
	if end >= never/2 {
		return never
	}
	return int64(end)
}

// maxDuration returns an upper bound for the duration of a start of cue, in frames. It is never if c plays a stream of
// unknown length once. A delay of the layer is not included. c is cue itself or a layer of it. pitches are the pitches
// of the sheet.
func (p *Player) maxDuration(c, cue *Cue, pitches *pitchRanges) float64 {
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
		frames = max(frames, float64(sound.Frames())+float64(float64(rounds+1)*float64(sound.Loop().Frames())))
	}
	return frames * math.Exp2(-max(pitches.rangeOf(s, c, cue).low, minPitch)/12)
}

// checkEnd returns an error that wraps ErrEndless if the render has reached its upper bound, see upperBound; otherwise
// nil. The first call computes the bound and keeps it in p.rendering.
func (p *Player) checkEnd() error {
	f := &p.rendering
	if f.upperBound == 0 {
		f.upperBound = p.upperBound()
	}
	if f.now < f.upperBound {
		return nil
	}
	return fmt.Errorf("%w: all voices should have ended before %v, but %d still play; set a length, such as `length: 60s`",
		ErrEndless, rules.FrameTime(f.upperBound, p.sheet.Rate), p.mixer.Stats().Playing)
}
