package mixer

// armory tracks the salvos that are waiting, fired and dropped.
type armory struct {
	zero     *Salvo // list of salvos whose counts may be 0; they fire after all other commands of this frame
	fired    *Salvo // list
	doomed   *Salvo // dropped by the present command
	awaiting int    // the number of salvos that wait for a count
}

// arms queues a command until its salvo is fired. It returns false if the salvo was fired already; the
// command then has an absolute frame. Commands of a dropped salvo are discarded.
func (a *audio) arms(c *command) bool {
	s := c.salvo
	base := s.base.Load()
	switch {
	case s.dropped:
		a.void(c)
		a.inFlight.complete()
	case base < 0:
		place := a.queue.store(c) + 1
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

// void discards a command without executing it.
func (a *audio) void(c *command) {
	switch {
	case c.kind == cmdPlay:
		a.record(c.record).cancel = c.record
		a.start(c)
	case c.feed != nil:
		c.feed.Drop()
	}
}

// fire fires a salvo at this frame, or makes it wait for a count.
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

// arm schedules the commands of fired salvos.
func (a *audio) arm() {
	for s := a.fired; s != nil; {
		for place := s.first; place != 0; {
			after := a.queue.after[place-1]
			a.queue.after[place-1] = 0
			a.queue.commands[place-1].frame += a.now
			a.queue.insert(place - 1)
			place = after
		}
		s.first, s.last = 0, 0
		s, s.next = s.next, nil
	}
	a.fired = nil
}

// resolve fires the salvos whose counts are 0, and reports whether there were any.
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

// uncount decrements the counts of a finished start.
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

// add adds n to a count. If the count reaches 0, its salvos are checked by resolve.
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

// drop discards the pending commands of a dropped salvo. It runs after the command that drops it, which
// may be in the queue itself.
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
		if q.commands[d.place].salvo == s {
			a.discharge(d.place)
		} else {
			kept = append(kept, d)
		}
	}
	q.heap = kept
	for i := len(kept)/2 - 1; i >= 0; i-- {
		q.siftDown(i, kept[i])
	}
}

// discharge discards a queued command.
func (a *audio) discharge(place int32) {
	a.void(&a.queue.commands[place])
	a.queue.release(place)
	a.inFlight.complete()
}

// without removes a salvo from a list.
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

// unloop decrements loop counts of voices that have left their loops.
func (a *audio) unloop() {
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		r := a.voiceTable.at(i).record
		if !r.counted {
			continue
		}
		s := a.current(i)
		counts := &r.rare.Load().counts
		for j, c := range counts {
			if c != nil && c.loops && s.voice.PastLoop() {
				counts[j] = nil
				a.add(c, -1)
			}
		}
	}
}

// untilOver returns how many of n frames remain before the first counted voice may end, if a salvo waits
// for its count.
func (a *audio) untilOver(n int64) int64 {
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		s := a.voiceTable.at(i)
		if r := s.record; !r.counted || s.paused != 0 || !r.awaited() {
			continue
		}
		a.current(i)
		counts := &s.record.rare.Load().counts
		n = a.untilEndOf(s, n, loops(counts[0]) || loops(counts[1]))
	}
	return n
}

func loops(c *Count) bool { return c != nil && c.loops }

// untilEndOf returns how many of n frames remain before a voice may end or, with loop, may leave its loop.
func (a *audio) untilEndOf(s *slot, n int64, loop bool) int64 {
	left, _ := s.voice.RemainingFrames(n, a.now, loop && !s.voice.Endless() && !s.voice.PastLoop())
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
