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

// removeLeftLoops handles the looping starts that have left their loops by the current frame of a render. An action
// may wait for the end of an id. For such an action, a looping start ends when it leaves its loop, even if it still
// sounds. So this function counts these starts as ended at the current frame. It also removes them from
// followOns.loopingStarts. Starts that are over already are only removed, because their events count them.
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

// countEnd counts the end of one start of an id. The parameter tag is the number of the id, and frame is the frame of
// that end. It decrements the number of starts of the id. If no start is left, frame is recorded as the end of the id,
// for the actions that wait for it.
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

// newFollowOns returns the tracker of all actions of sheet s that wait for the end of an id or of another cue. It
// tracks each launch of s, which is one run of a list cue. All launches are still to begin.
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

// trackNewLaunches starts to track the launches that were added to the sheet since the last call. A launch is one run
// of a list cue. The function counts the starts and the waiting actions of each new launch. Starts of a timeline that
// the launch begins are not counted. A launch that begins at a known time is put into f.upcoming. A launch that follows
// the end of another one is not.
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

// startCount returns the number of voices that cue c starts. It is the number of layers of its sound, or 1 without
// layers, times the repetitions c.Times. The result is 0 if the cue starts no sound.
func (c *Cue) startCount() (n uint64) {
	for range c.starts() {
		n += c.Times
	}
	return n
}

// hasPending reports whether any action still waits for the end of a cue or id before it can be scheduled.
func (f *followOns) hasPending() bool { return f.unreleased > 0 }

// schedule puts launch i (one run of a list cue) into f.upcoming. The launch will begin at frame base of the show plus
// its own delay, the offset in f.sheet.launches.
func (f *followOns) schedule(i int, base int64) {
	heap.Push(&f.upcoming, occurrence{instant: instant{base + f.sheet.launches[i].offset.Frames(f.sheet.Rate), i}})
}

// nextLaunch returns the first frame of the show when a pending launch (one run of a list cue) begins. If no such
// frame is known yet, it returns the constant never.
func (f *followOns) nextLaunch() int64 {
	if len(f.upcoming) == 0 {
		return never
	}
	return f.upcoming[0].frame
}

// countStart counts one start of cue c for the actions that wait for the end of its id. It has no effect if no action
// waits for that id. It has no effect for list cues either, because startLaunch counts their starts.
func (f *followOns) countStart(c *Cue) {
	if c.list == 0 && f.awaited[c.tag] {
		f.activeStarts[c.tag]++
	}
}

// subtractSkipped corrects the counts of pending starts by the starts that action a leaves out. These are a itself if
// it is Skipped, and the a.Dropped repetitions after it. The id of the cue has ended at the frame of a if it then has
// no start left. The launch of the cue (its run) has ended, too, if it has no start left. Cues outside a launch are
// not changed.
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

// processEvent updates the counts of starts after event e of the mixer. If e ends or rejects a start, it subtracts 1
// from the count of its id and of its launch (the run of its list cue). At 0, the id or launch has ended at e.Frame. A
// voice that left its loop earlier was subtracted from its id then. Other events, and events of cues before
// f.firstCue, have no effect.
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

// recordEnd records that launch i (one run of a list cue) ended at frame, with its last start. The next call of
// release then begins the launches that follow it.
func (f *followOns) recordEnd(i int, frame int64) {
	f.progress[i].endFrame = frame
	f.endedLaunches = append(f.endedLaunches, i)
}

// clear drops the waits and the pending launches (runs of list cues) that existed before a panic. The parameters
// launches and cues are their numbers before the panic; later launches, and waits of later cues, are kept. Dropped
// launches count as ended. Later events of the old cues are ignored. The counts of living starts are reset to 0 for
// all ids.
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

// release begins the launches (runs of list cues) that are due at or before frame now. It also adds to the schedule,
// the parameter to, the actions whose wait for an end is over. Their times count from the frame of that end.
//
// The result is true if an action or launch was waiting for an end and has been released, or if another launch has
// ended. The caller must then send the commands that are due and call release again.
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

// startLaunches begins all pending launches (runs of list cues) whose known frame is at or before now.
func (f *followOns) startLaunches(now int64) {
	for f.nextLaunch() <= now {
		t := heap.Pop(&f.upcoming).(occurrence)
		f.startLaunch(t.index, t.frame)
	}
}

// startLaunch records that a launch (one run of a list cue) begins at frame. The parameter launch is its index. Its
// starts are added to the counts of ids that actions wait for, but not the starts that wait for the end of their own
// id; release adds these. Its own actions that wait for the end of an id are added to f.waitingActions. A launch
// without starts ends at the same frame.
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

// releaseActions adds the actions of a launch (one run of a list cue) to the schedule, the parameter to. The parameter
// launch is its index. This launch follows the end of another launch, which ended at frame. Actions that also wait for
// the end of an id are left out.
func (f *followOns) releaseActions(launch int, frame int64, to *Schedule) {
	l := &f.sheet.launches[launch]
	for i := l.first; i < l.first+l.count; i++ {
		if f.sheet.Cues[i].awaitedTag == 0 {
			to.release(i, frame)
			f.unreleased--
		}
	}
}

// feedNow sends the commands due at the current frame of a render to the mixer, makes the mixer carry them out, and
// processes the resulting events. No frame is mixed. If the mixer's queue is full, feedNow repeats this until all
// commands are sent, at most about 4,096 times. The error is the mixer's.
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

// mixToEnd mixes the beginning of dst while actions of a render wait for the end of voices. First it sends the
// commands due at the current frame and releases actions whose wait is over. Then it mixes until a voice may end or
// the next command is due, but at most 20 ms. So the waiting actions can begin at the exact frame of the end.
//
// dst has p.outputs elements per frame. The result is the number of mixed frames, and p.rendering.now advances by it.
// If no voice can sound any longer, mixToEnd drops the waits and returns 0. The error is of the mixer or a stream.
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
