package play

import (
	"container/heap"
	"slices"

	"voicepool/cue/internal/runsheet"
	"voicepool/mixer"
)

// followOns tracks the cues that other actions wait for. An action that waits for the end of a cue begins at
// the exact frame of the end of its last voice.
type followOns struct {
	sheet          *runsheet.Sheet
	progress       []launchProgress    // one per launch of the sheet
	upcoming       occurrenceHeap      // launches that have not begun and whose frames are known
	endedLaunches  []int               // launches that have ended since the last release
	waitingActions []int               // actions of begun launches that wait for the end of an id
	awaited        map[mixer.Tag]bool  // the tags of ids that an action waits for
	activeStarts   map[mixer.Tag]int   // by awaited tag: the number of pending starts and living voices
	endFrames      map[mixer.Tag]int64 // by awaited tag: the frame where the last start of the id has ended
	loopingStarts  []loopingStart      // starts of awaited ids that are still in their loops
	leftLoop       map[uint64]bool     // by voice number: living voices that have left their loops
	unreleased     int                 // actions that have not been released
	firstCue       int                 // events of cues before this index are ignored
}

// loopingStart is a looping start of an id that an action waits for.
type loopingStart struct {
	tag    mixer.Tag
	handle mixer.Handle
}

// countEnd counts the end of one start of an id. The parameter tag is the number of the id, and frame is the frame of
// that end. It decrements the number of starts of the id. If no start is left, frame is recorded as the end of the id,
// for the actions that wait for it.
func (f *followOns) countEnd(tag mixer.Tag, frame int64) {
	if f.activeStarts[tag]--; f.activeStarts[tag] == 0 {
		f.endFrames[tag] = frame
	}
}

// launchProgress is the progress of a launch.
type launchProgress struct {
	started    bool
	startFrame int64  // the frame where the launch begins
	remaining  uint64 // the number of starts of the launch that have not ended
	endFrame   int64  // the frame where the last of these starts has ended
	reported   bool   // Options.Fired has been called

	stopped bool // the launch was stopped, possibly before it began

	// With the lookahead on.
	countdown *mixer.Countdown
	batches   []*cueBatch
	handles   []mixer.Handle // live show: the voices of the launch that have not ended
}

// newFollowOns returns the tracker of all actions of sheet s that wait for the end of an id or of another cue. It
// tracks each launch of s, which is one run of a list cue. All launches are still to begin.
func newFollowOns(s *runsheet.Sheet) followOns {
	f := followOns{sheet: s, awaited: map[mixer.Tag]bool{}, activeStarts: map[mixer.Tag]int{}, endFrames: map[mixer.Tag]int64{}}
	for i := range s.Cues {
		if tag := s.Cues[i].AwaitedTag; tag != 0 {
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
	for i := len(f.progress); i < len(f.sheet.Launches); i++ {
		l, r := &f.sheet.Launches[i], launchProgress{}
		for j := l.First; j < l.First+l.Count; j++ {
			c := &f.sheet.Cues[j]
			if c.State == runsheet.Waiting {
				f.unreleased++
			}
			if c.Launch > 0 {
				r.remaining += c.StartCount()
			}
		}
		if f.progress = append(f.progress, r); l.Predecessor < 0 {
			f.schedule(i, l.Base.Frames(f.sheet.Rate))
		}
	}
}

// hasPending reports whether any action cannot be scheduled yet because it waits for an end: the end of another cue, or
// the end of all voices with an id.
func (f *followOns) hasPending() bool { return f.unreleased > 0 }

// schedule puts launch i (one run of a list cue) into f.upcoming. The launch will begin at frame base of the show plus
// its own delay, the Offset in f.sheet.Launches.
func (f *followOns) schedule(i int, base int64) {
	heap.Push(&f.upcoming, occurrence{Instant: instant(base+f.sheet.Launches[i].Offset.Frames(f.sheet.Rate), i)})
}

// nextLaunch returns the first frame of the show when a pending launch (one run of a list cue) begins. If no such
// frame is known yet, it returns the constant never.
func (f *followOns) nextLaunch() int64 {
	if len(f.upcoming) == 0 {
		return never
	}
	return f.upcoming[0].Frame
}

// countStart counts one start of cue c for the actions that wait for the end of its id. It has no effect if no action
// waits for that id. It has no effect for list cues either, because startLaunch counts their starts.
func (f *followOns) countStart(c *runsheet.Cue) {
	if c.List == 0 && f.awaited[c.Tag] {
		f.activeStarts[c.Tag]++
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
	if n *= c.StartCount() / c.Times; n == 0 || c.Launch == 0 {
		return
	}
	if f.awaited[c.Tag] {
		if f.activeStarts[c.Tag] -= int(n); f.activeStarts[c.Tag] == 0 {
			f.endFrames[c.Tag] = a.Frame
		}
	}
	if r := &f.progress[c.Launch-1]; r.remaining > 0 {
		if r.remaining -= min(n, r.remaining); r.remaining == 0 && r.started {
			f.recordEnd(c.Launch-1, a.Frame)
		}
	}
}

// processEvent updates the counts of starts after event e of the mixer. If e ends or rejects a start, it subtracts 1
// from two counts: the count of the id of the start, and the count of its launch (the run of its list cue). At 0, the
// id or launch has ended at e.Frame. A voice that left its loop earlier was subtracted from the count of its id at that
// time, so only the count of its launch changes. Other events, and events of cues before f.firstCue, have no effect.
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
	case f.awaited[c.Tag]:
		f.countEnd(c.Tag, e.Frame)
	}
	if c.Launch > 0 {
		if r := &f.progress[c.Launch-1]; r.remaining > 0 {
			if r.remaining--; r.remaining == 0 && r.started {
				f.recordEnd(c.Launch-1, e.Frame)
			}
		}
	}
}

// recordEnd records that launch i (one run of a list cue) has ended at frame, because the last of its starts has ended.
// The next call of release then begins the launches that follow it.
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
	f.upcoming = slices.DeleteFunc(f.upcoming, func(t occurrence) bool { return t.Index < launches })
	heap.Init(&f.upcoming)
	f.waitingActions = slices.DeleteFunc(f.waitingActions, func(i int) bool { return i < cues })
	f.endedLaunches, f.unreleased, f.firstCue = nil, 0, cues
	for i := cues; i < len(f.sheet.Cues); i++ {
		if f.sheet.Cues[i].State == runsheet.Waiting {
			f.unreleased++
		}
	}
	clear(f.activeStarts)
	for i := range f.progress[:launches] {
		f.progress[i].reported, f.progress[i].remaining = true, 0
	}
}

// release begins the launches (runs of list cues) that are due at or before frame now. It also adds actions to the
// schedule, the parameter to, if their wait for an end is over. Their times count from the frame of that end. After the
// end of an id, they count from the beginning of their own launch if that is later.
//
// The result is true if an action or launch that waited for an end has been released. It is also true if a launch
// without starts begins at the end of this call, because it has ended at once. The caller must then send the commands
// that are due and call release again.
func (f *followOns) release(now int64, to *Schedule) (some bool) {
	f.startLaunches(now)
	var ownWaits []*runsheet.Cue // actions that waited for their own id, which counts them only from here on
	stillWaiting := f.waitingActions[:0]
	for _, i := range f.waitingActions {
		c := &f.sheet.Cues[i]
		if f.activeStarts[c.AwaitedTag] > 0 {
			stillWaiting = append(stillWaiting, i)
			continue
		}
		if c.Tag == c.AwaitedTag {
			ownWaits = append(ownWaits, c)
		}
		to.release(i, max(f.endFrames[c.AwaitedTag], f.progress[c.Launch-1].startFrame))
		f.unreleased--
		some = true
	}
	for _, c := range ownWaits {
		f.activeStarts[c.Tag] += int(c.StartCount())
	}
	f.waitingActions = stillWaiting
	ended := f.endedLaunches
	f.endedLaunches = nil
	for _, i := range ended {
		for k := i + 1; k < len(f.progress) && f.sheet.Launches[k].Predecessor == i; k++ {
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
		f.startLaunch(t.Index, t.Frame)
	}
}

// startLaunch records that a launch (one run of a list cue) begins at frame. The parameter launch is its index. Its
// starts are added to the counts of ids that actions wait for, but not the starts that wait for the end of their own
// id; release adds these. Its own actions that wait for the end of an id are added to f.waitingActions. A launch
// without starts ends at the same frame.
func (f *followOns) startLaunch(launch int, frame int64) {
	l, r := &f.sheet.Launches[launch], &f.progress[launch]
	r.started, r.startFrame = true, frame
	for i := l.First; i < l.First+l.Count; i++ {
		c := &f.sheet.Cues[i]
		if f.awaited[c.Tag] && c.Launch > 0 && c.Tag != c.AwaitedTag {
			f.activeStarts[c.Tag] += int(c.StartCount())
		}
		if c.AwaitedTag != 0 {
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
	l := &f.sheet.Launches[launch]
	for i := l.First; i < l.First+l.Count; i++ {
		if f.sheet.Cues[i].AwaitedTag == 0 {
			to.release(i, frame)
			f.unreleased--
		}
	}
}
