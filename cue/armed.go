package cue

import (
	"container/heap"
	"math"
	"slices"

	"voicepool/bank/rules"
	"voicepool/mixer"
)

// unit is a batch of commands that begin together: the actions of one list cue, or actions that wait for
// the end of an id. Its first frame may be known only on the audio side. The mixer receives the commands
// ahead of it.
type unit struct {
	batch  *mixer.Batch
	base   int64             // its first frame; an estimate until known is true
	known  bool              // base is exact
	steps  []step            // commands carried out before the actions
	turns  turns             // the actions, at frames relative to base
	from   int64             // the offset of base from the start of the actions' time, in frames
	last   int64             // the last command, in frames after base
	launch int               // index of the launch that begins here; -1: none
	rank   int32             // rank of the command that fires the batch
	at     int64             // the frame of the GO that fires the batch; -1: another batch fires it
	begins func(frame int64) // called with base; may be nil
	over   int64             // the batch is discarded after this frame; 0: it is kept
	ends   bool              // it cancels other units, so a panic does not cancel it
}

// step is a command of a unit that does not come from an action.
type step struct {
	offset int64
	rank   int32
	do     func(mixer.Moment) error
}

// armed is the lookahead of a player: cues handed to the mixer before their frames.
type armed struct {
	on    bool
	show  *unit   // the timeline, fired at frame 0, and every command outside other units
	units []*unit // in order of creation; removed once all their commands have acted
	unit  *unit   // the unit of Player.held
	goes  []Go    // the scheduled GOs that are still to come
	next  int     // index of the next list cue for a GO without a number
	tags  map[uint64]*mixer.Countdown
}

// arm switches the player to the lookahead: from now on each GO adds its cues when its frame comes near.
// It has no effect on later calls.
func (p *Player) arm() {
	if p.armed.on {
		return
	}
	s := p.Sheet().unfired()
	p.sheet, p.schedule, p.follows = s, s.Schedule(s.Rate, s.Seed), newFollows(s)
	p.schedule.gone = p.gone
	for tag := range s.ids { // a later sheet may wait for any of them
		if p.options.Changes {
			p.follows.awaited[uint64(tag+1)] = true
		}
	}
	p.armed = armed{on: true, show: &unit{batch: p.mixer.NewBatch(), launch: -1}, tags: map[uint64]*mixer.Countdown{}}
	p.armed.goes = s.clocked(s.Rate)
	if p.options.Live {
		p.armed.goes = p.begins.goes
	}
	p.add(p.armed.show)
	if p.begins.settled {
		p.settle()
	}
}

func (p *Player) add(u *unit) *unit {
	p.armed.units = append(p.armed.units, u)
	return u
}

// waiter adds a unit that another command fires, at about the given frame.
func (p *Player) waiter(about int64) *unit {
	return p.add(&unit{batch: p.mixer.NewBatch(), base: about, launch: -1, at: -1})
}

// tagged returns the count of the living starts with a tag and creates it if needed.
func (p *Player) tagged(tag uint64) *mixer.Countdown {
	c := p.armed.tags[tag]
	if c == nil {
		c = p.mixer.NewLoopCountdown()
		p.armed.tags[tag] = c
	}
	return c
}

func (u *unit) step(offset int64, rank int, do func(mixer.Moment) error) {
	u.steps = append(u.steps, step{offset, int32(rank), do})
	u.last = max(u.last, offset)
}

// turn adds the action of cue i of the sheet.
func (u *unit) turn(s *Sheet, i int) {
	heap.Push(&u.turns, turn{moment: moment{s.Cues[i].moment(0).Frames(s.Rate) - u.from, i}})
}

// fire starts list cue number list and its chain at a frame, as if from had already elapsed since the GO.
// It returns the index of the list cue after the chain.
func (p *Player) fire(list int, frame int64, from rules.Time) (next int) {
	s, f := p.sheet, &p.follows
	first := len(s.launches)
	next = s.begin(list, rules.FrameTime(frame, s.Rate), from)
	f.add()
	f.soon = f.soon[:0]
	chain := p.waiter(frame) // the cues of the chain that begin by time, from this frame or from the end of a cue on
	chain.at, chain.rank = frame, int32(s.launches[first].first)
	for i := first; i < len(s.launches); i++ {
		l := &s.launches[i]
		if i > first && l.after != s.launches[i-1].after {
			ended, follows := chain, p.waiter(frame)
			count, leader := f.runs[l.after].count, &s.launches[l.after]
			ended.step(leader.since.Frames(s.Rate), leader.first, func(at mixer.Moment) error {
				return at.FireAt(follows.batch, count)
			})
			chain = follows
		}
		p.launch(i, chain)
	}
	return next
}

// launch creates the unit of launch i. The unit chain fires it.
func (p *Player) launch(i int, chain *unit) {
	s, r := p.sheet, &p.follows.runs[i]
	l := &s.launches[i]
	u, since := p.waiter(chain.base), l.since.Frames(s.Rate)
	u.launch, u.from = i, since
	r.count = p.mixer.NewCountdown()
	chain.step(since, l.first, func(at mixer.Moment) error { return at.Add(r.count, whole(r.left)) })
	chain.step(since, l.first, func(at mixer.Moment) error { return at.Fire(u.batch) })
	r.units = append(r.units, u)
	p.live.active = append(p.live.active, i)
	for j := l.first; j < l.first+l.count; j++ {
		c := &s.Cues[j]
		p.schedule.enlist(j)
		counts := p.follows.awaited[c.tag] && c.launch > 0
		tag := func(at mixer.Moment) error { return at.Add(p.tagged(c.tag), whole(c.asks())) }
		if c.afterTag == 0 {
			if u.turn(s, j); counts {
				u.step(0, l.first, tag)
			}
			continue
		}
		w, awaited := p.waiter(chain.base), p.tagged(c.afterTag)
		w.turn(s, j)
		r.units = append(r.units, w)
		switch {
		case counts && c.tag == c.afterTag:
			w.step(0, j, tag)
		case counts:
			u.step(0, l.first, tag)
		}
		u.step(0, l.first, func(at mixer.Moment) error { return at.FireAt(w.batch, awaited) })
	}
}

// whole converts a number of starts to an int.
func whole(n uint64) int { return int(min(n, math.MaxInt32)) }

// moment returns the mixer moment for commands at a frame: in the current unit, or directly if the
// lookahead is off.
func (p *Player) moment(frame int64) mixer.Moment {
	a, rank := &p.armed, int32(0)
	if p.held != nil {
		rank = int32(p.held.Cue)
	}
	u := a.unit
	switch {
	case !a.on:
		return p.mixer.At(frame)
	case u == nil:
		u = a.show
	}
	return u.batch.At(frame - u.base).WithRank(rank)
}

// handAll hands over every command due before a frame, as far as the mixer has room, and fires the units
// whose GO is known.
func (p *Player) handAll(before int64) error {
	a := &p.armed
	p.handed = max(p.handed, before)
	for len(a.goes) > 0 {
		g := &a.goes[0]
		frame := g.At.Frames(p.sheet.Rate)
		if frame >= before {
			break
		}
		if a.goes = a.goes[1:]; g.Does != DoGo {
			if rest := a.goes; g.Does == DoPanic {
				p.panic(g.Over.Duration(p.sheet.Rate), frame)
				a.goes = rest
			}
			continue
		}
		list := p.sheet.meant(g, a.next)
		if list == len(p.sheet.List) { // an edited sheet may have no cue left for it
			continue
		}
		a.next = p.fire(list, frame, g.From)
		if p.options.Live {
			p.live.recordGo(*g)
		}
	}
	if p.held != nil { // the mixer was full
		if err := p.sendHeld(); err != nil {
			return err
		}
	}
	a.unit = nil
	if _, err := p.feed(before); err != nil {
		return err
	}
	for _, u := range a.units {
		if err := p.armUnit(u, before); err != nil {
			return err
		}
	}
	for _, u := range a.units {
		if u.at >= 0 {
			if err := p.mixer.At(u.at).WithRank(u.rank).Fire(u.batch); err != nil {
				return err
			}
			u.at = -1
		}
	}
	return nil
}

// armUnit hands over the commands of a unit that are due before a frame. If the frame of the unit is
// unknown, it hands over as many frames of commands after its beginning as Feed is ahead.
func (p *Player) armUnit(u *unit, before int64) error {
	a := &p.armed
	until := before - u.base
	if !u.known {
		until = p.ahead()
		if p.mixer.Stats().Pending > p.most/2 {
			return nil // not urgent
		}
	}
	for len(u.steps) > 0 {
		st := &u.steps[0]
		if err := st.do(u.batch.At(st.offset).WithRank(st.rank)); err != nil {
			return err
		}
		u.steps = u.steps[1:]
	}
	for len(u.turns) > 0 && u.turns[0].frame < until {
		t := u.turns[0]
		u.last = max(u.last, t.frame)
		act, after, more := p.schedule.repeat(t)
		act.Frame += u.base
		if more {
			after.frame = p.schedule.since(after).Frames(p.sheet.Rate) - u.from
			u.turns[0] = after
			heap.Fix(&u.turns, 0)
		} else {
			heap.Pop(&u.turns)
		}
		p.fewer(u, &act, t.frame)
		if act.Passed {
			continue
		}
		p.held, a.unit = &act, u
		if err := p.sendHeld(); err != nil {
			return err
		}
	}
	a.unit = nil
	return nil
}

// sendHeld sends the held action and clears it on success.
func (p *Player) sendHeld() error {
	if err := p.send(p.held); err != nil {
		return p.sheet.Cues[p.held.Cue].placed(p.sheet.File, err)
	}
	p.sent++
	p.held, p.done = nil, 0
	return nil
}

// updateFired records the frames of the units that have been fired, and deletes the units that have acted.
func (p *Player) updateFired(st *mixer.Stats) {
	a := &p.armed
	for _, u := range a.units {
		if u.known || p.held != nil && a.unit == u {
			continue
		}
		if frame, fired := u.batch.Base(); fired {
			u.base, u.known = frame, true
			if u.launch >= 0 {
				r := &p.follows.runs[u.launch]
				r.begun, r.begin = true, frame
			}
			if u.begins != nil {
				u.begins(frame)
			}
		}
	}
	a.units = slices.DeleteFunc(a.units, func(u *unit) bool {
		if u.over > 0 {
			return u.over < st.Frame
		}
		return u.known && u != a.show && len(u.steps) == 0 && len(u.turns) == 0 && u.base+u.last < st.Frame
	})
	p.follows.ended = p.follows.ended[:0]
}

// idle reports whether the list has no GO and no unit left.
func (a *armed) idle() bool { return len(a.goes) == 0 && len(a.units) <= 1 }

// fewer subtracts the starts that chance skips from the counts of a unit.
func (p *Player) fewer(u *unit, a *Action, offset int64) {
	p.follows.fewer(a)
	c, n := &p.sheet.Cues[a.Cue], a.Rest
	if a.Passed {
		n++
	}
	if n *= c.asks() / c.Times; n == 0 || c.launch == 0 {
		return
	}
	for _, count := range p.countdownsOf(c) {
		if count != nil {
			u.step(offset, a.Cue, func(at mixer.Moment) error { return at.Add(count, -whole(n)) })
		}
	}
}
