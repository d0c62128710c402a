package cue

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
)

// ErrFire is wrapped by the errors of Fire: there is no such cue, or Feed has been told to end.
var ErrFire = errors.New("cue: no GO")

// live is what people do to a player while it plays.
type live struct {
	mutex               sync.Mutex
	requests            []func() // for the goroutine of Feed
	playing             []Running
	ids                 []string          // by their tags, from 1 on: also those that came by Do, and of sheets before
	tagged              map[string]uint64 // the tags of the first of them
	owners              map[string]uint64 // their numbers, in the same way
	madeIDs, madeOwners madeNames         // by Start
	tags                []uint64          // of the ids of the sheet given last, by its own; nil: they are the same
	first               int               // of the sounds of Player.sheet: that of the sheet given last
	finished            bool
	over                chan struct{} // closed when Feed has returned
	wake                chan struct{} // has one while Feed has not seen all requests
	call                func()        // Options.Wake; nil: nobody

	// Of the goroutine of Feed.
	finish bool
	active []int // launches that are not over, in their order
	calm   int64 // the frame after the last panic
	goes   []Go  // as they were, by the clock of the mixer
	held   pauses
	told   int // of the launches: the first that Fired was not told of, and none behind it
}

// Running is a cue of the list that has begun, or waits to.
type Running struct {
	List    int   // its place in Sheet.List; -1: the sheet has changed, and it is not there any more
	Begun   int64 // the frame at which it began, or begins; -1: it waits for the end of something
	Left    int64 // frames until all that it plays is over; -1: nobody knows
	Waiting bool  // it has not begun
}

// ask has the goroutine of Feed do something soon.
func (l *live) ask(do func()) {
	l.mutex.Lock()
	l.requests = append(l.requests, do)
	l.mutex.Unlock()
	l.rouse()
}

// rouse has the goroutine of Feed look soon. Any goroutine.
func (l *live) rouse() {
	l.mutex.Lock()
	select {
	case l.wake <- struct{}{}: // nobody waits yet where it is nil
	default:
	}
	l.mutex.Unlock()
	if l.call != nil {
		l.call()
	}
}

// askOf asks for something that is done to a cue of the list: the same one if the sheet changes before
// it is done, and nothing where it is gone then. -1 stays -1.
func (l *live) askOf(p *Player, s *Sheet, list int, do func(list int)) {
	switch {
	case list < 0:
		l.ask(func() { do(-1) })
		return
	case list >= len(s.List): // the sheet has changed
		return
	}
	number := s.List[list].Number
	l.ask(func() {
		if all := p.sheet.List; list < len(all) && all[list].Number == number { // mostly, and at once
			do(list)
		} else if i, err := p.sheet.Place(number); err == nil {
			do(i)
		}
	})
}

// begin is called by Feed, and returns what it waits for.
func (l *live) begin() <-chan struct{} {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.wake = make(chan struct{}, 1)
	return l.wake
}

// Fire is a GO of a cue of Sheet.List, by its place there, and of all that goes on from it: as soon
// as the mixer can, all at one frame. A cue may be fired again while it plays. Any goroutine. The
// error wraps ErrFire.
func (p *Player) Fire(list int) error { return p.FireFrom(list, 0) }

// FireFrom is Fire of a cue as it would be some time after its GO: what would have begun by then is at
// its place, of the speed that its cue says, and what would have ended is left out. What begins at the
// end of something does so at that end.
func (p *Player) FireFrom(list int, from time.Duration) error {
	s := p.Sheet()
	switch {
	case list < 0 || list >= len(s.List):
		return fmt.Errorf("%w: the list has the cues 0 to %d, not %d", ErrFire, len(s.List)-1, list)
	case s.List[list].Off:
		return fmt.Errorf("%w: cue %s has `arm: false`", ErrFire, yaml.Quote(s.List[list].Number))
	case p.ended():
		return fmt.Errorf("%w: the show has ended", ErrFire)
	}
	p.live.askOf(p, s, list, func(list int) {
		number, chain := p.sheet.List[list].Number, len(p.armed.units)
		since := rules.FrameTime(max(from.Nanoseconds(), 0), within)
		p.fire(list, p.soonest(), since)
		p.armed.units[chain].begins = func(frame int64) {
			p.live.note(Go{At: rules.FrameTime(frame, p.sheet.Rate), Cue: number, From: since})
		}
	})
	return nil
}

// Panic fades everything out within a time, and has all waits, follow-ons, repetitions, the timeline
// and what Start has for later end. Of two, the one that is silent first counts. Any goroutine.
func (p *Player) Panic(over time.Duration) { p.live.ask(func() { p.panic(over, p.soonest()) }) }

// Cease stops what a cue of Sheet.List plays, within a time, and has its waits and repetitions end.
// What goes on from it by itself does so. Any goroutine.
func (p *Player) Cease(list int, over time.Duration) {
	p.live.askOf(p, p.Sheet(), list, func(list int) {
		for _, i := range slices.Clone(p.live.active) {
			if p.sheet.launches[i].list == list {
				p.cease(i, over)
			}
		}
	})
}

// Finish has Feed fade everything out and return. Any goroutine.
func (p *Player) Finish() {
	p.live.mutex.Lock()
	p.live.finished = true
	p.live.mutex.Unlock()
	p.live.ask(func() { p.live.finish = true })
}

func (p *Player) ended() bool {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	return p.live.finished
}

// Playing returns the cues of the list that have begun and are not over, and those that wait, as
// things stood a few milliseconds ago. Any goroutine.
func (p *Player) Playing() []Running {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	return slices.Clone(p.live.playing)
}

// note notes what was done.
func (l *live) note(g Go) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.goes = append(l.goes, g)
}

// Goes returns what was done to a live show until now: GO, panic, and pauses, at their exact times.
// A sheet with these, see Sheet.WriteGoes, renders the frames that were heard. Any goroutine.
func (p *Player) Goes() []Go {
	l, rate := &p.live, p.sheet.Rate
	l.mutex.Lock()
	defer l.mutex.Unlock()
	goes := slices.Clone(l.goes)
	for i := range goes {
		if d := goes[i].Does; d == DoGo || d == DoPanic {
			goes[i].At = rules.FrameTime(l.held.heard(goes[i].At.Frames(rate)), rate)
		}
	}
	slices.SortStableFunc(goes, func(a, b Go) int { return a.At.Compare(b.At) })
	return goes
}

// flip takes in where Render has held everything.
func (p *Player) flip() {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	for f, some := p.hold.flips.Pop(); some; f, some = p.hold.flips.Pop() {
		p.live.held.flip(f.output, f.on)
		p.live.goes = append(p.live.goes, Go{At: rules.FrameTime(f.output, p.sheet.Rate), Does: map[bool]Deed{true: DoPause, false: DoResume}[f.on]})
	}
}

// serve does what was asked for.
func (p *Player) serve() {
	p.live.mutex.Lock()
	requests := p.live.requests
	p.live.requests = nil
	p.live.mutex.Unlock()
	for _, do := range requests {
		do()
	}
}

// soonest returns the first frame at which commands can act that are given now.
func (p *Player) soonest() int64 {
	rate := p.sheet.Rate
	return max(p.mixer.Now()+pcm.Frames(p.mixer.Latency().Block+time.Millisecond, rate), p.live.calm)
}

// cease ends a launch.
func (p *Player) cease(launch int, over time.Duration) {
	r, end := &p.follows.runs[launch], p.waiter(p.soonest())
	end.at, end.rank, end.ends = end.base, math.MaxInt32, true
	r.ceased = true
	for _, u := range r.units {
		left := uint64(0)
		for _, t := range u.turns {
			c := &p.sheet.Cues[t.index]
			left += (c.Times - t.repetition) * (c.asks() / c.Times)
		}
		u.steps, u.turns, u.over = nil, nil, end.base+1
		end.step(0, 0, func(at mixer.Moment) error { return at.Drop(u.salvo) })
		end.step(0, 0, func(at mixer.Moment) error { return at.Add(r.count, -whole(left)) })
		r.left -= min(left, r.left)
	}
	for _, h := range r.handles {
		end.step(0, 0, func(at mixer.Moment) error { return at.Stop(mixer.TargetVoice(h), over) })
	}
	p.outbox.cancel(end, r.units)
	p.release(r.units...)
}

// foremost is the rank of what acts before all else at its frame.
const foremost = -1

// panic fades everything out from a frame on, before anything else acts there.
func (p *Player) panic(over time.Duration, frame int64) {
	a := &p.armed
	p.byHand.waiting.cancel()
	units := slices.Clone(a.units)
	end := &unit{salvo: p.mixer.NewSalvo(), base: frame, launch: -1, rank: foremost, ends: true}
	end.at, p.live.calm = end.base, end.base+1
	end.begins = func(frame int64) {
		p.live.note(Go{At: rules.FrameTime(frame, p.sheet.Rate), Does: DoPanic, Over: rules.FrameTime(pcm.Frames(over, p.sheet.Rate), p.sheet.Rate)})
	}
	for _, u := range units {
		if u.over > 0 || u.ends {
			continue // it is dropped, or what drops others
		}
		u.steps, u.turns, u.at, u.over = nil, nil, -1, frame+1
		end.step(0, foremost, func(at mixer.Moment) error { return at.Drop(u.salvo) })
	}
	end.step(0, foremost, func(at mixer.Moment) error { return at.Stop(mixer.TargetAll(), over) })
	end.step(0, foremost, func(at mixer.Moment) error { return at.Resume(mixer.TargetAll()) })
	p.outbox.cancel(end, nil)
	p.release(units...)
	a.show = p.add(&unit{salvo: p.mixer.NewSalvo(), base: end.base, at: end.base, launch: -1})
	p.add(end)
	p.schedule.clear(len(p.sheet.Cues))
	p.follows.clear(len(p.sheet.launches), len(p.sheet.Cues))
	clear(a.tags)
	a.goes, p.live.active = nil, p.live.active[:0]
}

// release forgets the action that is held, if it is of units that are dropped.
func (p *Player) release(units ...*unit) {
	a := &p.armed
	if p.held != nil && (a.unit == nil && slices.Contains(units, a.show) || slices.Contains(units, a.unit)) {
		p.held, p.done, a.unit = nil, 0, nil
	}
}

// look tells of what has begun, and notes what plays.
func (p *Player) look(st *mixer.Stats) {
	f, s := &p.follows, p.sheet
	for i := range f.runs[p.live.told:] {
		i += p.live.told
		if r := &f.runs[i]; r.begun && !r.told && r.begin < st.Frame {
			r.told = true
			if p.options.Fired != nil && s.launches[i].list >= 0 {
				p.options.Fired(s.launches[i].list, r.begin)
			}
		}
	}
	for p.live.told < len(f.runs) && f.runs[p.live.told].told {
		p.live.told++
	}
	var playing []Running
	p.live.active = slices.DeleteFunc(p.live.active, func(i int) bool { return (f.runs[i].told || f.runs[i].ceased) && f.runs[i].left == 0 })
	for _, i := range p.live.active {
		one := Running{List: s.launches[i].list, Begun: -1, Left: -1, Waiting: !f.runs[i].told}
		if f.runs[i].begun {
			one.Begun = f.runs[i].begin
			if most := p.longest(i); most != never {
				one.Left = max(one.Begun+int64(most)-st.Frame, 0)
			}
		}
		playing = append(playing, one)
	}
	p.live.mutex.Lock()
	p.live.playing = playing
	p.live.mutex.Unlock()
}

// longest returns how many frames a launch plays, if nothing else moves it; never: nobody knows.
func (p *Player) longest(launch int) float64 {
	most := 0.0
	l := &p.sheet.launches[launch]
	for i := l.first; i < l.first+l.count; i++ {
		asked := &p.sheet.Cues[i]
		for _, c := range asked.starts() {
			if asked.afterTag != 0 {
				return never
			}
			lasts := p.takes(c, asked)
			if lasts == never {
				return never
			}
			from := asked.last(p.sheet.Rate) - asked.base.Frames(p.sheet.Rate) - l.since.Frames(p.sheet.Rate)
			most = max(most, float64(from)+lasts)
		}
	}
	return most
}

// takes returns how many frames a start plays, of its longest file, if nothing else moves it; never:
// nobody knows.
func (p *Player) takes(c, asked *Cue) float64 {
	rate, cut, most := p.sheet.Rate, float64(never), int64(0)
	if c.For != nil {
		cut = float64(c.For.Frames(rate))
	}
	if c.Loop && c.Rounds == 0 {
		return cut
	}
	for _, sound := range p.sounds[c.Sound].Files(c.Loop) {
		if sound.Frames() == 0 && sound.Streamed() {
			return cut
		}
		frames := sound.Frames() - c.From.Frames(rate)
		if c.Loop {
			frames += int64(c.Rounds-1) * sound.Loop().Frames()
		}
		most = max(most, frames)
	}
	return min(cut, float64(most)*math.Exp2(-max(p.pitches.of(p.sheet, c, asked).least, slowest)/12))
}
