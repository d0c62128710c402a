package mixer

// pendingBatches tracks the batches that are waiting, fired and dropped.
type pendingBatches struct {
	zeroList   *Batch // list of batches whose countdowns may be 0; they fire after all other commands of this frame
	fired      *Batch // list
	cancelling *Batch // dropped by the present command
	waiting    int    // the number of batches that wait for a countdown
}

// queueInBatch lets c wait with its batch c.batch, a set of commands that act together once the batch is fired.
// c.batch must not be nil. A copy of c joins the batch, and the result is true. If the batch was dropped, c is
// discarded and counted as complete, and the result is true, too. If the batch was already fired, the result is false.
// Then c.frame becomes an absolute frame, and the caller must queue or execute c.
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

// discardCommand discards c without executing it. If c requests a start, the start ends at once without a voice: it
// counts as stopped, and its events are emitted. Otherwise the stream buffer of c, if any, is dropped. The caller then
// counts c as complete.
func (a *audio) discardCommand(c *command) {
	switch {
	case c.kind == cmdPlay:
		a.record(c.record).cancelled = c.record
		a.start(c)
	case c.feed != nil:
		c.feed.Drop()
	}
}

// fire fires the batch s of waiting commands: their frames count from the present frame. It stores this frame in
// s.base and adds s to the list a.fired; scheduleFired then queues the commands. If c is not nil, s waits instead
// until the countdown c is 0 or less. In this case fire adds s to a.zeroList, and fireAtZero checks c later in this
// frame. A batch that was dropped, has fired or already waits is unchanged.
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

// scheduleFired moves the commands of all fired batches, which are in the list a.fired, into the command queue. The
// list is empty afterwards. In a batch the frame of a command counts from the firing; scheduleFired adds a.now, so
// that it becomes absolute.
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

// fireAtZero checks each batch in the list a.zeroList: the batches whose countdowns may be 0. If the countdown is 0 or
// less, the batch fires at the present frame, and its commands are queued. Otherwise the batch waits for the countdown
// again. The list is empty afterwards. The result reports whether any batch fired.
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

// countDown counts the end of the start r: it subtracts 1 from each countdown in r. If a countdown becomes 0 or less,
// the batches of commands that wait for it fire later in this frame. countDown removes the countdowns from r, so that a
// second call has no effect. r.extra must be set.
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

// addToCountdown adds n, which may be negative, to the countdown c. If the result is 0 or less, the batches that wait
// for c move to the list a.zeroList. fireAtZero then fires them later in this frame.
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

// cancelBatch drops a.cancelling, a batch of commands, and sets a.cancelling to nil. All commands of the batch that
// were not executed yet are discarded and counted as complete. The batch no longer waits for a countdown, and commands
// that join it later are discarded, too. A batch that was dropped before is unchanged. The caller has removed the
// command that drops the batch from the queue.
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

// removeBatch removes batch s from a linked list of batches, in place, and returns the new head of the list. A list
// without s is unchanged.
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

// countDownLoops decrements the loop countdowns of each voice that has left its loop for good. A loop countdown has
// its field loops set: it does not wait for the end of the voice. Each voice counts once, because countDownLoops then
// removes the countdown from the record of the voice.
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

// untilCountdown returns how many of the next n frames can be mixed before a countdown may change. Only countdowns
// that a batch of commands waits for are considered. A countdown changes when a voice with this countdown ends or, for
// a loop countdown, leaves its loop. Paused voices do not count. The result is at least 1, and n if no countdown
// changes.
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

// untilEndOf returns how many of the next n frames can be mixed before voice s may end. If loop is true, the frame
// where s may leave its loop counts as an end, too. The result is at least 1, and n if neither happens.
func (a *audio) untilEndOf(s *slot, n int64, loop bool) int64 {
	left, _ := s.voice.RemainingFrames(n, a.now, loop && !s.voice.Endless() && !s.voice.PastLoop())
	return min(n, max(left, 1), max(s.endAt-a.now, 1))
}

// isAwaited reports whether a batch waits for any countdown of the start of r. r.extra must be set.
func (r *record) isAwaited() bool {
	for _, c := range r.extra.Load().countdowns {
		if c != nil && c.waiting != nil {
			return true
		}
	}
	return false
}
