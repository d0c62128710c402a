package cue

import (
	"container/heap"
	"errors"
	"slices"

	"voicepool/mixer"
	"voicepool/pcm"
)

// follows keeps watch over cues of the list that something waits for the end of. What begins at
// the end of a cue begins at the very frame at which the last of its voices is over.
type follows struct {
	sheet   *Sheet
	runs    []run           // of the launches of the sheet
	soon    turns           // launches that have not begun, whose frames are known
	ended   []int           // launches that are over, and were not looked at since
	waiting []int           // actions that wait for the end of an id, of launches that have begun
	awaited map[uint64]bool // the tags of ids whose end something waits for
	starts  map[uint64]int  // by such a tag: the starts that are to come, and the voices that live
	over    map[uint64]int64
	loops   []looping       // starts of such ids that are in their loops
	free    map[uint64]bool // those that have left them, by their numbers, until they are over
	left    int             // what has not been released
	floor   int             // cues before it are forgotten
}

// looping is a start of an id that something waits for the end of.
type looping struct {
	tag    uint64
	handle mixer.Handle
}

// unloop notes which starts have left their loops by a frame of a render.
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

// freed takes a start off an id.
func (f *follows) freed(tag uint64, frame int64) {
	if f.starts[tag]--; f.starts[tag] == 0 {
		f.over[tag] = frame
	}
}

// run is how far a launch is.
type run struct {
	begun bool
	begin int64  // its frame
	left  uint64 // its starts that are not over
	over  int64  // the frame at which the last was
	told  bool   // Options.Fired knows of it

	ceased bool // it was stopped, maybe before it began

	// Where it is armed.
	count   *mixer.Count
	units   []*unit
	handles []mixer.Handle // its starts that are not over, of a live show
}

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

// add keeps watch over the launches that were added to the sheet.
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

// asks returns how many starts a cue asks for.
func (c *Cue) asks() (n uint64) {
	for range c.starts() {
		n += c.Times
	}
	return n
}

// waits reports whether something waits for the end of something else.
func (f *follows) waits() bool { return f.left > 0 }

// comes notes the frame from which on a launch comes.
func (f *follows) comes(i int, base int64) {
	heap.Push(&f.soon, turn{moment: moment{base + f.sheet.launches[i].since.Frames(f.sheet.Rate), i}})
}

// next returns the first frame at which a launch begins that has not.
func (f *follows) next() int64 {
	if len(f.soon) == 0 {
		return never
	}
	return f.soon[0].frame
}

// asked counts a start of `cues`.
func (f *follows) asked(c *Cue) {
	if c.list == 0 && f.awaited[c.tag] {
		f.starts[c.tag]++
	}
}

// fewer takes off what a cue of the list would have started, and chance leaves out.
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

// note takes what has happened.
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

// end notes the frame at which a launch is over.
func (f *follows) end(i int, frame int64) {
	f.runs[i].over = frame
	f.ended = append(f.ended, i)
}

// clear forgets what waits of some launches and of some cues, the first ones.
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

// release hands to a schedule what a frame has brought the end for, and reports whether there was
// something.
func (f *follows) release(now int64, to *Schedule) (some bool) {
	f.beginAll(now)
	var own []*Cue // what waited for its own id, and does not count before
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
	f.beginAll(now)
	return some || len(f.ended) > 0
}

// beginAll begins the launches that come until a frame.
func (f *follows) beginAll(now int64) {
	for f.next() <= now {
		t := heap.Pop(&f.soon).(turn)
		f.begin(t.index, t.frame)
	}
}

// begin counts what a launch plays, and has what waits in it wait.
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

// act releases the actions of a launch that follows an end.
func (f *follows) act(launch int, frame int64, to *Schedule) {
	l := &f.sheet.launches[launch]
	for i := l.first; i < l.first+l.count; i++ {
		if f.sheet.Cues[i].afterTag == 0 {
			to.release(i, frame)
			f.left--
		}
	}
}

// feedNow hands over what is due at this frame, and has it done.
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

// mixToEnd mixes some frames of dst, and returns how many: no further than to the frame at which a
// voice may be over, so that what waits for that begins there.
func (p *Player) mixToEnd(dst []pcm.Frame) (int, error) {
	f := &p.file
	for again := true; again; { // what follows an end acts behind what else does here
		if err := p.feedNow(); err != nil {
			return 0, err
		}
		again = p.follows.release(f.now, p.schedule)
	}
	if st := p.mixer.Stats(); p.quiet(&st) && p.schedule.Plays() == 0 && p.follows.next() == never {
		p.follows.left = 0 // nothing is left that could end
		return 0, nil
	}
	hop := max((int64(p.sheet.Rate)+25)/50, 1) // the mixer's grid, at which voices give way, too
	n := min(int64(len(dst)/p.wide), hop-f.now%hop)
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
	p.renderPrepared(dst[:n*int64(p.wide)])
	f.now += n
	p.poll()
	p.unloop()
	return int(n), p.streams.err()
}
