package voice

// A stream leaves its loop, or begins to repeat it, by another feed: one that begins a little
// before the end of the loop and goes on as it should. Up to there both have the same frames,
// so the voice changes feeds between them, and nobody hears where.

// TurnLead is how many frames before the end of a loop such a feed begins; of a shorter loop
// the loop itself.
const TurnLead = 64

// TurnTo has a stream go on with another feed where it comes to the end of its loop next. One
// that is behind its loop plays on.
func (v *Voice) TurnTo(feed *Feed) {
	loop, c := v.sound.loop, &v.feed.course
	at, size := c.From+v.heard, loop.Frames()
	ahead := loop[1] - at
	if ahead <= 0 {
		if at >= c.Out() {
			feed.Drop()
			return
		}
		ahead = size - -ahead%size
	}
	if v.next != nil {
		v.next.Drop()
	}
	v.next, v.nextAt = feed, v.heard+ahead-(loop[1]-feed.course.From)
	v.jumps = max(v.jumps, 0)
}

// Rounds returns how often a feed plays its loop that begins before the end of it; -1: without
// end.
func (f *Feed) Rounds() int {
	switch c := &f.course; {
	case c.endless():
		return -1
	case c.Loop.Frames() > 0:
		return int(c.Rounds)
	}
	return 1
}

// turnFeed changes feeds where it is time. It returns how many of n frames there are before.
func (v *Voice) turnFeed(n int64) int64 {
	if v.next == nil {
		return n
	}
	if ahead := v.nextAt + streamReach - v.heard; ahead > 0 {
		if ahead < 1<<30 {
			n = min(n, (ahead<<32-v.pos+v.step-1)/v.step)
		}
		return n
	}
	c := &v.feed.course
	end := c.From + v.nextAt + v.sound.loop[1] - v.next.course.From
	if end < c.Out() && !v.next.begun() { // it is late: once more
		v.nextAt += c.Loop.Frames()
		return v.turnFeed(n)
	}
	v.past, v.feed = v.feed, v.next
	v.heard -= v.nextAt
	v.next = nil
	return n
}

// begun reports whether a feed has what a voice needs to go on with it.
func (f *Feed) begun() bool {
	return f.ended.Load() || f.written.Load() >= min(int64(len(f.ring))/2, 4096)
}

// leaveFeeds closes the feeds that are not v.feed.
func (v *Voice) leaveFeeds() {
	for _, f := range [...]*Feed{v.next, v.past} {
		if f != nil {
			f.Drop()
		}
	}
	v.next, v.past = nil, nil
}
