package mixer

// pendingBatches tracks the batches that are waiting, fired and dropped.
type pendingBatches struct {
	zeroList   *Batch // list of batches whose countdowns may be 0; they fire after all other commands of this frame
	fired      *Batch // list
	cancelling *Batch // dropped by the present command
	waiting    int    // the number of batches that wait for a countdown
}

// queueInBatch keeps a copy of c with its batch until the batch is fired, and returns true. c must have a batch. If
// the batch was dropped, queueInBatch discards c, counts c as complete and returns true. If the batch was fired
// already, it makes c.frame absolute and returns false; the caller must queue or execute c.
func (a *audio) queueInBatch(c *command) bool {
	s := c.batch
	base := s.base.Load()
	switch {
	case s.dropped:
		a.discardCommand(c)
		a.inFlight.Complete()
	case base < 0:
		a.queue.Append(&s.commands, c)
	default:
		c.frame += base
		return false
	}
	return true
}

// discardCommand discards c without executing it: the start of a play command counts as stopped, and a stream buffer
// is dropped. The caller then marks c as complete.
func (a *audio) discardCommand(c *command) {
	switch {
	case c.kind == cmdPlay:
		a.record(c.record).cancelled = c.record
		a.start(c)
	case c.feed != nil:
		c.feed.Drop()
	}
}

// fire fires batch s at the frame now: it adds s to a.fired, from where scheduleFired queues the commands. If c is
// not nil, s instead waits until countdown c is 0 or less; if that is so already, s fires within this frame. A batch
// that was dropped, has fired or already waits is not changed.
func (a *audio) fire(s *Batch, c *Countdown) {
	switch {
	case s.dropped || s.base.Load() >= 0 || s.countdown != nil:
	case c == nil:
		s.base.Store(a.now)
		s.next, a.fired = a.fired, s
	default:
		s.countdown = c
		s.next, a.zeroList = a.zeroList, s
		a.waiting++
	}
}

// scheduleFired puts the commands of the batches in a.fired into the queue and clears a.fired. The frame of each
// command, which counts from the firing, becomes absolute.
func (a *audio) scheduleFired() {
	for s := a.fired; s != nil; {
		for place := a.queue.Unlink(&s.commands); place >= 0; place = a.queue.Unlink(&s.commands) {
			c := a.queue.At(place)
			c.frame += a.now
			a.queue.Insert(place, c.order())
		}
		s, s.next = s.next, nil
	}
	a.fired = nil
}

// fireAtZero fires each batch in zeroList whose countdown is still 0 or less, queues the commands of these batches
// for execution, and reports whether it fired any. The other batches wait for their countdowns again. zeroList is
// empty afterwards.
func (a *audio) fireAtZero() bool {
	for s := a.zeroList; s != nil; {
		next := s.next
		if c := s.countdown; c.left > 0 {
			s.next, c.waiting = c.waiting, s
		} else {
			a.waiting--
			s.base.Store(a.now)
			s.countdown, s.next, a.fired = nil, a.fired, s
		}
		s = next
	}
	a.zeroList = nil
	if a.fired == nil {
		return false
	}
	a.scheduleFired()
	return true
}

// countDown decrements the countdowns of the start of r, which has ended, and removes them from r, so that a start
// counts at most once. The record must have extra data.
func (a *audio) countDown(r *record) {
	counts := &r.extra.Load().countdowns
	for i, c := range counts {
		if c == nil {
			continue
		}
		counts[i] = nil
		a.addToCountdown(c, -1)
	}
	r.hasCountdowns = false
}

// addToCountdown adds n, which may be negative, to countdown c. If c is then 0 or less, the batches that wait for c
// move to zeroList; fireAtZero fires them later in this frame.
func (a *audio) addToCountdown(c *Countdown, n int64) {
	if c.left += n; c.left > 0 {
		return
	}
	for s := c.waiting; s != nil; {
		next := s.next
		s.next, a.zeroList = a.zeroList, s
		s = next
	}
	c.waiting = nil
}

// cancelBatch discards all pending commands of the batch a.cancelling, marks the batch as dropped and clears
// a.cancelling. It must run after the command that drops the batch was taken from the queue.
func (a *audio) cancelBatch() {
	s := a.cancelling
	if a.cancelling = nil; s.dropped {
		return
	}
	s.dropped = true
	if c := s.countdown; c != nil {
		a.zeroList, c.waiting = removeBatch(a.zeroList, s), removeBatch(c.waiting, s)
		s.countdown = nil
		a.waiting--
	}
	for place := a.queue.Unlink(&s.commands); place >= 0; place = a.queue.Unlink(&s.commands) {
		a.discardCommand(a.queue.At(place))
		a.queue.Release(place)
		a.inFlight.Complete()
	}
	a.queue.DeleteFunc(func(c *command) bool {
		if c.batch != s {
			return false
		}
		a.discardCommand(c)
		a.inFlight.Complete()
		return true
	})
}

// removeBatch removes batch s from a linked list of batches, in place, and returns the new list. A list that does not
// contain s is unchanged.
func removeBatch(list, s *Batch) *Batch {
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

// countDownLoops decrements the loop countdowns of each voice that has left its loop for good, once per voice. Loop
// countdowns are those with loops set, which do not wait for the end of the voice.
func (a *audio) countDownLoops() {
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		r := a.voiceTable.at(i).record
		if !r.hasCountdowns {
			continue
		}
		s := a.current(i)
		counts := &r.extra.Load().countdowns
		for j, c := range counts {
			if c != nil && c.loops && s.voice.PastLoop() {
				counts[j] = nil
				a.addToCountdown(c, -1)
			}
		}
	}
}

// untilCountdown returns how many of the next n frames can be mixed before a voice may decrement a countdown that a
// batch waits for: when the voice ends or, for a loop countdown, leaves its loop. The result is at least 1, and n if
// no voice does so.
func (a *audio) untilCountdown(n int64) int64 {
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		s := a.voiceTable.at(i)
		if r := s.record; !r.hasCountdowns || s.paused != 0 || !r.isAwaited() {
			continue
		}
		a.current(i)
		counts := &s.record.extra.Load().countdowns
		n = a.untilEndOf(s, n, countsLoops(counts[0]) || countsLoops(counts[1]))
	}
	return n
}

// countsLoops reports whether a countdown counts voices that leave their loops; false for nil.
func countsLoops(c *Countdown) bool { return c != nil && c.loops }

// untilEndOf returns how many of the next n frames can be mixed before voice s may end or, if loop is true, may leave
// its loop. The result is at least 1, and n if neither happens.
func (a *audio) untilEndOf(s *slot, n int64, loop bool) int64 {
	left, _ := s.voice.RemainingFrames(n, a.now, loop && !s.voice.Endless() && !s.voice.PastLoop())
	return min(n, max(left, 1), max(s.endAt-a.now, 1))
}

// isAwaited reports whether a batch waits for any countdown of the start. The record must have extra data.
func (r *record) isAwaited() bool {
	for _, c := range r.extra.Load().countdowns {
		if c != nil && c.waiting != nil {
			return true
		}
	}
	return false
}
