package model

import "math/bits"

// step does the next step of the audio side. If several steps are possible, n selects: the record that a scan
// sees next, the victim, whether a voice ends in a stretch, and whether a block has another stretch. It
// reports false if there are not that many.
func (m *machine) step(n int) bool {
	a := &m.audio
	if n >= m.ways() {
		return false
	}
	switch a.pc {
	case idle:
		m.quiet = true
		for i := range m.records {
			r := &m.records[i]
			r.due = r.stopped
			r.touched = r.touched && m.call.kind == set && m.call.h == r.id
		}
		a.pc = receive
		if m.fault == wordsBeforeRing {
			a.pc = words
		}
	case receive:
		m.receive()
	case arrive:
		m.arrive(n)
	case moveClear:
		r := &m.records[a.rec]
		if m.fault == wantReadBeforeCleared {
			a.loaded = handle(r.want)
		} else {
			r.dirty = false
		}
		a.pc = moveRead
	case moveRead:
		m.moveRead()
	case leaveDirty:
		m.records[a.rec].dirty = m.fault != tornIsLost
		a.pc = leaveWait
	case leaveWait:
		m.wantsWait = m.wantsWait || m.fault != tornIsLost
		a.pc, a.back = a.back, idle
	case finishState:
		m.finishState()
	case finishPush:
		m.finishPush()
	case done:
		m.drop()
		if m.fault != countedWhenReceived {
			m.underWay--
		}
		a.pc = arrive
	case mix:
		m.stopped()
		m.mix(n)
	case mixed:
		for i := range m.nqueue {
			m.queue[i].later = false // their frame has been reached
		}
		a.pc = idle
		if n == 1 {
			a.pc, a.second = arrive, true
		} else {
			m.rendered()
		}
	default:
		m.word(n)
	}
	return true
}

// ways returns the number of possible next steps.
func (m *machine) ways() int {
	a := &m.audio
	n := 1
	switch a.pc {
	case mix:
		n += m.playing()
	case mixed:
		if !a.second && m.nqueue > 0 {
			n = 2
		}
	case scanStops, scanWants:
		n = m.pool - bits.OnesCount8(a.scanned)
	case arrive:
		if i := m.next(); i >= 0 && m.queue[i].kind == play && m.playing() == m.voices {
			n = m.voices
		}
	}
	return n
}

func (m *machine) playing() int {
	n := 0
	for i := range m.slots {
		if m.slots[i].h != 0 {
			n++
		}
	}
	return n
}

func (m *machine) receive() {
	if m.nring == 0 {
		m.audio.pc = arrive
		if m.fault == wordsBeforeStarts {
			m.audio.pc = words
		}
		return
	}
	c := m.ring[0]
	copy(m.ring[:], m.ring[1:])
	m.nring--
	m.ring[m.nring] = command{}
	m.popped++
	m.must(int(m.nqueue) < m.commands, "the queue of later commands overflows")
	if int(m.nqueue) < len(m.queue) {
		m.queue[m.nqueue] = c
		m.nqueue++
	}
	if m.fault == countedWhenReceived {
		m.underWay--
	}
}

// next returns the index in the queue of the command that is due, or -1.
func (m *machine) next() int {
	for i := range int(m.nqueue) {
		if !m.queue[i].later {
			return i
		}
	}
	return -1
}

func (m *machine) drop() {
	i := m.next()
	copy(m.queue[i:], m.queue[i+1:])
	m.nqueue--
	m.queue[m.nqueue] = command{}
}

// names reports whether at, of a voice or a word, is the handle h.
func (m *machine) names(at, h handle) bool {
	if m.fault == audioWithoutGeneration {
		return at != 0
	}
	return at == h
}

// arrive begins the due command.
func (m *machine) arrive(n int) {
	a := &m.audio
	i := m.next()
	if i < 0 {
		switch {
		case a.second:
			a.pc, a.second = idle, false
			m.rendered()
		case m.fault == wordsBeforeStarts || m.fault == wordsBeforeRing:
			a.pc = mix
		default:
			a.pc = words
		}
		return
	}
	c := &m.queue[i]
	a.pc = done
	if c.kind == stopAll {
		for j := range m.slots {
			if m.slots[j].h != 0 {
				m.finish(j, stopAll, arrive) // repeated until no voice is left
				return
			}
		}
		return
	}
	r := m.record(c.h)
	switch c.kind {
	case play:
		m.start(r, c, n)
	case stop:
		switch {
		case m.names(r.live, c.h):
			m.finish(int(r.slot), stop, done)
		case m.names(r.id, c.h):
			m.cancel(r, c.h)
		}
	case set:
		if m.names(r.live, c.h) || m.names(r.id, c.h) && !r.over {
			a.rec, a.pc, a.back = uint8(c.h.record()), moveClear, done
		}
	case fade, wished:
		if m.names(r.live, c.h) {
			m.slots[r.slot].gain = c.value
		} else if m.names(r.id, c.h) {
			r.ahead, r.aheadTo = r.id, c.value
			if m.fault == foreseenAsWant {
				r.ahead = 0
				r.want, r.dirty = c.value, true
			}
		}
	}
}

// cancel cancels a start that has not begun.
func (m *machine) cancel(r *record, h handle) {
	r.cancel = h
	if m.fault == cancelWithoutGeneration || m.fault == stopWordWithoutGeneration {
		r.cancel = r.id
	}
	m.must(r.id != r.cancel || r.askedOne, "a start is cancelled that nobody stopped")
}

func (m *machine) start(r *record, c *command, n int) {
	a := &m.audio
	a.rec = uint8(c.h.record())
	m.must(r.id == c.h && r.where == pending, "a start finds its record in other hands")
	if r.cancel == c.h || m.fault == cancelWithoutGeneration && r.cancel != 0 {
		m.must(r.askedOne, "a start is cancelled that nobody stopped")
		m.told(c.h, cancelled)
		m.giveBack(r, done)
		if m.fault == cancelledIsKept {
			a.pc = done
		}
		return
	}
	m.must(r.sound, "a start has no sound")
	for i := range m.voices {
		s := &m.slots[i]
		m.must(s.h != c.h, "a start sounds twice")
		if s.h != 0 {
			continue
		}
		*s = slot{h: c.h, seq: c.seq}
		m.told(c.h, begun)
		r.live, r.slot, r.where = c.h, uint8(i), living
		a.pc = done
		if r.ahead == c.h {
			s.gain = r.aheadTo
		}
		return
	}
	m.finish(n, play, arrive) // steals a victim, then tries again
}

// moveRead is the second half of a move.
func (m *machine) moveRead() {
	a := &m.audio
	r := &m.records[a.rec]
	value := r.want
	if m.fault == wantReadBeforeCleared {
		value, r.dirty = uint8(a.loaded), false
		a.loaded = 0
	}
	switch {
	case r.torn:
		a.pc = leaveDirty
		return
	case r.live != 0:
		m.slots[r.slot].gain = value
	case m.fault != wishNotForeseen:
		r.ahead, r.aheadTo = r.id, value
	}
	a.pc, a.back = a.back, idle
}

// finish frees a slot. why is none for a voice that ended, a call that stopped it, or play if a start stole it.
func (m *machine) finish(i int, why kind, back pc) {
	s := &m.slots[i]
	r := m.record(s.h)
	m.must(r.id == s.h, "a record is used again while its voice lives")
	m.must(why != stop || r.askedOne, "a voice ends that nobody stopped")
	m.must(why != stopAll || r.askedAll, "a voice ends that nobody stopped before the StopAll")
	m.told(s.h, [...]fate{none: ended, play: stolen, stop: stopped, stopAll: stopped}[why])
	if m.fault != slotKept {
		*s = slot{}
	}
	m.giveBack(r, back)
}

func (m *machine) giveBack(r *record, back pc) {
	a := &m.audio
	m.must(r.where == living || r.where == pending, "a record is given back twice")
	r.where, r.live = leaving, 0
	if m.fault != givenBackWithSound {
		r.sound = false
	}
	a.rec, a.pc, a.back = uint8(r.id.record()), finishState, back
}

func (m *machine) finishState() {
	r := &m.records[m.audio.rec]
	r.over = m.fault != givenBackBeforeState
	if m.fault == givenBackBeforeState || m.fault == givenBackWithSound {
		r.where = returned
	}
	m.audio.pc = finishPush
}

func (m *machine) finishPush() {
	a := &m.audio
	r := &m.records[a.rec]
	switch m.fault {
	case givenBackBeforeState:
		r.over = true
	case givenBackWithSound:
		r.sound = false
	case neverGivenBack:
	default:
		m.must(r.where == leaving, "a record is given back twice")
		r.where = returned
	}
	a.pc, a.back, a.rec = a.back, idle, 0
}

// mix ends the nth voice, or no further one.
func (m *machine) mix(n int) {
	m.audio.pc = mixed
	for i := range m.slots {
		if m.slots[i].h != 0 {
			if n--; n == 0 {
				m.finish(i, none, mix)
			}
		}
	}
}
