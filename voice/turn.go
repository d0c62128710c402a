package voice

// To change the number of loop rounds, a stream switches to another feed. The new feed starts a little before
// the end of the loop and continues with the new rounds. Until that end both feeds have equal frames, so the
// switch between them is inaudible.

// TurnLead is the distance in frames from the start of such a feed to the end of the loop; a shorter loop
// uses its whole length.
const TurnLead = 64

// TurnTo switches a stream to another feed at the next end of its loop. A stream behind its loop ignores and
// drops the feed.
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

// Rounds returns how many times a feed that starts before the end of the loop plays the loop; -1: without
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

// turnFeed switches feeds if it is time. It returns how many of n frames come before the switch.
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
	if end < c.Out() && !v.next.begun() { // the new feed is late: play the loop once more
		v.nextAt += c.Loop.Frames()
		return v.turnFeed(n)
	}
	v.past, v.feed = v.feed, v.next
	v.heard -= v.nextAt
	v.next = nil
	return n
}

// begun reports whether a feed has enough frames for a switch to it.
func (f *Feed) begun() bool {
	return f.ended.Load() || f.written.Load() >= min(int64(len(f.ring))/2, 4096)
}

// leaveFeeds closes the feeds other than v.feed.
func (v *Voice) leaveFeeds() {
	for _, f := range [...]*Feed{v.next, v.past} {
		if f != nil {
			f.Drop()
		}
	}
	v.next, v.past = nil, nil
}
