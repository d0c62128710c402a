package model

// begin starts a call on a caller's handle with its first step. If several records are free, n selects one.
// It reports false if the call would change nothing.
func (m *machine) begin(k kind, caller, n int) bool {
	h := m.held[caller]
	switch k {
	case play, playLater:
		m.held[caller], h = 0, 0 // makes no further calls until this one has returned
	case stopAll:
		h = 0
	default:
		if h == 0 || (k == stop || k == set) && m.get(h) == nil {
			return false
		}
	}
	m.call = call{kind: k, h: h}
	if (k == stop || k == set) && m.record(h).id != h {
		m.call.h, m.call.stale = m.record(h).id, true
	}
	if k == play || k == playLater {
		return m.take(n)
	}
	return n == 0 && m.control()
}

// get returns the record of a handle, like the control side's pool.
func (m *machine) get(h handle) *record {
	r := &m.records[h.record()]
	if r.id != h && m.fault != controlWithoutGeneration || r.where == free {
		return nil
	}
	return r
}

// control does the next step of the present call.
func (m *machine) control() bool {
	m.quiet = false
	m.call.step++
	switch m.call.kind {
	case play, playLater:
		return m.play()
	case stop:
		return m.stop()
	case set:
		return m.setGain()
	case fade:
		return m.fade()
	case stopLater:
		ok := m.push(command{kind: stop, h: m.call.h, later: true})
		if r := m.record(m.call.h); ok && r.id == m.call.h {
			r.askedOne = true
		}
		m.call = call{}
		return ok
	}
	return m.all()
}

func (m *machine) record(h handle) *record { return &m.records[h.record()] }

// push sends a command, unless too many are in flight.
func (m *machine) push(c command) bool {
	if int(m.underWay) >= m.commands {
		m.refused++
		return false
	}
	m.seq++
	c.seq = m.seq
	if c.kind != set && c.kind != wished {
		for i := range m.records {
			m.records[i].fresh = false
		}
	}
	m.underWay++
	m.must(int(m.nring) < m.commands, "a command finds no place in the ring")
	m.ring[m.nring] = c
	if int(m.nring) < len(m.ring)-1 {
		m.nring++
	}
	return true
}

// pushSet is push for a set. It leaves half of the ring to commands without pending sets.
func (m *machine) pushSet(c command) bool {
	if n := int(m.underWay); n >= m.commands/2 && n < m.commands {
		return false
	}
	return m.push(c)
}

func (m *machine) play() bool {
	switch m.call.step {
	case 2:
		r := m.record(m.call.h)
		r.stop = 0
		r.sound = true
		if m.fault == resetDirtyLast {
			r.dirty, r.after = false, false
		}
	case 3:
		r := m.record(m.call.h)
		m.must(m.push(command{kind: play, h: m.call.h, later: r.later}), "a start finds no place that was there")
		for i := range m.held {
			if m.held[i] == 0 {
				m.held[i] = m.call.h
				break
			}
		}
		m.call = call{}
	}
	return true
}

// take begins a Play with the nth free record.
func (m *machine) take(n int) bool {
	m.call.step, m.quiet = 1, false
	if int(m.underWay) >= m.commands {
		m.call = call{}
		return false // busy
	}
	r := m.acquire(n)
	if r == nil {
		m.call = call{}
		return false // busy
	}
	for _, s := range m.slots {
		m.must(s.h == 0 || s.h.record() != r.id.record(), "a record is used again while its voice lives")
	}
	old := *r
	keeps := m.fault == resetKeepsDirty || m.fault == resetDirtyLast
	*r = record{
		id: old.id.next(), want: old.want, dirty: old.dirty && keeps, after: old.after && keeps, stop: old.stop,
		live: old.live, slot: old.slot, cancel: old.cancel, ahead: old.ahead, aheadTo: old.aheadTo,
		where: pending, later: m.call.kind == playLater,
	}
	m.call.h = r.id
	return true
}

// acquire takes the nth free record. If no record is free, it first takes back all returned ones. Taking them
// all at once is equivalent to an audio side that returned them earlier or later.
func (m *machine) acquire(n int) *record {
	for range 2 {
		some := false
		for i := range m.pool {
			if r := &m.records[i]; r.where == free {
				some = true
				if n--; n < 0 {
					return r
				}
			}
		}
		if some {
			return nil
		}
		for i := range m.pool {
			if r := &m.records[i]; r.where == returned {
				r.where, r.sound = free, false
			}
		}
	}
	return nil
}

func (m *machine) stop() bool {
	r := m.record(m.call.h)
	over := func() bool {
		r.stopped = r.stopped || r.id == m.call.h && !m.call.stale
		m.call = call{}
		return true
	}
	switch m.call.step {
	case 1:
		if r.over {
			m.call = call{}
			return false // stale
		}
		if r.id == m.call.h && !m.call.stale {
			r.askedOne = true
		}
	case 2:
		if m.push(command{kind: stop, h: m.call.h}) {
			if m.fault == releaseAtStop {
				r.where = free
			}
			return over()
		}
		if m.fault == stopLostWhenFull {
			return over()
		}
	case 3:
		if m.fault == flagBeforeStop {
			m.stopsWait = true
		} else {
			r.stop = m.call.h
		}
	case 4:
		if m.fault == flagBeforeStop {
			r.stop = m.call.h
		} else {
			m.stopsWait = true
		}
		return over()
	}
	return true
}

// nextValue returns a gain different from the present one.
func (r *record) nextValue() uint8 {
	if r.expect == 1 {
		return 2
	}
	return 1
}

func (m *machine) setGain() bool {
	r, c := m.record(m.call.h), &m.call
	over := func() bool {
		if !c.stale {
			r.expect, r.touched = c.value, true
		}
		m.call = call{}
		return true
	}
	switch c.step {
	case 1:
		if r.over {
			m.call = call{}
			return false
		}
		c.value = r.nextValue()
	case 2:
		c.pending, c.after = r.dirty, r.after && m.fault != commandBeforeWish
		c.follows = c.pending && !r.fresh && m.fault != coalesceWithoutOrder
		if m.fault == coalesceWithoutDirty && r.fresh {
			c.pending = true
		}
		if !c.follows || c.after {
			c.step = 3
		}
	case 3: // a separate command
		if m.pushSet(command{kind: wished, h: c.h, value: c.value}) {
			r.fresh = m.fault == freshAfterCommand
			return over()
		}
		c.after = true
	case 4:
	case 5:
		r.want, r.torn = c.value, false
	case 6:
		was := r.dirty
		r.dirty = true
		if c.pending && (was || m.fault == coalesceWithoutDirty) && !c.follows {
			return over()
		}
		if c.after {
			c.step = 7
		}
	case 7:
		if m.pushSet(command{kind: set, h: c.h}) {
			r.fresh = true
			return over()
		}
	case 8:
		if !r.after {
			r.behind = m.seq
		}
		r.after = m.fault != afterNotMarked
		if m.fault == wantLostWhenFull {
			return over()
		}
	case 9:
		m.wantsWait = true
		return over()
	}
	return true
}

// fade sends a command for a handle that may be stale: only the audio side checks it.
func (m *machine) fade() bool {
	r := m.record(m.call.h)
	value := uint8(3) // a foreign value for a stale handle
	if r.id == m.call.h {
		value = r.nextValue()
	}
	ok := m.push(command{kind: fade, h: m.call.h, value: value})
	if ok && r.id == m.call.h {
		r.expect, r.touched = value, true
		r.loose = r.loose || r.after
	}
	m.call = call{}
	return ok
}

// fades reports whether a fade of the record is in flight.
func (m *machine) fades(r *record) bool { return m.under(fade, r.id) }

// under reports whether a command for a handle is in flight.
func (m *machine) under(k kind, h handle) bool {
	for _, list := range [][]command{m.ring[:m.nring], m.queue[:m.nqueue]} {
		for i := range list {
			if list[i].kind == k && list[i].h == h {
				return true
			}
		}
	}
	return false
}

func (m *machine) all() bool {
	switch m.call.step {
	case 1:
		for i := range m.records {
			if r := &m.records[i]; r.where == pending || r.where == living {
				r.askedAll = true
			}
		}
		if m.push(command{kind: stopAll}) {
			m.allOver()
		}
	case 2:
		m.stopAll = m.seq + 1
		m.allOver()
	}
	return true
}

// allOver marks the starts that must end now: those requested before, except starts for a later frame that
// have not begun.
func (m *machine) allOver() {
	for i := range m.records {
		if r := &m.records[i]; r.askedAll && (r.where == living || r.where == pending && !r.later) {
			r.stopped = true
		}
	}
	m.call = call{}
}
