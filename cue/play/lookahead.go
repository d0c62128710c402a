package play

import (
	"container/heap"
	"math"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/mixer"
	"voicepool/pcm"
)

// lookahead hands the cues of a show in real time to the mixer before their frames. Its commands are in batches, which
// other commands fire.
type lookahead struct {
	*show
	sender       *sender
	batches      []*cueBatch // in order of creation; removed once all their commands have acted
	goes         []cue.Go    // the scheduled GOs that are still to come
	nextCue      int         // index of the next list cue for a GO without a number
	handedOverTo int64       // every action before this frame has been handed over
	maxCommands  int64       // the largest number of commands in flight
}

// on reports whether the lookahead is in use. In a render it is false.
func (a *lookahead) on() bool { return a.sender.timeline != nil }

// start prepares the player for playing in real time. From then on, commands are handed to the mixer shortly before
// their frame, and each GO adds its cues when its frame comes near. The function replaces the sheet, the schedule and
// the follow-ons by new ones, so it must run before the first command. from is the beginning of the show. Only the
// first call has an effect.
func (a *lookahead) start(from *startFrom) {
	if a.on() {
		return
	}
	s := runsheet.New(a.given.Load())
	a.sheet, a.schedule, a.follows = s, newSchedule(s, s.Rate, s.Seed), newFollowOns(s)
	a.schedule.isOver = a.sounds.areOver
	for i := range s.Cues { // a later sheet may wait for any of the ids
		if tag := s.Cues[i].Tag; tag != 0 && a.options.Changes {
			a.follows.awaited[tag] = true
		}
	}
	if a.goes = runsheet.GoesByMixerClock(s.Goes, s.Rate); a.options.Live {
		a.goes = from.goes
	}
	a.sender.timeline = a.registerBatch(&cueBatch{batch: a.mixer.Engine().NewBatch(), launch: -1})
	if !from.earlierFinished {
		return
	}
	for i := range from.standby { // the lasting results of the cues before the first one
		if !s.List[i].Disabled && s.AddFinished(i) {
			chain := a.addBatch(0)
			chain.goFrame, chain.rank = 0, int32(s.Launches[len(s.Launches)-1].First)
			a.follows.trackNewLaunches()
			a.follows.upcoming = a.follows.upcoming[:0]
			a.addLaunchBatch(len(s.Launches)-1, chain)
		}
	}
}

// registerBatch adds u, a batch of commands, to the batches that handOverAll hands to the mixer. It returns u.
func (a *lookahead) registerBatch(u *cueBatch) *cueBatch {
	a.batches = append(a.batches, u)
	return u
}

// addBatch creates an empty batch of commands and registers it for handOverAll. The commands of the batch wait until
// another command fires the batch, or until the caller sets its goFrame. about is an estimate of its first frame.
func (a *lookahead) addBatch(about int64) *cueBatch {
	return a.registerBatch(&cueBatch{batch: a.mixer.Engine().NewBatch(), firstFrame: about, launch: -1, goFrame: -1})
}

// fire carries out a GO of the list cue with index list. It starts this cue, and the cues that follow it without
// another GO, at the given frame of the show. They play as if the time from had already elapsed since the GO. fire
// creates their launches (runs) and batches of commands; handOverAll sends them to the mixer later. It returns the
// list index after the last of these cues.
func (a *lookahead) fire(list int, frame int64, from rules.Time) (next int) {
	s, f := a.sheet, &a.follows
	first := len(s.Launches)
	next = s.AddGo(list, rules.FrameTime(frame, s.Rate), from)
	f.trackNewLaunches()
	f.upcoming = f.upcoming[:0]
	chain := a.addBatch(frame) // the cues of the chain that begin by time, from this frame or from the end of a cue on
	chain.goFrame, chain.rank = frame, int32(s.Launches[first].First)
	for i := first; i < len(s.Launches); i++ {
		l := &s.Launches[i]
		if i > first && l.Predecessor != s.Launches[i-1].Predecessor {
			ended, follows := chain, a.addBatch(frame)
			count, leader := f.progress[l.Predecessor].countdown, &s.Launches[l.Predecessor]
			ended.addStep(leader.Offset.Frames(s.Rate), leader.First, func(at mixer.Moment) error {
				return at.FireAt(follows.batch, count)
			})
			chain = follows
		}
		a.addLaunchBatch(i, chain)
	}
	return next
}

// addLaunchBatch creates the batches of commands for launch number i, a run of a list cue, and marks the launch as
// active. One batch has the actions of the launch that begin by time. Each action that waits for the end of an id gets
// a batch of its own, which that end fires. The batch parent gets the commands that fire the new batch when the launch
// begins.
func (a *lookahead) addLaunchBatch(i int, parent *cueBatch) {
	s, r := a.sheet, &a.follows.progress[i]
	l := &s.Launches[i]
	u, since := a.addBatch(parent.firstFrame), l.Offset.Frames(s.Rate)
	u.launch, u.offset = i, since
	r.countdown = a.mixer.Engine().NewCountdown()
	parent.addStep(since, l.First, func(at mixer.Moment) error { return at.Add(r.countdown, clampToInt(r.remaining)) })
	parent.addStep(since, l.First, func(at mixer.Moment) error { return at.Fire(u.batch) })
	r.batches = append(r.batches, u)
	a.live.active = append(a.live.active, i)
	for j := l.First; j < l.First+l.Count; j++ {
		c := &s.Cues[j]
		a.schedule.addPickers(j)
		counts := a.follows.awaited[c.Tag] && c.Launch > 0
		tag := func(at mixer.Moment) error { return at.Add(a.sender.countdownOf(c.Tag), clampToInt(c.StartCount())) }
		if c.AwaitedTag == 0 {
			if u.addAction(s, j); counts {
				u.addStep(0, l.First, tag)
			}
			continue
		}
		waiting, awaited := a.addBatch(parent.firstFrame), a.sender.countdownOf(c.AwaitedTag)
		waiting.addAction(s, j)
		r.batches = append(r.batches, waiting)
		switch {
		case counts && c.Tag == c.AwaitedTag:
			waiting.addStep(0, j, tag)
		case counts:
			u.addStep(0, l.First, tag)
		}
		u.addStep(0, l.First, func(at mixer.Moment) error { return at.FireAt(waiting.batch, awaited) })
	}
}

// handOverAll hands to the mixer all commands that act before the given frame of the show. It starts the list cues of
// scheduled GOs before that frame, carries out the scheduled panics before it, and fires the batches whose GO is known.
// Scheduled pauses are left to Render. If the mixer's queue is full, the error is mixer.ErrBusy, and the next call
// continues there. Other errors are the mixer's, too.
func (a *lookahead) handOverAll(before int64) error {
	a.handedOverTo = max(a.handedOverTo, before)
	for len(a.goes) > 0 {
		g := &a.goes[0]
		frame := g.At.Frames(a.sheet.Rate)
		if frame >= before {
			break
		}
		if a.goes = a.goes[1:]; g.Action != cue.ActionGo {
			if remaining := a.goes; g.Action == cue.ActionPanic {
				a.panic(g.Over.Duration(a.sheet.Rate), frame)
				a.goes = remaining
			}
			continue
		}
		list := runsheet.CueOf(a.sheet.List, g, a.nextCue)
		if list == len(a.sheet.List) { // an edited sheet may have no cue left for it
			continue
		}
		a.nextCue = a.fire(list, frame, g.From)
		if a.options.Live {
			a.live.recordGo(*g)
		}
	}
	if _, err := a.sender.send(before); err != nil { // it begins with the action that the mixer had no room for
		return err
	}
	for _, u := range a.batches {
		if err := a.handOverBatch(u, before); err != nil {
			return err
		}
	}
	for _, u := range a.batches {
		if u.goFrame >= 0 {
			if err := a.mixer.Engine().At(u.goFrame).WithRank(u.rank).Fire(u.batch); err != nil {
				return err
			}
			u.goFrame = -1
		}
	}
	return nil
}

// handOverBatch hands commands of batch u to the mixer: first all steps of u, and then the actions that are due before
// the given frame of the show. If the first frame of the batch is not known yet, it hands over the actions in the first
// a.lookaheadFrames() frames of the batch instead. But if more than half of the mixer's queue is in use then, it hands
// over no command and returns nil. If the queue is full, the error is mixer.ErrBusy, and the next call continues there.
// Other errors are the mixer's, too.
func (a *lookahead) handOverBatch(u *cueBatch, before int64) error {
	until := before - u.firstFrame
	if !u.frameKnown {
		until = a.lookaheadFrames()
		if a.mixer.Stats().Pending > a.maxCommands/2 {
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
	for len(u.actions) > 0 && u.actions[0].Frame < until {
		t := u.actions[0]
		u.lastFrame = max(u.lastFrame, t.Frame)
		action, after, more := a.schedule.actionOf(t)
		action.Frame += u.firstFrame
		if more {
			after.Frame = a.schedule.timeOf(after).Frames(a.sheet.Rate) - u.offset
			u.actions[0] = after
			heap.Fix(&u.actions, 0)
		} else {
			heap.Pop(&u.actions)
		}
		a.skipCountdowns(u, &action, t.Frame)
		if action.Skipped {
			continue
		}
		a.sender.begin(action, u)
		if err := a.sender.resume(); err != nil {
			return err
		}
	}
	return nil
}

// updateFired finds the batches of commands that the mixer has fired since the last call. It records their first frames
// and calls their onBegin. Then it removes the batches whose commands have all acted before stats.Frame, and the
// discarded batches after the frame of the command that discarded them. The timeline stays. Options.Fired is called
// later, by updatePlaying. It runs on the goroutine of Run.
func (a *lookahead) updateFired(stats *mixer.Stats) {
	for _, u := range a.batches {
		if u.frameKnown || a.sender.busy() && a.sender.current.batch == u {
			continue
		}
		if frame, fired := u.batch.Base(); fired {
			u.firstFrame, u.frameKnown = frame, true
			if u.launch >= 0 {
				r := &a.follows.progress[u.launch]
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
		return u.frameKnown && u != a.sender.timeline && len(u.steps) == 0 && len(u.actions) == 0 && u.firstFrame+u.lastFrame < stats.Frame
	})
	a.follows.endedLaunches = a.follows.endedLaunches[:0]
}

// finished reports whether no voice plays and no further start will come. A start can be scheduled, can wait for the
// end of a voice or for a GO, or can wait until the mixer has room. stats are the counters of the mixer. Tails of
// effects may still sound. The result may be false although only other actions, such as fades, are left.
func (a *lookahead) finished(stats *mixer.Stats) bool {
	d := a.sender
	waiting := a.follows.hasPending()
	if a.on() {
		waiting = !a.idle()
	}
	return d.isQuiet(stats) && a.schedule.Plays() == 0 && !waiting && (!d.busy() || d.cue().Play == nil)
}

// idle reports whether no scheduled GO is left and no batch of commands is in use. The batch of the timeline does not
// count, because it is always in use.
func (a *lookahead) idle() bool { return len(a.goes) == 0 && len(a.batches) <= 1 }

// skipCountdowns corrects the counts of starts for an action whose repetitions may be skipped by chance or dropped.
// These starts will never end, so they are subtracted from the counts of the launch (run) and the id of the cue. For
// the countdowns of the mixer, it adds commands to batch u, at offset frames after its beginning. If all starts of the
// action happen, it has no effect.
func (a *lookahead) skipCountdowns(u *cueBatch, action *Action, offset int64) {
	a.follows.subtractSkipped(action)
	c, n := &a.sheet.Cues[action.Cue], action.Dropped
	if action.Skipped {
		n++
	}
	if n *= c.StartCount() / c.Times; n == 0 || c.Launch == 0 {
		return
	}
	for _, count := range a.sender.countdownsOf(c) {
		if count != nil {
			u.addStep(offset, action.Cue, func(at mixer.Moment) error { return at.Add(count, -clampToInt(n)) })
		}
	}
}

// stopLaunch stops one launch, a run of a list cue. The parameter launch is its index in a.sheet.Launches. Its voices
// fade out within the time over, from the next frame that the mixer can reach. Without Options.Live its voices are
// unknown and continue. Its pending actions and messages are cancelled. A cue that waits for the end of the launch
// still begins. stopLaunch runs on the goroutine of Run.
func (a *lookahead) stopLaunch(launch int, over time.Duration) {
	r, end := &a.follows.progress[launch], a.addBatch(a.nextFrame())
	end.goFrame, end.rank, end.cancelsOthers = end.firstFrame, math.MaxInt32, true
	r.stopped = true
	for _, u := range r.batches {
		pending := uint64(0)
		for _, t := range u.actions {
			c := &a.sheet.Cues[t.Index]
			pending += (c.Times - t.number) * (c.StartCount() / c.Times)
		}
		u.steps, u.actions, u.discardAfter = nil, nil, end.firstFrame+1
		end.addStep(0, 0, func(at mixer.Moment) error { return at.Drop(u.batch) })
		end.addStep(0, 0, func(at mixer.Moment) error { return at.Add(r.countdown, -clampToInt(pending)) })
		r.remaining -= min(pending, r.remaining)
	}
	for _, h := range r.handles {
		end.addStep(0, 0, func(at mixer.Moment) error { return at.Stop(mixer.TargetVoice(h), over) })
	}
	a.outbox.cancel(end, r.batches)
	a.sender.drop(r.batches...)
}

// panic stops everything at the given frame of the show, before all other commands of that frame. It fades all voices
// out within the time over, and resumes paused voices. It cancels all pending actions, launches (runs of list cues),
// scheduled GOs and messages. Starts by hand that wait for their frame or batch are stopped at once. All other commands
// of the panic are in a batch, which the next call of handOverAll sends to the mixer. Once the mixer has fired this
// batch, Player.Goes includes the panic. It runs on the goroutine of Run.
func (a *lookahead) panic(over time.Duration, frame int64) {
	a.manual.pending.cancel()
	batches := slices.Clone(a.batches)
	end := &cueBatch{batch: a.mixer.Engine().NewBatch(), firstFrame: frame, launch: -1, rank: rankFirst, cancelsOthers: true}
	end.goFrame, a.live.resumeAfterPanic = end.firstFrame, end.firstFrame+1
	end.onBegin = func(frame int64) {
		a.live.recordGo(cue.Go{At: rules.FrameTime(frame, a.sheet.Rate), Action: cue.ActionPanic, Over: rules.FrameTime(pcm.Frames(over, a.sheet.Rate), a.sheet.Rate)})
	}
	for _, u := range batches {
		if u.discardAfter > 0 || u.cancelsOthers {
			continue // already discarded, or it cancels others
		}
		u.steps, u.actions, u.goFrame, u.discardAfter = nil, nil, -1, frame+1
		end.addStep(0, rankFirst, func(at mixer.Moment) error { return at.Drop(u.batch) })
	}
	end.addStep(0, rankFirst, func(at mixer.Moment) error { return at.Stop(mixer.TargetAll(), over) })
	end.addStep(0, rankFirst, func(at mixer.Moment) error { return at.Resume(mixer.TargetAll()) })
	a.outbox.cancel(end, nil)
	a.sender.drop(batches...)
	a.sender.timeline = a.registerBatch(&cueBatch{batch: a.mixer.Engine().NewBatch(), firstFrame: end.firstFrame, goFrame: end.firstFrame, launch: -1})
	a.registerBatch(end)
	a.schedule.clear(len(a.sheet.Cues))
	a.follows.clear(len(a.sheet.Launches), len(a.sheet.Cues))
	clear(a.sender.countdowns)
	a.goes, a.live.active = nil, a.live.active[:0]
}

// replaceGoes replaces the scheduled GO commands by the commands of sheet s. Only commands that have not been handed
// over are kept. It also sets a.nextCue to the cue of s that the next GO without a number starts. oldCues is the length
// of the old list. newIndex converts an index of the old list to an index of the list of s; the result is -1 if s does
// not have that cue.
func (a *lookahead) replaceGoes(s *cue.Sheet, oldCues int, newIndex func(int) int) {
	next := a.nextCue
	for next < oldCues && newIndex(next) < 0 {
		next++
	}
	if a.nextCue = len(s.List); next < oldCues {
		a.nextCue = newIndex(next)
	}
	goes := slices.Clone(runsheet.GoesByMixerClock(s.Goes, s.Rate))
	a.goes = slices.DeleteFunc(goes, func(g cue.Go) bool { return g.At.Frames(s.Rate) < a.handedOverTo })
}
