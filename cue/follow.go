package cue

import (
	"errors"

	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
)

// follows keeps watch over cues of the list that something waits for the end of. What begins at
// the end of a cue begins at the very frame at which the last of its voices is over.
type follows struct {
	sheet    *Sheet
	launches []launch
	runs     []run          // of the launches
	of       map[int]int    // by the place in the list: the launch
	waiting  []int          // cues that wait for the end of an id, of launches that have begun
	starts   map[uint64]int // by the tag of an id: the starts that are to come, and the voices that live
	over     map[uint64]int64
	left     int // what has not been released
}

// run is how far a launch is.
type run struct {
	begun bool
	acted bool   // what it does has been released, if that waited
	begin int64  // its frame
	left  uint64 // its starts that are not over
	over  int64  // the frame at which the last was; never: it is not
}

func newFollows(s *Sheet) follows {
	f := follows{sheet: s, of: map[int]int{}, starts: map[uint64]int{}, over: map[uint64]int64{}}
	for _, c := range s.acting() {
		if c.state == waits {
			f.left++
		}
	}
	if f.left == 0 {
		return f
	}
	f.launches = s.launches()
	f.runs = make([]run, len(f.launches))
	for i := range f.launches {
		f.of[f.launches[i].list] = i
		f.runs[i].over = never
	}
	return f
}

// waits reports whether something waits for the end of something else.
func (f *follows) waits() bool { return f.left > 0 }

// begins returns the frame at which a launch begins, if that is known.
func (f *follows) begins(i int) (frame int64, known bool) {
	l, rate := &f.launches[i], f.sheet.Rate
	base := l.base.Frames(rate)
	if l.after >= 0 {
		if base = f.runs[f.of[l.after]].over; base == never {
			return 0, false
		}
	}
	return base + l.since.Frames(rate), true
}

// next returns the first frame after now at which a launch begins.
func (f *follows) next(now int64) int64 {
	next := int64(never)
	for i := range f.launches {
		if frame, known := f.begins(i); known && !f.runs[i].begun && frame > now {
			next = min(next, frame)
		}
	}
	return next
}

// asked counts a start of `cues`.
func (f *follows) asked(c *Cue) {
	if f.waits() && c.list == 0 && c.tag != 0 {
		f.starts[c.tag]++
	}
}

// fewer takes off what a cue of the list would have started, and chance leaves out.
func (f *follows) fewer(a *Action) {
	n := a.Rest
	if a.Passed {
		n++
	}
	if n == 0 || !f.waits() {
		return
	}
	c := &f.sheet.Cues[a.Cue]
	i, some := f.of[c.list-1]
	if !some || c.list == 0 {
		return
	}
	for range c.starts() {
		if c.tag != 0 && n > 0 {
			if f.starts[c.tag] -= int(n); f.starts[c.tag] == 0 {
				f.over[c.tag] = a.Frame
			}
		}
		if r := &f.runs[i]; r.left > 0 {
			if r.left -= min(n, r.left); r.left == 0 {
				r.over = a.Frame
			}
		}
	}
}

// note takes what has happened.
func (f *follows) note(e *report.Event) {
	switch e.Kind {
	case mixer.EventEnded, mixer.EventStopped, mixer.EventStolen, mixer.EventRejected, mixer.EventLimited, mixer.EventCoalesced:
	default:
		return
	}
	if !f.waits() || e.Cue < 0 || e.Cue >= len(f.sheet.Cues) {
		return
	}
	c := &f.sheet.Cues[e.Cue]
	if c.tag != 0 {
		if f.starts[c.tag]--; f.starts[c.tag] == 0 {
			f.over[c.tag] = e.Frame
		}
	}
	if i, some := f.of[c.list-1]; some && c.list > 0 {
		if r := &f.runs[i]; r.left > 0 {
			if r.left--; r.left == 0 {
				r.over = e.Frame
			}
		}
	}
}

// release hands to a schedule what a frame has brought the end for, and reports whether there was
// something.
func (f *follows) release(now int64, to *Schedule) (some bool) {
	for i := 0; i < len(f.launches); i++ {
		frame, known := f.begins(i)
		if r := &f.runs[i]; known && !r.begun && frame <= now {
			f.begin(i, frame)
		}
	}
	for i := range f.launches {
		if f.launches[i].after >= 0 && f.runs[f.of[f.launches[i].after]].over != never {
			some = f.act(i, to) || some
		}
	}
	keep := f.waiting[:0]
	for _, i := range f.waiting {
		c := &f.sheet.Cues[i]
		if f.starts[c.afterTag] > 0 {
			keep = append(keep, i)
			continue
		}
		to.release(i, max(f.over[c.afterTag], f.runs[f.of[c.list-1]].begin))
		f.left--
		some = true
	}
	f.waiting = keep
	return some
}

// begin counts what a launch plays, and has what waits in it wait.
func (f *follows) begin(launch int, frame int64) {
	l, r := &f.sheet.List[f.launches[launch].list], &f.runs[launch]
	r.begun, r.begin = true, frame
	for i := l.First; i < l.First+l.Count; i++ {
		c := &f.sheet.Cues[i]
		starts := 0
		for range c.starts() {
			starts++
		}
		r.left += uint64(starts) * c.Times
		if c.tag != 0 {
			f.starts[c.tag] += starts * int(c.Times)
		}
		if c.afterTag != 0 {
			f.waiting = append(f.waiting, i)
			if c.tag == c.afterTag { // it does not wait for itself
				f.starts[c.tag] -= starts * int(c.Times)
			}
		}
	}
	if r.left == 0 {
		r.over = frame
	}
}

// act releases the actions of a launch that follows an end.
func (f *follows) act(launch int, to *Schedule) (some bool) {
	r := &f.runs[launch]
	if r.acted {
		return false
	}
	r.acted = true
	l := &f.sheet.List[f.launches[launch].list]
	for i := l.First; i < l.First+l.Count; i++ {
		if f.sheet.Cues[i].afterTag == 0 {
			to.release(i, f.runs[f.of[f.launches[launch].after]].over)
			f.left--
			some = true
		}
	}
	if l.Timeline {
		for i := range f.sheet.Cues {
			if f.sheet.Cues[i].list == 0 {
				to.release(i, f.runs[f.of[f.launches[launch].after]].over)
				f.left--
				some = true
			}
		}
	}
	return some
}

// mixToEnd mixes some of dst: no further than to the frame at which a voice may be over, so that
// what waits for that begins there.
func (p *Player) mixToEnd(dst []pcm.Frame) (int, error) {
	f := &p.file
	for again := true; again; {
		again = p.follows.release(f.now, p.schedule)
		for tries := 0; ; tries++ {
			_, err := p.feed(f.now + 1)
			if err == nil {
				break
			}
			if !errors.Is(err, mixer.ErrBusy) || tries > commands {
				return 0, err
			}
			p.mixer.Render(nil)
			p.poll()
		}
		p.mixer.Render(nil)
		p.poll()
		again = p.follows.release(f.now, p.schedule) || again
	}
	if st := p.mixer.Stats(); p.quiet(&st) && p.schedule.Plays() == 0 && p.follows.next(f.now) == never {
		p.follows.left = 0 // nothing is left that could end
		return 0, nil
	}
	hop := max((int64(p.sheet.Rate)+25)/50, 1) // the mixer's grid, at which voices give way, too
	n := min(int64(len(dst)), hop-f.now%hop)
	until := func(frame int64) {
		if frame > f.now {
			n = min(n, frame-f.now)
		}
	}
	if frame, ok := p.schedule.Peek(); ok {
		until(frame)
	}
	until(p.tuning.next())
	until(p.follows.next(f.now))
	for i := range p.waiting {
		until(p.waiting[i].frame)
	}
	n = int64(p.mixer.UntilEnd(int(n)))
	p.renderPrepared(dst[:n])
	f.now += n
	p.poll()
	return int(n), p.streams.err()
}
