package model

// stopped checks that voices stopped before a block began are not mixed.
func (m *machine) stopped() {
	for i := range m.slots {
		s := &m.slots[i]
		m.must(s.h == 0 || !m.record(s.h).due, "a Stop is lost: its voice sounds")
	}
}

// rendered checks the invariants at the end of a block.
func (m *machine) rendered() {
	m.stopped()
	for i := range m.slots {
		s := &m.slots[i]
		if s.h == 0 {
			continue
		}
		r := m.record(s.h)
		m.must(r.id == s.h && r.live == s.h && int(r.slot) == i, "a slot is lost: its record is another's")
		m.must(!r.over, "a voice that lives is called over")
		moving := r.touched || m.call.kind == set && m.call.h == s.h
		m.must(moving || r.loose || s.gain == r.expect, "a voice is not as loud as the last call said")
	}
	for i := range m.pool {
		r := &m.records[i]
		slots, starts := m.owners(r.id)
		switch r.where {
		case pending:
			m.must(slots == 0 && starts == 1, "a start is lost or doubled")
		case living:
			m.must(slots == 1 && starts == 0, "a slot is lost or doubled")
		case leaving:
			m.must(false, "a record is not given back")
		default:
			m.must(slots == 0 && starts == 0, "a free record is in use")
		}
	}
	if m.quiet {
		// Only commands for later frames may wait.
		m.must(m.nring == 0 && m.underWay == m.nqueue, "the commands under way are not counted right")
		m.must(!m.stopsWait && !m.wantsWait && m.stopAll == 0 || m.call.kind != none, "a word is not read")
	}
}

// owners returns how many slots play a start, and how many waiting commands start it.
func (m *machine) owners(h handle) (slots, starts int) {
	for i := range m.slots {
		if m.slots[i].h == h {
			slots++
		}
	}
	count := func(commands []command) {
		for i := range commands {
			if commands[i].kind == play && commands[i].h == h {
				starts++
			}
		}
	}
	count(m.ring[:m.nring])
	count(m.queue[:m.nqueue])
	if (m.call.kind == play || m.call.kind == playLater) && m.call.h == h {
		starts++
	}
	return slots, starts
}
