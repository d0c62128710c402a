package cue

import (
	"container/heap"
	"math"
	"slices"

	"voicepool/bank/rules"
	"voicepool/mixer"
)

// cueBatch is a batch of commands that begin together: the actions of one list cue, or actions that wait for
// the end of an id. Its first frame may be known only on the audio side. The mixer receives the commands
// ahead of it.
type cueBatch struct {
	batch         *mixer.Batch
	firstFrame    int64             // its first frame; an estimate until frameKnown is true
	frameKnown    bool              // firstFrame is exact
	steps         []batchStep       // commands carried out before the actions
	actions       occurrenceHeap    // the actions, at frames relative to firstFrame
	offset        int64             // the offset of firstFrame from the start of the actions' time, in frames
	lastFrame     int64             // the last command, in frames after firstFrame
	launch        int               // index of the launch that begins here; -1: none
	rank          int32             // rank of the command that fires the batch
	goFrame       int64             // the frame of the GO that fires the batch; -1: another batch fires it
	onBegin       func(frame int64) // called with firstFrame; may be nil
	discardAfter  int64             // the batch is discarded after this frame; 0: it is kept
	cancelsOthers bool              // it cancels other batches, so a panic does not cancel it
}

// batchStep is a command of a batch that does not come from an action.
type batchStep struct {
	offset int64
	rank   int32
	do     func(mixer.Moment) error
}

// lookahead holds the cues that are handed to the mixer before their frames.
type lookahead struct {
	on        bool
	timeline  *cueBatch   // the timeline, fired at frame 0, and every command outside other batches
	batches   []*cueBatch // in order of creation; removed once all their commands have acted
	heldBatch *cueBatch   // the batch of Player.held
	goes      []Go        // the scheduled GOs that are still to come
	nextCue   int         // index of the next list cue for a GO without a number
	tags      map[uint64]*mixer.Countdown
}

// startLookahead prepares the player for playing in real time. From then on, commands are handed to the mixer shortly
// before their frame, and each GO adds its cues when its frame comes near. The function replaces p.sheet, p.schedule
// and p.follows by new ones, so it must run before the first command. Only the first call has an effect.
func (p *Player) startLookahead() {
	if p.lookahead.on {
		return
	}
	s := p.Sheet().playableCopy()
	p.sheet, p.schedule, p.follows = s, s.Schedule(s.Rate, s.Seed), newFollowOns(s)
	p.schedule.isOver = p.soundIsOver
	for tag := range s.ids { // a later sheet may wait for any of them
		if p.options.Changes {
			p.follows.awaited[uint64(tag+1)] = true
		}
	}
	p.lookahead = lookahead{on: true, timeline: &cueBatch{batch: p.mixer.NewBatch(), launch: -1}, tags: map[uint64]*mixer.Countdown{}}
	p.lookahead.goes = s.goesByMixerClock(s.Rate)
	if p.options.Live {
		p.lookahead.goes = p.startFrom.goes
	}
	p.registerBatch(p.lookahead.timeline)
	if p.startFrom.earlierFinished {
		p.applyFinishedCues()
	}
}

// registerBatch adds u, a batch of commands, to the batches that handOverAll hands to the mixer. It returns u.
func (p *Player) registerBatch(u *cueBatch) *cueBatch {
	p.lookahead.batches = append(p.lookahead.batches, u)
	return u
}

// addBatch creates an empty batch of commands and registers it for handOverAll. The commands of the batch wait until
// another command fires the batch, or until the caller sets its goFrame. about is an estimate of its first frame.
func (p *Player) addBatch(about int64) *cueBatch {
	return p.registerBatch(&cueBatch{batch: p.mixer.NewBatch(), firstFrame: about, launch: -1, goFrame: -1})
}

// countdownOf returns the countdown of one id. It counts the pending and living starts of that id, for actions that
// wait for the end of the id. The parameter tag is the number of the id. The first call for a tag creates the
// countdown, at 0. It runs on the goroutine of Feed.
func (p *Player) countdownOf(tag uint64) *mixer.Countdown {
	c := p.lookahead.tags[tag]
	if c == nil {
		c = p.mixer.NewLoopCountdown()
		p.lookahead.tags[tag] = c
	}
	return c
}

// addStep adds a command to the batch. The command acts offset frames after the beginning of the batch. Of the
// commands at one frame, those with a lower rank act first. The function do sends the command to the mixer; its
// argument is the moment when the command acts. If do returns mixer.ErrBusy, it is called again later.
func (u *cueBatch) addStep(offset int64, rank int, do func(mixer.Moment) error) {
	u.steps = append(u.steps, batchStep{offset, int32(rank), do})
	u.lastFrame = max(u.lastFrame, offset)
}

// addAction adds the action s.Cues[i] with all its repetitions to the batch. In the batch, times count from its
// beginning. The first repetition is at the time of the cue minus u.offset, in frames.
func (u *cueBatch) addAction(s *Sheet, i int) {
	heap.Push(&u.actions, occurrence{instant: instant{s.Cues[i].regularTime(0).Frames(s.Rate) - u.offset, i}})
}

// fire carries out a GO of the list cue with index list. It starts this cue, and the cues that follow it without
// another GO, at the given frame of the show. They play as if the time from had already elapsed since the GO. fire
// creates their launches (runs) and batches of commands; handOverAll sends them to the mixer later. It returns the
// list index after the last of these cues.
func (p *Player) fire(list int, frame int64, from rules.Time) (next int) {
	s, f := p.sheet, &p.follows
	first := len(s.launches)
	next = s.addGo(list, rules.FrameTime(frame, s.Rate), from)
	f.trackNewLaunches()
	f.upcoming = f.upcoming[:0]
	chain := p.addBatch(frame) // the cues of the chain that begin by time, from this frame or from the end of a cue on
	chain.goFrame, chain.rank = frame, int32(s.launches[first].first)
	for i := first; i < len(s.launches); i++ {
		l := &s.launches[i]
		if i > first && l.predecessor != s.launches[i-1].predecessor {
			ended, follows := chain, p.addBatch(frame)
			count, leader := f.progress[l.predecessor].countdown, &s.launches[l.predecessor]
			ended.addStep(leader.offset.Frames(s.Rate), leader.first, func(at mixer.Moment) error {
				return at.FireAt(follows.batch, count)
			})
			chain = follows
		}
		p.addLaunchBatch(i, chain)
	}
	return next
}

// addLaunchBatch creates the batches of commands for launch number i, a run of a list cue, and marks the launch as
// active. One batch has the actions of the launch that begin by time. Each action that waits for the end of an id gets
// a batch of its own, which that end fires. The batch parent gets the commands that fire the new batch when the launch
// begins.
func (p *Player) addLaunchBatch(i int, parent *cueBatch) {
	s, r := p.sheet, &p.follows.progress[i]
	l := &s.launches[i]
	u, since := p.addBatch(parent.firstFrame), l.offset.Frames(s.Rate)
	u.launch, u.offset = i, since
	r.countdown = p.mixer.NewCountdown()
	parent.addStep(since, l.first, func(at mixer.Moment) error { return at.Add(r.countdown, clampToInt(r.remaining)) })
	parent.addStep(since, l.first, func(at mixer.Moment) error { return at.Fire(u.batch) })
	r.batches = append(r.batches, u)
	p.live.active = append(p.live.active, i)
	for j := l.first; j < l.first+l.count; j++ {
		c := &s.Cues[j]
		p.schedule.addPickers(j)
		counts := p.follows.awaited[c.tag] && c.launch > 0
		tag := func(at mixer.Moment) error { return at.Add(p.countdownOf(c.tag), clampToInt(c.startCount())) }
		if c.awaitedTag == 0 {
			if u.addAction(s, j); counts {
				u.addStep(0, l.first, tag)
			}
			continue
		}
		waiting, awaited := p.addBatch(parent.firstFrame), p.countdownOf(c.awaitedTag)
		waiting.addAction(s, j)
		r.batches = append(r.batches, waiting)
		switch {
		case counts && c.tag == c.awaitedTag:
			waiting.addStep(0, j, tag)
		case counts:
			u.addStep(0, l.first, tag)
		}
		u.addStep(0, l.first, func(at mixer.Moment) error { return at.FireAt(waiting.batch, awaited) })
	}
}

// clampToInt converts n, a number of starts, to an int. A number above 2^31 - 1 becomes 2^31 - 1.
func clampToInt(n uint64) int { return int(min(n, math.MaxInt32)) }

// moment returns the mixer moment for commands at frame of the show. In real time it belongs to a batch: the batch of
// the action that is being handed over, or else the batch of the timeline. Its rank is then the index of the cue of
// p.held, or 0. In a render (without lookahead) it is the frame itself, without a batch.
func (p *Player) moment(frame int64) mixer.Moment {
	a, rank := &p.lookahead, int32(0)
	if p.held != nil {
		rank = int32(p.held.Cue)
	}
	u := a.heldBatch
	switch {
	case !a.on:
		return p.mixer.At(frame)
	case u == nil:
		u = a.timeline
	}
	return u.batch.At(frame - u.firstFrame).WithRank(rank)
}

// handOverAll hands to the mixer all commands that act before the given frame of the show. It starts the list cues of
// scheduled GOs before that frame, carries out the scheduled panics before it, and fires the batches whose GO is known.
// Scheduled pauses are left to Render. If the mixer's queue is full, the error is mixer.ErrBusy, and the next call
// continues there. Other errors are the mixer's, too.
func (p *Player) handOverAll(before int64) error {
	a := &p.lookahead
	p.handedOverTo = max(p.handedOverTo, before)
	for len(a.goes) > 0 {
		g := &a.goes[0]
		frame := g.At.Frames(p.sheet.Rate)
		if frame >= before {
			break
		}
		if a.goes = a.goes[1:]; g.Action != ActionGo {
			if remaining := a.goes; g.Action == ActionPanic {
				p.panic(g.Over.Duration(p.sheet.Rate), frame)
				a.goes = remaining
			}
			continue
		}
		list := p.sheet.cueOf(g, a.nextCue)
		if list == len(p.sheet.List) { // an edited sheet may have no cue left for it
			continue
		}
		a.nextCue = p.fire(list, frame, g.From)
		if p.options.Live {
			p.live.recordGo(*g)
		}
	}
	if p.held != nil { // the mixer was full
		if err := p.sendHeld(); err != nil {
			return err
		}
	}
	a.heldBatch = nil
	if _, err := p.feed(before); err != nil {
		return err
	}
	for _, u := range a.batches {
		if err := p.handOverBatch(u, before); err != nil {
			return err
		}
	}
	for _, u := range a.batches {
		if u.goFrame >= 0 {
			if err := p.mixer.At(u.goFrame).WithRank(u.rank).Fire(u.batch); err != nil {
				return err
			}
			u.goFrame = -1
		}
	}
	return nil
}

// handOverBatch hands commands of batch u to the mixer: first all steps of u, and then the actions that are due before
// the given frame of the show. If the first frame of the batch is not known yet, it hands over the actions in the first
// p.lookaheadFrames() frames of the batch instead. But if more than half of the mixer's queue is in use then, it hands
// over no command and returns nil. If the queue is full, the error is mixer.ErrBusy, and the next call continues there.
// Other errors are the mixer's, too.
func (p *Player) handOverBatch(u *cueBatch, before int64) error {
	a := &p.lookahead
	until := before - u.firstFrame
	if !u.frameKnown {
		until = p.lookaheadFrames()
		if p.mixer.Stats().Pending > p.maxCommands/2 {
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
	for len(u.actions) > 0 && u.actions[0].frame < until {
		t := u.actions[0]
		u.lastFrame = max(u.lastFrame, t.frame)
		action, after, more := p.schedule.actionOf(t)
		action.Frame += u.firstFrame
		if more {
			after.frame = p.schedule.timeOf(after).Frames(p.sheet.Rate) - u.offset
			u.actions[0] = after
			heap.Fix(&u.actions, 0)
		} else {
			heap.Pop(&u.actions)
		}
		p.skipCountdowns(u, &action, t.frame)
		if action.Skipped {
			continue
		}
		p.held, a.heldBatch = &action, u
		if err := p.sendHeld(); err != nil {
			return err
		}
	}
	a.heldBatch = nil
	return nil
}

// sendHeld sends p.held, the action that is being handed over, to the mixer. p.held must not be nil. On success the
// action counts in p.sent, and p.held becomes nil. On an error the action stays held, so that the next attempt can
// continue with it. The error mixer.ErrBusy means that the mixer's queue is full. Other errors have the file and line
// of the cue, if known.
func (p *Player) sendHeld() error {
	if err := p.send(p.held); err != nil {
		return p.sheet.Cues[p.held.Cue].locateError(p.sheet.File, err)
	}
	p.sent++
	p.held, p.acceptedCommands = nil, 0
	return nil
}

// updateFired finds the batches of commands that the mixer has fired since the last call. It records their first frames
// and calls their onBegin. Then it removes the batches whose commands have all acted before stats.Frame, and the
// discarded batches after the frame of the command that discarded them. The timeline stays. Options.Fired is called
// later, by updatePlaying. It runs on the goroutine of Feed.
func (p *Player) updateFired(stats *mixer.Stats) {
	a := &p.lookahead
	for _, u := range a.batches {
		if u.frameKnown || p.held != nil && a.heldBatch == u {
			continue
		}
		if frame, fired := u.batch.Base(); fired {
			u.firstFrame, u.frameKnown = frame, true
			if u.launch >= 0 {
				r := &p.follows.progress[u.launch]
				r.started, r.startFrame = true, frame
			}
			if u.onBegin != nil {
				u.onBegin(frame)
			}
		}
	}
	a.batches = slices.DeleteFunc(a.batches, func(u *cueBatch) bool {
		if u.discardAfter > 0 {
			return u.discardAfter < stats.Frame
		}
		return u.frameKnown && u != a.timeline && len(u.steps) == 0 && len(u.actions) == 0 && u.firstFrame+u.lastFrame < stats.Frame
	})
	p.follows.endedLaunches = p.follows.endedLaunches[:0]
}

// idle reports whether no scheduled GO is left, and no batch of commands except the timeline is still in use.
func (a *lookahead) idle() bool { return len(a.goes) == 0 && len(a.batches) <= 1 }

// skipCountdowns corrects the counts of starts for action a, whose repetitions may be skipped by chance or dropped.
// These starts will never end, so they are subtracted from the counts of the launch (run) and the id of the cue. For
// the countdowns of the mixer, it adds commands to batch u, at offset frames after its beginning. If all starts of a
// happen, it has no effect.
func (p *Player) skipCountdowns(u *cueBatch, a *Action, offset int64) {
	p.follows.subtractSkipped(a)
	c, n := &p.sheet.Cues[a.Cue], a.Dropped
	if a.Skipped {
		n++
	}
	if n *= c.startCount() / c.Times; n == 0 || c.launch == 0 {
		return
	}
	for _, count := range p.countdownsOf(c) {
		if count != nil {
			u.addStep(offset, a.Cue, func(at mixer.Moment) error { return at.Add(count, -clampToInt(n)) })
		}
	}
}
