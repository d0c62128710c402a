package cue

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/ring"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
)

// ErrFire is wrapped by the errors of Fire and FireFrom: the cue does not exist or is disabled, or the show has been
// finished.
var ErrFire = errors.New("cue: no GO")

// live is the state of commands from other goroutines, such as Fire, Do and Panic.
type live struct {
	mutex                     sync.Mutex
	requests                  []func() // run by the goroutine of Feed
	playing                   []Running
	ids                       []string          // index + 1 is the tag; includes ids from Do and earlier sheets
	tagByID                   map[string]uint64 // index of ids, filled by tagOf
	owners                    map[string]uint64 // owner numbers, including owners from Do and earlier sheets
	runtimeIDs, runtimeOwners runtimeIDs        // created by Start
	tags                      []uint64          // tags by the current sheet's own tags; nil: they are equal
	firstSound                int               // index in Player.sheet.Sounds of the first sound of the current sheet
	finished                  bool
	closed                    chan struct{} // closed when Feed has returned
	wake                      chan struct{} // holds an item while Feed has not seen all requests
	onWake                    func()        // Options.Wake; may be nil

	// Fields of the goroutine of Feed.
	finish           bool
	active           []int // launches that have not ended, in order
	resumeAfterPanic int64 // the frame after the last panic
	goes             []Go  // commands carried out, by the clock of the mixer
	pauses           pauseClock
	reportedUpTo     int // Fired has been called for every launch before this one
}

// Running is a list cue that plays or waits to begin.
type Running struct {
	List       int   // index in Sheet.List; -1: an edit has removed the cue
	StartFrame int64 // the frame where it begins; -1: unknown, it waits for the end of a cue or voice
	Remaining  int64 // frames until everything that it plays has ended; -1: unknown
	Waiting    bool  // it has not begun
}

// enqueue queues the function do. The goroutine of Feed will call all queued functions in the order of the calls of
// enqueue. enqueue wakes that goroutine and does not wait for do. After the end of the show do is never called. It
// takes l.mutex. Any goroutine.
func (l *live) enqueue(do func()) {
	l.mutex.Lock()
	l.requests = append(l.requests, do)
	l.mutex.Unlock()
	l.wakeUp()
}

// wakeUp wakes the goroutine of Feed and then calls Options.Wake, if it is set. It does not wait for Feed. It takes
// l.mutex, but does not hold it during Options.Wake. Any goroutine.
func (l *live) wakeUp() {
	l.mutex.Lock()
	select {
	case l.wake <- struct{}{}: // nil before Feed has begun
	default:
	}
	l.mutex.Unlock()
	if l.onWake != nil {
		l.onWake()
	}
}

// enqueueForCue queues a call of the function do for the goroutine of Feed. do gets the index of a list cue. The
// parameter list is the index of that cue in the list of sheet s. If the sheet of the player changes before the call,
// do gets the index of the cue with the same number. If that cue is gone, or if list is too large, do is not called.
// If list is negative, do gets -1.
func (l *live) enqueueForCue(p *Player, s *Sheet, list int, do func(list int)) {
	switch {
	case list < 0:
		l.enqueue(func() { do(-1) })
		return
	case list >= len(s.List): // the sheet has changed
		return
	}
	number := s.List[list].Number
	l.enqueue(func() {
		if all := p.sheet.List; list < len(all) && all[list].Number == number { // the usual case
			do(list)
		} else if i, err := p.sheet.ListIndex(number); err == nil {
			do(i)
		}
	})
}

// openWakeChannel creates the channel l.wake and returns it. From then on wakeUp sends to this channel. Feed calls it
// once. It takes l.mutex.
func (l *live) openWakeChannel() <-chan struct{} {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.wake = make(chan struct{}, 1)
	return l.wake
}

// Fire gives a GO to the cue with index list in Sheet.List. This starts the cue, and the cues that follow it without
// another GO. Fire returns at once. The GO acts as soon as the mixer can, at one frame for all these cues. A cue may be
// fired again while it plays. Fire needs a running Feed. If the cue does not exist or is disabled, or after Finish, the
// error wraps ErrFire. If the show has ended in another way, Fire has no effect. Any goroutine.
func (p *Player) Fire(list int) error { return p.FireFrom(list, 0) }

// FireFrom starts a list cue as Fire does, but as if the time from had already elapsed since its GO. The parameter
// list is its index in Sheet.List. Sounds that would be playing start in their middle; sounds that would have ended
// are skipped. The length of every sound is computed at the speed that its cue sets. Actions that wait for an end
// still wait for it. A cue with random intervals begins all its repetitions again. A negative time counts as 0. The
// error wraps ErrFire. Any goroutine.
func (p *Player) FireFrom(list int, from time.Duration) error {
	s := p.Sheet()
	switch {
	case list < 0 || list >= len(s.List):
		return fmt.Errorf("%w: the list has the cues 0 to %d, not %d", ErrFire, len(s.List)-1, list)
	case s.List[list].Disabled:
		return fmt.Errorf("%w: cue %s has `arm: false`", ErrFire, yaml.Quote(s.List[list].Number))
	case p.isFinishing():
		return fmt.Errorf("%w: the show has ended", ErrFire)
	}
	p.live.enqueueForCue(p, s, list, func(list int) {
		number, chain := p.sheet.List[list].Number, len(p.lookahead.batches)
		since := rules.FrameTime(max(from.Nanoseconds(), 0), nanosPerSecond)
		p.fire(list, p.nextFrame(), since)
		p.lookahead.batches[chain].onBegin = func(frame int64) {
			p.live.recordGo(Go{At: rules.FrameTime(frame, p.sheet.Rate), Cue: number, From: since})
		}
	})
	return nil
}

// Panic fades everything out within the time over; paused voices resume for this. It also cancels future actions:
// waits, cues that would follow, repetitions, the timeline, scheduled GOs, and sounds of Start that have not begun.
// If two panics overlap, the fade that ends first wins. Panic does not wait for the fade. Any goroutine.
func (p *Player) Panic(over time.Duration) { p.live.enqueue(func() { p.panic(over, p.nextFrame()) }) }

// StopCue fades out, within the time over, everything that one list cue plays. The parameter list is its index in
// Sheet.List. A negative index means all cues that Change has removed. The waits and repetitions of the cue are
// cancelled. Without Options.Live its voices continue. So do the voices of a timeline that the cue has started. A cue
// that follows it without another GO still begins. If the cue does not play, or if list is too large, StopCue has no
// effect. It does not wait for the fade. Any goroutine.
func (p *Player) StopCue(list int, over time.Duration) {
	p.live.enqueueForCue(p, p.Sheet(), list, func(list int) {
		for _, i := range slices.Clone(p.live.active) {
			if p.sheet.launches[i].list == list {
				p.stopLaunch(i, over)
			}
		}
	})
}

// Finish ends the show: it makes Feed fade everything out within 300 ms and return. Finish does not wait for Feed.
// Later calls of Fire fail. Any goroutine.
func (p *Player) Finish() {
	p.live.mutex.Lock()
	p.live.finished = true
	p.live.mutex.Unlock()
	p.live.enqueue(func() { p.live.finish = true })
}

// isFinishing reports whether Finish has been called. Voices may still fade out then. It takes live.mutex. Any
// goroutine.
func (p *Player) isFinishing() bool {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	return p.live.finished
}

// Playing returns the list cues that play or wait to begin, in the order of their GOs. The list is a copy and a few
// milliseconds old: it is from the last step of Feed. It is empty if no cue plays. Any goroutine.
func (p *Player) Playing() []Running {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	return slices.Clone(p.live.playing)
}

// recordGo adds the command g, such as a GO or a panic that was carried out, to the result of Player.Goes. The time
// g.At must be of the mixer's clock, which stops during pauses. It takes l.mutex.
func (l *live) recordGo(g Go) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.goes = append(l.goes, g)
}

// Goes returns the GO, panic, pause and resume commands that a live show has carried out so far, in the order of
// time. Their times are exact to the frame and include pauses. Sheet.WriteGoes writes them to a file. A render of the
// sheet with these commands repeats the frames of the show. Any goroutine.
func (p *Player) Goes() []Go {
	l, rate := &p.live, p.sheet.Rate
	l.mutex.Lock()
	defer l.mutex.Unlock()
	goes := slices.Clone(l.goes)
	for i := range goes {
		if d := goes[i].Action; d == ActionGo || d == ActionPanic {
			goes[i].At = rules.FrameTime(l.pauses.outputFrame(goes[i].At.Frames(rate)), rate)
		}
	}
	slices.SortStableFunc(goes, func(a, b Go) int { return a.At.Compare(b.At) })
	return goes
}

// recordPauses takes the beginnings and ends of pauses (see Hold) from the queue that the audio side fills. It adds
// them to the result of Goes and to the clock p.live.pauses. It runs on the goroutine of Feed and takes live.mutex.
func (p *Player) recordPauses() {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	for f, some := ring.Pop(p.freeze.changes); some; f, some = ring.Pop(p.freeze.changes) {
		p.live.pauses.setPaused(f.output, f.on)
		p.live.goes = append(p.live.goes, Go{At: rules.FrameTime(f.output, p.sheet.Rate), Action: map[bool]ShowAction{true: ActionPause, false: ActionResume}[f.on]})
	}
}

// runRequests calls the functions that enqueue has queued, in their order, and empties the queue. If they queue
// further functions, these wait for the next call. It runs on the goroutine of Feed and holds no mutex during the
// calls.
func (p *Player) runRequests() {
	p.live.mutex.Lock()
	requests := p.live.requests
	p.live.requests = nil
	p.live.mutex.Unlock()
	for _, do := range requests {
		do()
	}
}

// nextFrame returns the first frame of the mixer that a command sent now reaches in time. It is one device block and 1
// ms ahead. If a panic comes later than that, the result is the frame after the panic. It runs on the goroutine of
// Feed.
func (p *Player) nextFrame() int64 {
	rate := p.sheet.Rate
	return max(p.mixer.Now()+pcm.Frames(p.mixer.Latency().Block+time.Millisecond, rate), p.live.resumeAfterPanic)
}

// stopLaunch stops one launch, a run of a list cue. The parameter launch is its index in p.sheet.launches. Its voices
// fade out within the time over, from the next frame that the mixer can reach. Without Options.Live its voices are
// unknown and continue. Its pending actions and messages are cancelled. A cue that waits for the end of the launch
// still begins. stopLaunch runs on the goroutine of Feed.
func (p *Player) stopLaunch(launch int, over time.Duration) {
	r, end := &p.follows.progress[launch], p.addBatch(p.nextFrame())
	end.goFrame, end.rank, end.cancelsOthers = end.firstFrame, math.MaxInt32, true
	r.stopped = true
	for _, u := range r.batches {
		pending := uint64(0)
		for _, t := range u.actions {
			c := &p.sheet.Cues[t.index]
			pending += (c.Times - t.number) * (c.startCount() / c.Times)
		}
		u.steps, u.actions, u.discardAfter = nil, nil, end.firstFrame+1
		end.addStep(0, 0, func(at mixer.Moment) error { return at.Drop(u.batch) })
		end.addStep(0, 0, func(at mixer.Moment) error { return at.Add(r.countdown, -clampToInt(pending)) })
		r.remaining -= min(pending, r.remaining)
	}
	for _, h := range r.handles {
		end.addStep(0, 0, func(at mixer.Moment) error { return at.Stop(mixer.TargetVoice(h), over) })
	}
	p.outbox.cancel(end, r.batches)
	p.dropHeldAction(r.batches...)
}

// rankFirst is the rank of commands that act before all others at their frame.
const rankFirst = -1

// panic fades everything out within the time over and resumes paused voices. It acts at the given frame of the show,
// before all other commands of that frame. It cancels all pending actions, starts by hand, launches (runs of list
// cues), scheduled GOs and messages. Starts by hand are stopped at once. The other commands reach the mixer with the
// next call of handOverAll. It runs on the goroutine of Feed.
func (p *Player) panic(over time.Duration, frame int64) {
	a := &p.lookahead
	p.manual.pending.cancel()
	batches := slices.Clone(a.batches)
	end := &cueBatch{batch: p.mixer.NewBatch(), firstFrame: frame, launch: -1, rank: rankFirst, cancelsOthers: true}
	end.goFrame, p.live.resumeAfterPanic = end.firstFrame, end.firstFrame+1
	end.onBegin = func(frame int64) {
		p.live.recordGo(Go{At: rules.FrameTime(frame, p.sheet.Rate), Action: ActionPanic, Over: rules.FrameTime(pcm.Frames(over, p.sheet.Rate), p.sheet.Rate)})
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
	p.outbox.cancel(end, nil)
	p.dropHeldAction(batches...)
	a.timeline = p.registerBatch(&cueBatch{batch: p.mixer.NewBatch(), firstFrame: end.firstFrame, goFrame: end.firstFrame, launch: -1})
	p.registerBatch(end)
	p.schedule.clear(len(p.sheet.Cues))
	p.follows.clear(len(p.sheet.launches), len(p.sheet.Cues))
	clear(a.tags)
	a.goes, p.live.active = nil, p.live.active[:0]
}

// dropHeldAction drops p.held, the action that waits for room in the mixer's queue, if it belongs to any of the
// batches. The caller has discarded these batches. Otherwise it has no effect.
func (p *Player) dropHeldAction(batches ...*cueBatch) {
	a := &p.lookahead
	if p.held != nil && (a.heldBatch == nil && slices.Contains(batches, a.timeline) || slices.Contains(batches, a.heldBatch)) {
		p.held, p.acceptedCommands, a.heldBatch = nil, 0, nil
	}
}

// updatePlaying updates the list that Playing returns, and takes live.mutex for this. For each list cue that has begun
// since the last call, it first calls Options.Fired. A cue has begun if its first frame is before st.Frame. st has the
// current statistics of the mixer. It runs on the goroutine of Feed.
func (p *Player) updatePlaying(st *mixer.Stats) {
	f, s := &p.follows, p.sheet
	for i := range f.progress[p.live.reportedUpTo:] {
		i += p.live.reportedUpTo
		if r := &f.progress[i]; r.started && !r.reported && r.startFrame < st.Frame {
			r.reported = true
			if p.options.Fired != nil && s.launches[i].list >= 0 {
				p.options.Fired(s.launches[i].list, r.startFrame)
			}
		}
	}
	for p.live.reportedUpTo < len(f.progress) && f.progress[p.live.reportedUpTo].reported {
		p.live.reportedUpTo++
	}
	var playing []Running
	p.live.active = slices.DeleteFunc(p.live.active, func(i int) bool {
		return (f.progress[i].reported || f.progress[i].stopped) && f.progress[i].remaining == 0
	})
	for _, i := range p.live.active {
		one := Running{List: s.launches[i].list, StartFrame: -1, Remaining: -1, Waiting: !f.progress[i].reported}
		if f.progress[i].started {
			one.StartFrame = f.progress[i].startFrame
			if most := p.launchDuration(i); most != never {
				one.Remaining = max(one.StartFrame+int64(most)-st.Frame, 0)
			}
		}
		playing = append(playing, one)
	}
	p.live.mutex.Lock()
	p.live.playing = playing
	p.live.mutex.Unlock()
}

// launchDuration returns the duration in frames of one launch, a run of a list cue. The duration counts from the
// beginning of the launch to the end of its last start, if later commands do not change it. The parameter launch is its
// index in p.sheet.launches. If the duration is endless, or depends on the end of an id, the result is never. Without
// starts it is 0. Delays of layers are not counted.
func (p *Player) launchDuration(launch int) float64 {
	most := 0.0
	l := &p.sheet.launches[launch]
	for i := l.first; i < l.first+l.count; i++ {
		cue := &p.sheet.Cues[i]
		for _, c := range cue.starts() {
			if cue.awaitedTag != 0 {
				return never
			}
			duration := p.startDuration(c, cue)
			if duration == never {
				return never
			}
			from := cue.lastFrame(p.sheet.Rate) - cue.base.Frames(p.sheet.Rate) - l.offset.Frames(p.sheet.Rate)
			most = max(most, float64(from)+duration)
		}
	}
	return most
}

// startDuration returns the duration in output frames of the start c, if later commands do not change it. It assumes
// the longest file and the lowest pitch of the sound, and applies the limit of the key `for`. The parameter cue is c
// itself, or the cue that has c as a layer. The delay of a layer is not included. If the duration is endless or
// unknown, the result is the limit `for`, or never without that limit.
func (p *Player) startDuration(c, cue *Cue) float64 {
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
	return min(cut, float64(most)*math.Exp2(-max(p.pitches.rangeOf(p.sheet, c, cue).low, minPitch)/12))
}
