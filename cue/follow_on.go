package cue

import (
	"container/heap"
	"errors"
	"slices"

	"voicepool/mixer"
	"voicepool/pcm"
)

// followOns tracks the cues that other actions wait for. An action that waits for the end of a cue begins at
// the exact frame of the end of its last voice.
type followOns struct {
	sheet          *Sheet
	progress       []launchProgress // one per launch of the sheet
	upcoming       occurrenceHeap   // launches that have not begun and whose frames are known
	endedLaunches  []int            // launches that have ended since the last release
	waitingActions []int            // actions of begun launches that wait for the end of an id
	awaited        map[uint64]bool  // the tags of ids that an action waits for
	activeStarts   map[uint64]int   // by such a tag: pending starts plus living voices
	endFrames      map[uint64]int64
	loopingStarts  []loopingStart  // starts of such ids that are still in their loops
	leftLoop       map[uint64]bool // by voice number: living voices that have left their loops
	unreleased     int             // actions that have not been released
	firstCue       int             // events of cues before this index are ignored
}

// loopingStart is a looping start of an id that an action waits for.
type loopingStart struct {
	tag    uint64
	handle mixer.Handle
}

// removeLeftLoops removes the starts in followOns.loopingStarts that have left their loops by the current frame of a
// render. A start that still sounds then counts as ended at that frame for the actions that wait for the end of its id.
func (p *Player) removeLeftLoops() {
	f := &p.follows
	f.loopingStarts = slices.DeleteFunc(f.loopingStarts, func(l loopingStart) bool {
		if !p.mixer.LeftLoop(l.handle) {
			return false
		}
		if !l.handle.State().Over() {
			if f.leftLoop == nil {
				f.leftLoop = map[uint64]bool{}
			}
			f.leftLoop[l.handle.Number()] = true
			f.countEnd(l.tag, p.rendering.now)
		}
		return true
	})
}

// countEnd counts one start less for the id with the given tag, because that start ended at frame. If it was the last,
// frame is recorded as the end of the id.
func (f *followOns) countEnd(tag uint64, frame int64) {
	if f.activeStarts[tag]--; f.activeStarts[tag] == 0 {
		f.endFrames[tag] = frame
	}
}

// launchProgress is the progress of a launch.
type launchProgress struct {
	started    bool
	startFrame int64  // its frame
	remaining  uint64 // its starts that have not ended
	endFrame   int64  // the frame of the end of the last one
	reported   bool   // Options.Fired has been called

	stopped bool // it was stopped, possibly before it began

	// With the lookahead on.
	countdown *mixer.Countdown
	batches   []*cueBatch
	handles   []mixer.Handle // live show: its starts that have not ended
}

// newFollowOns returns the followOns for the ids and launches of sheet s. No launch has begun. A launch is one run of a
// list cue.
func newFollowOns(s *Sheet) followOns {
	f := followOns{sheet: s, awaited: map[uint64]bool{}, activeStarts: map[uint64]int{}, endFrames: map[uint64]int64{}}
	for i := range s.Cues {
		if tag := s.Cues[i].awaitedTag; tag != 0 {
			f.awaited[tag] = true
		}
	}
	f.trackNewLaunches()
	return f
}

// trackNewLaunches tracks the launches that were added to the sheet since the last call. Each is scheduled for its
// frame, unless it follows the end of another launch. A launch is one run of a list cue.
func (f *followOns) trackNewLaunches() {
	for i := len(f.progress); i < len(f.sheet.launches); i++ {
		l, r := &f.sheet.launches[i], launchProgress{}
		for j := l.first; j < l.first+l.count; j++ {
			c := &f.sheet.Cues[j]
			if c.state == stateWaiting {
				f.unreleased++
			}
			if c.launch > 0 {
				r.remaining += c.startCount()
			}
		}
		if f.progress = append(f.progress, r); l.predecessor < 0 {
			f.schedule(i, l.base.Frames(f.sheet.Rate))
		}
	}
}

// startCount returns the number of voices that cue c starts over all its repetitions: the number of layers of its
// sound, or 1, times c.Times. It is 0 if the cue is not a start.
func (c *Cue) startCount() (n uint64) {
	for range c.starts() {
		n += c.Times
	}
	return n
}

// hasPending reports whether any action is still to be released, because it waits for the end of a cue or id.
func (f *followOns) hasPending() bool { return f.unreleased > 0 }

// schedule schedules launch i to begin its delay `since` after frame base of the show.
func (f *followOns) schedule(i int, base int64) {
	heap.Push(&f.upcoming, occurrence{instant: instant{base + f.sheet.launches[i].offset.Frames(f.sheet.Rate), i}})
}

// nextLaunch returns the earliest known frame of the show when a launch begins that has not begun; never if such a
// frame is not known.
func (f *followOns) nextLaunch() int64 {
	if len(f.upcoming) == 0 {
		return never
	}
	return f.upcoming[0].frame
}

// countStart counts one start of cue c, if c is in `cues` and an action waits for the end of its id. Starts of list
// cues are counted by begin instead.
func (f *followOns) countStart(c *Cue) {
	if c.list == 0 && f.awaited[c.tag] {
		f.activeStarts[c.tag]++
	}
}

// subtractSkipped subtracts the starts that chance skips at action a: the action itself if it is Skipped, and the
// a.Dropped repetitions after it. If the id or the launch of the cue has no start left then, it ends at the frame of
// the action.
func (f *followOns) subtractSkipped(a *Action) {
	n := a.Dropped
	if a.Skipped {
		n++
	}
	c := &f.sheet.Cues[a.Cue]
	if n *= c.startCount() / c.Times; n == 0 || c.launch == 0 {
		return
	}
	if f.awaited[c.tag] {
		if f.activeStarts[c.tag] -= int(n); f.activeStarts[c.tag] == 0 {
			f.endFrames[c.tag] = a.Frame
		}
	}
	if r := &f.progress[c.launch-1]; r.remaining > 0 {
		if r.remaining -= min(n, r.remaining); r.remaining == 0 && r.started {
			f.recordEnd(c.launch-1, a.Frame)
		}
	}
}

// processEvent counts down the starts of an id and a launch if event e ends or rejects such a start. At 0 the id or
// launch has ended at e.Frame. Other kinds of events, and events of cues before f.firstCue, have no effect.
func (f *followOns) processEvent(e *mixer.Event) {
	switch e.Kind {
	case mixer.EventEnded, mixer.EventStopped, mixer.EventStolen, mixer.EventRejected, mixer.EventLimited, mixer.EventCoalesced:
	default:
		return
	}
	i, _ := splitRef(e.Ref)
	if i < f.firstCue || i >= len(f.sheet.Cues) {
		return
	}
	c := &f.sheet.Cues[i]
	switch {
	case f.leftLoop[e.Voice] && e.Voice > 0:
		delete(f.leftLoop, e.Voice)
	case f.awaited[c.tag]:
		f.countEnd(c.tag, e.Frame)
	}
	if c.launch > 0 {
		if r := &f.progress[c.launch-1]; r.remaining > 0 {
			if r.remaining--; r.remaining == 0 && r.started {
				f.recordEnd(c.launch-1, e.Frame)
			}
		}
	}
}

// recordEnd records that the last start of launch i ended at frame. The next call of release then begins the launches
// that follow it.
func (f *followOns) recordEnd(i int, frame int64) {
	f.progress[i].endFrame = frame
	f.endedLaunches = append(f.endedLaunches, i)
}

// clear drops waits and pending launches, except of launches from index launches on and of cues from index cues on.
// The dropped launches count as over. Counts of living starts of ids are reset to 0.
func (f *followOns) clear(launches, cues int) {
	f.loopingStarts, f.leftLoop = nil, nil
	f.upcoming = slices.DeleteFunc(f.upcoming, func(t occurrence) bool { return t.index < launches })
	heap.Init(&f.upcoming)
	f.waitingActions = slices.DeleteFunc(f.waitingActions, func(i int) bool { return i < cues })
	f.endedLaunches, f.unreleased, f.firstCue = nil, 0, cues
	for i := cues; i < len(f.sheet.Cues); i++ {
		if f.sheet.Cues[i].state == stateWaiting {
			f.unreleased++
		}
	}
	clear(f.activeStarts)
	for i := range f.progress[:launches] {
		f.progress[i].reported, f.progress[i].remaining = true, 0
	}
}

// release begins the launches due by frame now. The schedule to gets all actions that waited for ends that have
// happened. It reports whether there was such an action or another launch has ended; the caller must then call it
// again.
func (f *followOns) release(now int64, to *Schedule) (some bool) {
	f.startLaunches(now)
	var ownWaits []*Cue // actions that waited for their own id, which counts them only from here on
	stillWaiting := f.waitingActions[:0]
	for _, i := range f.waitingActions {
		c := &f.sheet.Cues[i]
		if f.activeStarts[c.awaitedTag] > 0 {
			stillWaiting = append(stillWaiting, i)
			continue
		}
		if c.tag == c.awaitedTag {
			ownWaits = append(ownWaits, c)
		}
		to.release(i, max(f.endFrames[c.awaitedTag], f.progress[c.launch-1].startFrame))
		f.unreleased--
		some = true
	}
	for _, c := range ownWaits {
		f.activeStarts[c.tag] += int(c.startCount())
	}
	f.waitingActions = stillWaiting
	ended := f.endedLaunches
	f.endedLaunches = nil
	for _, i := range ended {
		for k := i + 1; k < len(f.progress) && f.sheet.launches[k].predecessor == i; k++ {
			f.schedule(k, f.progress[i].endFrame)
			f.releaseActions(k, f.progress[i].endFrame, to)
			some = true
		}
	}
	f.startLaunches(now)
	return some || len(f.endedLaunches) > 0
}

// startLaunches begins all launches whose known frame is at or before now.
func (f *followOns) startLaunches(now int64) {
	for f.nextLaunch() <= now {
		t := heap.Pop(&f.upcoming).(occurrence)
		f.startLaunch(t.index, t.frame)
	}
}

// startLaunch records that the launch with index launch begins at frame: it counts its starts and registers its waiting
// actions. A launch without starts ends at the same frame.
func (f *followOns) startLaunch(launch int, frame int64) {
	l, r := &f.sheet.launches[launch], &f.progress[launch]
	r.started, r.startFrame = true, frame
	for i := l.first; i < l.first+l.count; i++ {
		c := &f.sheet.Cues[i]
		if f.awaited[c.tag] && c.launch > 0 && c.tag != c.awaitedTag {
			f.activeStarts[c.tag] += int(c.startCount())
		}
		if c.awaitedTag != 0 {
			f.waitingActions = append(f.waitingActions, i)
		}
	}
	if r.remaining == 0 {
		f.recordEnd(launch, frame)
	}
}

// releaseActions adds the actions of the launch with index launch, which follows the end of another one at frame, to
// the schedule. Actions that wait for the end of an id are left out.
func (f *followOns) releaseActions(launch int, frame int64, to *Schedule) {
	l := &f.sheet.launches[launch]
	for i := l.first; i < l.first+l.count; i++ {
		if f.sheet.Cues[i].awaitedTag == 0 {
			to.release(i, frame)
			f.unreleased--
		}
	}
}

// feedNow hands over the commands due at the current frame of a render and lets the mixer carry them out. If the
// mixer's queue is full, it runs the mixer and tries again. The error is the mixer's.
func (p *Player) feedNow() error {
	for tries := 0; ; tries++ {
		_, err := p.feed(p.rendering.now + 1)
		if err != nil && (!errors.Is(err, mixer.ErrBusy) || tries > commands) {
			return err
		}
		p.mixer.Render(nil)
		p.poll()
		if err == nil {
			return nil
		}
	}
}

// mixToEnd mixes the beginning of dst, interleaved outputs, at most until a voice may end, so that waiting actions
// begin at that exact frame. It returns how many frames of p.outputs elements it mixed. If the show is silent for
// good, it drops the waits and returns 0. The error is of the mixer or a stream.
func (p *Player) mixToEnd(dst []pcm.Frame) (int, error) {
	f := &p.rendering
	for more := true; more; { // actions that follow an end act after the others of this frame
		if err := p.feedNow(); err != nil {
			return 0, err
		}
		more = p.follows.release(f.now, p.schedule)
	}
	if st := p.mixer.Stats(); p.isQuiet(&st) && p.schedule.Plays() == 0 && p.follows.nextLaunch() == never {
		p.follows.unreleased = 0 // every voice has ended
		return 0, nil
	}
	hop := max((int64(p.sheet.Rate)+25)/50, 1) // the mixer's grid of 20 ms; voices are also stolen there
	n := min(int64(len(dst)/p.outputs), hop-f.now%hop)
	until := func(frame int64) {
		if frame > f.now {
			n = min(n, frame-f.now)
		}
	}
	if frame, ok := p.schedule.Peek(); ok {
		until(frame)
	}
	until(p.parameters.nextCorner())
	until(p.follows.nextLaunch())
	for i := range p.delayed {
		until(p.delayed[i].frame)
	}
	n = int64(p.mixer.UntilEnd(int(n)))
	p.renderPrepared(dst[:n*int64(p.outputs)])
	f.now += n
	p.poll()
	p.removeLeftLoops()
	return int(n), p.streamErrors.err()
}
