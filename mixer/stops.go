package mixer

import (
	"sync/atomic"

	"voicepool/pool"
)

// stopping is a stop of a voice that the ring had no place for. The control side writes
// it, the audio side reads it after the ring and says so. Of several that wait, the one
// stands here that ends the voice first: so no later one takes a Stop back.
type stopping struct {
	version atomic.Uint32 // odd while it is written
	done    atomic.Uint32 // the version that the audio side has carried out
	id      atomic.Uint64 // the handle
	at      atomic.Int64  // the frame from which on it acts; 0: at once
	over    atomic.Int64  // frames

	// after is the number of the last command before a StopAll, which leaves starts of
	// later frames alone; 0: it is a stop of this start, which cancels it then.
	after atomic.Uint64
}

// stopFrame returns the frame from which on a stop acts that the ring has no place for: a
// start may be on its way for as long as the lead. The mutex is held.
func (m *Mixer) stopFrame() int64 {
	if m.lead.frames == 0 {
		return 0
	}
	return m.lead.frame(m.Now(), m.rate)
}

// stopLater leaves a stop in the record. The mutex is held.
func (m *Mixer) stopLater(r *record, id pool.Handle, at, over int64, after uint64) {
	s := &m.own(r).stopping
	if s.version.Load() != s.done.Load() && s.id.Load() == uint64(id) {
		if was, length := s.at.Load(), s.over.Load(); was+length <= at+over {
			at, over = was, length
		}
		if s.after.Load() == 0 {
			after = 0
		}
	}
	version := s.version.Load()
	s.version.Store(version + 1)
	s.id.Store(uint64(id))
	s.at.Store(at)
	s.over.Store(over)
	s.after.Store(after)
	s.version.Store(version + 2)
}

// stopAllLater leaves a stop in the records of all starts that are not over. The mutex is
// held.
func (m *Mixer) stopAllLater(over int64) {
	at := m.stopFrame()
	for _, r := range m.allRecords() {
		if m.lives(r) {
			m.stopLater(r, pool.Handle(r.id.Load()), at, over, m.seq)
		}
	}
	m.stopsWait.Store(true)
}
