package cue

import (
	"container/heap"
	"errors"
	"slices"

	"voicepool/mixer"
	"voicepool/pcm"
)

// follows tracks the cues that other actions wait for. An action that waits for the end of a cue begins at
// the exact frame of the end of its last voice.
type follows struct {
	sheet   *Sheet
	runs    []run           // one per launch of the sheet
	soon    turns           // launches that have not begun and whose frames are known
	ended   []int           // launches that have ended since the last release
	waiting []int           // actions of begun launches that wait for the end of an id
	awaited map[uint64]bool // the tags of ids that an action waits for
	starts  map[uint64]int  // by such a tag: pending starts plus living voices
	over    map[uint64]int64
	loops   []looping       // starts of such ids that are still in their loops
	free    map[uint64]bool // by voice number: living voices that have left their loops
	left    int             // actions that have not been released
	floor   int             // events of cues before this index are ignored
}

// looping is a looping start of an id that an action waits for.
type looping struct {
	tag    uint64
	handle mixer.Handle
}

// unloop removes the starts in follows.loops that have left their loops by the current frame of a render. A start that
// still sounds then counts as ended at that frame for the actions that wait for the end of its id.
func (p *Player) unloop() {
	f := &p.follows
	f.loops = slices.DeleteFunc(f.loops, func(l looping) bool {
		if !p.mixer.LeftLoop(l.handle) {
			return false
		}
		if !l.handle.State().Over() {
			if f.free == nil {
				f.free = map[uint64]bool{}
			}
			f.free[l.handle.Number()] = true
			f.freed(l.tag, p.file.now)
		}
		return true
	})
}

// freed counts one start less for the id with the given tag, because that start ended at frame. If it was the last,
// frame is recorded as the end of the id.
func (f *follows) freed(tag uint64, frame int64) {
	if f.starts[tag]--; f.starts[tag] == 0 {
		f.over[tag] = frame
	}
}

// run is the progress of a launch.
type run struct {
	begun bool
	begin int64  // its frame
	left  uint64 // its starts that have not ended
	over  int64  // the frame of the end of the last one
	told  bool   // Options.Fired has been called

	ceased bool // it was stopped, possibly before it began

	// With the lookahead on.
	count   *mixer.Countdown
	batches []*cueBatch
	handles []mixer.Handle // live show: its starts that have not ended
}

// newFollows returns a follows for the ids and launches of sheet s. No launch has begun. A launch is one run of a list
// cue.
func newFollows(s *Sheet) follows {
	f := follows{sheet: s, awaited: map[uint64]bool{}, starts: map[uint64]int{}, over: map[uint64]int64{}}
	for i := range s.Cues {
		if tag := s.Cues[i].afterTag; tag != 0 {
			f.awaited[tag] = true
		}
	}
	f.add()
	return f
}

// add tracks the launches that were added to the sheet since the last call. Each is scheduled for its frame, unless it
// follows the end of another launch. A launch is one run of a list cue.
func (f *follows) add() {
	for i := len(f.runs); i < len(f.sheet.launches); i++ {
		l, r := &f.sheet.launches[i], run{}
		for j := l.first; j < l.first+l.count; j++ {
			c := &f.sheet.Cues[j]
			if c.state == waits {
				f.left++
			}
			if c.launch > 0 {
				r.left += c.asks()
			}
		}
		if f.runs = append(f.runs, r); l.after < 0 {
			f.comes(i, l.base.Frames(f.sheet.Rate))
		}
	}
}

// asks returns the number of voices that cue c starts over all its repetitions: the number of layers of its sound, or
// 1, times c.Times. It is 0 if the cue is not a start.
func (c *Cue) asks() (n uint64) {
	for range c.starts() {
		n += c.Times
	}
	return n
}

// waits reports whether any action is still to be released, because it waits for the end of a cue or id.
func (f *follows) waits() bool { return f.left > 0 }

// comes schedules launch i to begin its delay `since` after frame base of the show.
func (f *follows) comes(i int, base int64) {
	heap.Push(&f.soon, turn{moment: moment{base + f.sheet.launches[i].since.Frames(f.sheet.Rate), i}})
}

// next returns the earliest known frame of the show when a launch begins that has not begun; never if such a frame is
// not known.
func (f *follows) next() int64 {
	if len(f.soon) == 0 {
		return never
	}
	return f.soon[0].frame
}

// asked counts one start of cue c, if c is in `cues` and an action waits for the end of its id. Starts of list cues
// are counted by begin instead.
func (f *follows) asked(c *Cue) {
	if c.list == 0 && f.awaited[c.tag] {
		f.starts[c.tag]++
	}
}

// fewer subtracts the starts that chance skips at action a: the action itself if it is Passed, and the a.Rest
// repetitions after it. If the id or the launch of the cue has no start left then, it ends at the frame of the action.
func (f *follows) fewer(a *Action) {
	n := a.Rest
	if a.Passed {
		n++
	}
	c := &f.sheet.Cues[a.Cue]
	if n *= c.asks() / c.Times; n == 0 || c.launch == 0 {
		return
	}
	if f.awaited[c.tag] {
		if f.starts[c.tag] -= int(n); f.starts[c.tag] == 0 {
			f.over[c.tag] = a.Frame
		}
	}
	if r := &f.runs[c.launch-1]; r.left > 0 {
		if r.left -= min(n, r.left); r.left == 0 && r.begun {
			f.end(c.launch-1, a.Frame)
		}
	}
}

// note counts down the starts of an id and a launch if event e ends or rejects such a start. At 0 the id or launch has
// ended at e.Frame. Other kinds of events, and events of cues before f.floor, have no effect.
func (f *follows) note(e *mixer.Event) {
	switch e.Kind {
	case mixer.EventEnded, mixer.EventStopped, mixer.EventStolen, mixer.EventRejected, mixer.EventLimited, mixer.EventCoalesced:
	default:
		return
	}
	i, _ := ofRef(e.Ref)
	if i < f.floor || i >= len(f.sheet.Cues) {
		return
	}
	c := &f.sheet.Cues[i]
	switch {
	case f.free[e.Voice] && e.Voice > 0:
		delete(f.free, e.Voice)
	case f.awaited[c.tag]:
		f.freed(c.tag, e.Frame)
	}
	if c.launch > 0 {
		if r := &f.runs[c.launch-1]; r.left > 0 {
			if r.left--; r.left == 0 && r.begun {
				f.end(c.launch-1, e.Frame)
			}
		}
	}
}

// end records that the last start of launch i ended at frame. The next call of release then begins the launches that
// follow it.
func (f *follows) end(i int, frame int64) {
	f.runs[i].over = frame
	f.ended = append(f.ended, i)
}

// clear drops waits and pending launches, except of launches from index launches on and of cues from index cues on.
// The dropped launches count as over. Counts of living starts of ids are reset to 0.
func (f *follows) clear(launches, cues int) {
	f.loops, f.free = nil, nil
	f.soon = slices.DeleteFunc(f.soon, func(t turn) bool { return t.index < launches })
	heap.Init(&f.soon)
	f.waiting = slices.DeleteFunc(f.waiting, func(i int) bool { return i < cues })
	f.ended, f.left, f.floor = nil, 0, cues
	for i := cues; i < len(f.sheet.Cues); i++ {
		if f.sheet.Cues[i].state == waits {
			f.left++
		}
	}
	clear(f.starts)
	for i := range f.runs[:launches] {
		f.runs[i].told, f.runs[i].left = true, 0
	}
}

// release begins the launches due by frame now. The schedule to gets all actions that waited for ends that have
// happened. It reports whether there was such an action or another launch has ended; the caller must then call it
// again.
func (f *follows) release(now int64, to *Schedule) (some bool) {
	f.startDueLaunches(now)
	var own []*Cue // actions that waited for their own id, which counts them only from here on
	keep := f.waiting[:0]
	for _, i := range f.waiting {
		c := &f.sheet.Cues[i]
		if f.starts[c.afterTag] > 0 {
			keep = append(keep, i)
			continue
		}
		if c.tag == c.afterTag {
			own = append(own, c)
		}
		to.release(i, max(f.over[c.afterTag], f.runs[c.launch-1].begin))
		f.left--
		some = true
	}
	for _, c := range own {
		f.starts[c.tag] += int(c.asks())
	}
	f.waiting = keep
	ended := f.ended
	f.ended = nil
	for _, i := range ended {
		for k := i + 1; k < len(f.runs) && f.sheet.launches[k].after == i; k++ {
			f.comes(k, f.runs[i].over)
			f.act(k, f.runs[i].over, to)
			some = true
		}
	}
	f.startDueLaunches(now)
	return some || len(f.ended) > 0
}

// startDueLaunches begins all launches whose known frame is at or before now.
func (f *follows) startDueLaunches(now int64) {
	for f.next() <= now {
		t := heap.Pop(&f.soon).(turn)
		f.begin(t.index, t.frame)
	}
}

// begin records that the launch with index launch begins at frame: it counts its starts and registers its waiting
// actions. A launch without starts ends at the same frame.
func (f *follows) begin(launch int, frame int64) {
	l, r := &f.sheet.launches[launch], &f.runs[launch]
	r.begun, r.begin = true, frame
	for i := l.first; i < l.first+l.count; i++ {
		c := &f.sheet.Cues[i]
		if f.awaited[c.tag] && c.launch > 0 && c.tag != c.afterTag {
			f.starts[c.tag] += int(c.asks())
		}
		if c.afterTag != 0 {
			f.waiting = append(f.waiting, i)
		}
	}
	if r.left == 0 {
		f.end(launch, frame)
	}
}

// act adds the actions of the launch with index launch, which follows the end of another one at frame, to the
// schedule. Actions that wait for the end of an id are left out.
func (f *follows) act(launch int, frame int64, to *Schedule) {
	l := &f.sheet.launches[launch]
	for i := l.first; i < l.first+l.count; i++ {
		if f.sheet.Cues[i].afterTag == 0 {
			to.release(i, frame)
			f.left--
		}
	}
}

// feedNow hands over the commands due at the current frame of a render and lets the mixer carry them out. If the
// mixer's queue is full, it runs the mixer and tries again. The error is the mixer's.
func (p *Player) feedNow() error {
	for tries := 0; ; tries++ {
		_, err := p.feed(p.file.now + 1)
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
	f := &p.file
	for again := true; again; { // actions that follow an end act after the others of this frame
		if err := p.feedNow(); err != nil {
			return 0, err
		}
		again = p.follows.release(f.now, p.schedule)
	}
	if st := p.mixer.Stats(); p.quiet(&st) && p.schedule.Plays() == 0 && p.follows.next() == never {
		p.follows.left = 0 // every voice has ended
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
	until(p.tuning.next())
	until(p.follows.next())
	for i := range p.waiting {
		until(p.waiting[i].frame)
	}
	n = int64(p.mixer.UntilEnd(int(n)))
	p.renderPrepared(dst[:n*int64(p.outputs)])
	f.now += n
	p.poll()
	p.unloop()
	return int(n), p.streams.err()
}
