package mixer

// armory is what waits for counts, and what was fired.
type armory struct {
	zero     *Salvo // whose counts are 0: fired after all else of this frame
	fired    *Salvo
	doomed   *Salvo // that the command under way drops
	awaiting int    // salvos that wait for a count
}

// arms has a command of a salvo wait until that is fired, and reports whether it does, or was dropped.
// Else it has its frame now.
func (a *audio) arms(c *command) bool {
	s := c.salvo
	base := s.base.Load()
	switch {
	case s.dropped:
		a.void(c)
		a.underWay.land()
	case base < 0:
		place := a.queue.hold(c) + 1
		if s.last == 0 {
			s.first = place
		} else {
			a.queue.after[s.last-1] = place
		}
		s.last = place
	default:
		c.frame += base
		return false
	}
	return true
}

// void ends a command that does not act.
func (a *audio) void(c *command) {
	switch {
	case c.kind == cmdPlay:
		a.record(c.record).cancel = c.record
		a.start(c)
	case c.feed != nil:
		c.feed.Drop()
	}
}

// fire fires a salvo at this frame, or has it wait for a count.
func (a *audio) fire(s *Salvo, c *Count) {
	switch {
	case s.dropped || s.base.Load() >= 0 || s.count != nil:
	case c == nil:
		s.base.Store(a.now)
		s.next, a.fired = a.fired, s
	default:
		s.count = c
		s.next, a.zero = a.zero, s
		a.awaiting++
	}
}

// arm has the commands of what was fired act.
func (a *audio) arm() {
	for s := a.fired; s != nil; {
		for place := s.first; place != 0; {
			after := a.queue.after[place-1]
			a.queue.after[place-1] = 0
			a.queue.held[place-1].frame += a.now
			a.queue.insert(place - 1)
			place = after
		}
		s.first, s.last = 0, 0
		s, s.next = s.next, nil
	}
	a.fired = nil
}

// resolve fires what waited for counts that are 0, and reports whether there was something.
func (a *audio) resolve() bool {
	for s := a.zero; s != nil; {
		next := s.next
		if c := s.count; c.left > 0 {
			s.next, c.waiting = c.waiting, s
		} else {
			a.awaiting--
			s.base.Store(a.now)
			s.count, s.next, a.fired = nil, a.fired, s
		}
		s = next
	}
	a.zero = nil
	if a.fired == nil {
		return false
	}
	a.arm()
	return true
}

// uncount takes a start that is over off its counts.
func (a *audio) uncount(r *record) {
	counts := &r.rare.Load().counts
	for i, c := range counts {
		if c == nil {
			continue
		}
		counts[i] = nil
		a.add(c, -1)
	}
	r.counted = false
}

// add moves a count. What waits for it is looked at when it is 0.
func (a *audio) add(c *Count, n int64) {
	if c.left += n; c.left > 0 {
		return
	}
	for s := c.waiting; s != nil; {
		next := s.next
		s.next, a.zero = a.zero, s
		s = next
	}
	c.waiting = nil
}

// drop drops what of a salvo has not acted, when the command that says so is out of the way.
func (a *audio) drop() {
	s := a.doomed
	if a.doomed = nil; s.dropped {
		return
	}
	s.dropped = true
	if c := s.count; c != nil {
		a.zero, c.waiting = without(a.zero, s), without(c.waiting, s)
		s.count = nil
		a.awaiting--
	}
	for place := s.first; place != 0; {
		after := a.queue.after[place-1]
		a.discharge(place - 1)
		place = after
	}
	s.first, s.last = 0, 0
	q := &a.queue
	kept := q.heap[:0]
	for _, d := range q.heap {
		if q.held[d.place].salvo == s {
			a.discharge(d.place)
		} else {
			kept = append(kept, d)
		}
	}
	q.heap = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		q.sink(i, kept[i])
	}
}

// discharge ends a command that was held and does not act.
func (a *audio) discharge(place int32) {
	a.void(&a.queue.held[place])
	a.queue.forget(place)
	a.underWay.land()
}

// without returns a list without a salvo.
func without(list, s *Salvo) *Salvo {
	if list == s {
		list, s.next = s.next, nil
		return list
	}
	for at := list; at != nil; at = at.next {
		if at.next == s {
			at.next, s.next = s.next, nil
		}
	}
	return list
}

// unloop takes starts that have left their loops off counts that go by that.
func (a *audio) unloop() {
	for i, place := a.after(0); i >= 0; i, place = a.after(place) {
		r := a.roster.at(i).record
		if !r.counted {
			continue
		}
		s := a.present(i)
		counts := &r.rare.Load().counts
		for j, c := range counts {
			if c != nil && c.loops && s.voice.LeftLoop() {
				counts[j] = nil
				a.add(c, -1)
			}
		}
	}
}

// untilOver returns how many of n frames there are before the first voice may be over whose end a
// salvo waits for.
func (a *audio) untilOver(n int64) int64 {
	for i, place := a.after(0); i >= 0; i, place = a.after(place) {
		s := a.roster.at(i)
		if r := s.record; !r.counted || s.paused != 0 || !r.awaited() {
			continue
		}
		a.present(i)
		counts := &s.record.rare.Load().counts
		n = a.untilLeft(s, n, loops(counts[0]) || loops(counts[1]))
	}
	return n
}

func loops(c *Count) bool { return c != nil && c.loops }

// untilLeft returns how many of n frames there are before a voice may be over or, with loop, may leave its loop.
func (a *audio) untilLeft(s *slot, n int64, loop bool) int64 {
	left, _ := s.voice.Left(n, a.now, loop && !s.voice.Endless() && !s.voice.LeftLoop())
	return min(n, max(left, 1), max(s.endAt-a.now, 1))
}

// awaited reports whether a salvo waits for a count of a start.
func (r *record) awaited() bool {
	for _, c := range r.rare.Load().counts {
		if c != nil && c.waiting != nil {
			return true
		}
	}
	return false
}
