package mixer

import (
	"sync/atomic"

	"voicepool/pool"
)

// pendingStop is a stop of a voice that did not fit into the ring buffer. The control side writes it. The
// audio side reads it after the ring buffer and acknowledges it. If there are several, the one that ends
// the voice first is kept, so a later one never cancels a Stop.
type pendingStop struct {
	version     atomic.Uint32 // odd during a write
	doneVersion atomic.Uint32 // the version that the audio side has executed
	id          atomic.Uint64 // the handle
	frame       atomic.Int64  // the frame from which the stop applies; 0: immediately
	over        atomic.Int64  // frames

	// afterSeq is the sequence number of the last command before a StopAll. A StopAll does not affect
	// starts of later frames. 0: a stop of this start, which also cancels a pending start.
	afterSeq atomic.Uint64
}

// stopFrame returns the frame of a stop that does not fit into the ring buffer; 0: immediately. With
// Config.Lead it follows the clock, because starts may be under way. The mutex is held.
func (m *Mixer) stopFrame() int64 {
	if m.clock.lead == 0 {
		return 0
	}
	return m.clock.frame(m.Now(), m.rate)
}

// deferStop stores a stop of start id in its record r: from the frame at on (0: immediately), over frames long. after
// is pendingStop.afterSeq. If a stop is already stored, the earlier end is kept. The caller sets stopsDeferred. The
// mutex is held.
func (m *Mixer) deferStop(r *record, id pool.Handle, at, over int64, after uint64) {
	s := &m.extraOf(r).pendingStop
	if s.version.Load() != s.doneVersion.Load() && s.id.Load() == uint64(id) {
		if was, length := s.frame.Load(), s.over.Load(); was+length <= at+over {
			at, over = was, length
		}
		if s.afterSeq.Load() == 0 {
			after = 0
		}
	}
	version := s.version.Load()
	s.version.Store(version + 1)
	s.id.Store(uint64(id))
	s.frame.Store(at)
	s.over.Store(over)
	s.afterSeq.Store(after)
	s.version.Store(version + 2)
}

// deferStopAll stores a stop, over frames long, in the records of all starts that are not over. The mutex is
// held.
func (m *Mixer) deferStopAll(over int64) {
	at := m.stopFrame()
	for _, r := range m.allRecords() {
		if m.alive(r) {
			m.deferStop(r, pool.Handle(r.id.Load()), at, over, m.seq)
		}
	}
	m.stopsDeferred.Store(true)
}
