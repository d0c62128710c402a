package model

// word does a step of reading the words after the ring.
func (m *machine) word(n int) {
	a := &m.audio
	switch a.pc {
	case words:
		a.pc = wantWords
		if m.stopsWait {
			m.stopsWait = false
			a.pc = scanStops
		}
	case scanStops:
		r := m.scan(n)
		id := r.stop
		r.stop = 0
		switch {
		case id == 0:
			a.pc = m.more(scanStops, wantWords)
		case r.live == id || m.fault == stopWordWithoutGeneration && r.live != 0:
			m.finish(int(r.slot), stop, m.more(scanStops, wantWords))
		default:
			a.loaded, a.pc = id, scanCheck
		}
	case scanCheck:
		r := &m.records[a.rec]
		if r.id == a.loaded || m.fault == stopWordWithoutGeneration {
			m.cancel(r, a.loaded)
		}
		a.loaded, a.pc = 0, m.more(scanStops, wantWords)
	case wantWords:
		a.pc = allWord
		if m.wantsWait {
			m.wantsWait = false
			a.pc = scanWants
		}
	case scanWants:
		r := m.scan(n)
		if r.after && m.popped < r.behind && m.fault != afterWithoutOrder {
			a.pc, a.back = leaveWait, m.more(scanWants, allWord)
			break
		}
		moves := (r.live != 0 || !r.over) && (r.dirty || r.after)
		r.after = false
		a.pc = m.more(scanWants, allWord)
		if moves {
			a.pc, a.back = moveClear, a.pc
		}
	case allWord:
		a.pc = mix
		if m.fault == wordsBeforeRing {
			a.pc = receive
		} else if m.fault == wordsBeforeStarts {
			a.pc = arrive
		}
		if m.stopAll == 0 {
			break
		}
		a.loaded = handle(m.stopAll)
		switch {
		case m.popped >= m.stopAll-1 || m.fault == stopAllWithoutOrder:
			a.back, a.pc = a.pc, allClear
		case m.fault == stopAllWaits:
			a.loaded = 0
		default: // some of its voices may not have started yet
			a.pc = allSweep
		}
	case allClear:
		a.pc = allSweep
		if handle(m.stopAll) == a.loaded || m.fault == stopAllCleared {
			m.stopAll = 0
		} else if m.fault == stopAllGivesUp { // replaced by the newer one
			a.pc, a.loaded = a.back, 0
		}
		a.back = idle
	case allSweep:
		m.sweep()
	}
}

// scan returns the nth record that the scan has not visited.
func (m *machine) scan(n int) *record {
	a := &m.audio
	for i := range m.pool {
		if a.scanned>>i&1 == 0 {
			if n--; n < 0 {
				a.rec = uint8(i)
				break
			}
		}
	}
	a.scanned |= 1 << a.rec
	return &m.records[a.rec]
}

// more returns the next position of a scan.
func (m *machine) more(scan, after pc) pc {
	if m.audio.scanned == 1<<m.pool-1 {
		m.audio.scanned = 0
		return after
	}
	return scan
}

// sweep stops one voice of a StopAll word, until all are stopped.
func (m *machine) sweep() {
	a := &m.audio
	for i := range m.slots {
		if s := &m.slots[i]; s.h != 0 && (handle(s.seq) < a.loaded || m.fault == stopAllWithoutOrder) {
			m.finish(i, stopAll, allSweep)
			return
		}
	}
	a.loaded = 0
	switch m.fault {
	case wordsBeforeRing:
		a.pc = receive
	case wordsBeforeStarts:
		a.pc = arrive
	default:
		a.pc = mix
	}
}
