package mixer

import (
	"sync/atomic"

	"voicepool/mixer/internal/publish"
	"voicepool/pool"
)

// pendingStop is a stop of a voice that did not fit into the ring buffer. The control side writes it. The
// audio side reads it after the ring buffer and acknowledges it. If there are several, the one that ends
// the voice first is kept, so a later one never cancels a Stop.
type pendingStop struct {
	cell        publish.SeqCell[[4]atomic.Uint64]
	doneVersion atomic.Uint64 // the version of cell that the audio side has executed
}

// stopSnapshot is a copy of a pendingStop.
type stopSnapshot struct {
	id    pool.Handle
	frame int64 // from which the stop applies; 0: immediately
	over  int64 // frames

	// afterSeq is the sequence number of the last command before a StopAll. A StopAll does not affect
	// starts of later frames. 0: a stop of this start, which also cancels a pending start.
	afterSeq uint64
}

// read returns a copy of the stop and its version. ok is false if a write is in progress or came in between.
func (s *pendingStop) read() (stop stopSnapshot, version uint64, ok bool) {
	var words [4]uint64
	version = s.cell.Version()
	ok = s.cell.Read(words[:]) && s.cell.Version() == version
	return stopSnapshot{pool.Handle(words[0]), int64(words[1]), int64(words[2]), words[3]}, version, ok
}

// stopFrame returns the frame of a stop that does not fit into the ring buffer; 0: immediately. With
// Config.Lead it follows the clock, because starts may be under way. The mutex is held.
func (m *Mixer) stopFrame() int64 {
	if m.clock.lead == 0 {
		return 0
	}
	return m.clock.frame(m.Now(), m.rate)
}

// deferStop stores a stop in the record r of its start. If a stop is already stored, the earlier end is kept. The caller
// sets stopsDeferred. The mutex is held.
func (m *Mixer) deferStop(r *record, stop stopSnapshot) {
	s := &m.extraOf(r).pendingStop
	if was, version, _ := s.read(); version != s.doneVersion.Load() && was.id == stop.id {
		if was.frame+was.over <= stop.frame+stop.over {
			stop.frame, stop.over = was.frame, was.over
		}
		if was.afterSeq == 0 {
			stop.afterSeq = 0
		}
	}
	s.cell.Write([]uint64{uint64(stop.id), uint64(stop.frame), uint64(stop.over), stop.afterSeq})
}

// deferStopAll stores a stop, over frames long, in the records of all starts that are not over. The mutex is
// held.
func (m *Mixer) deferStopAll(over int64) {
	at := m.stopFrame()
	for _, r := range m.allRecords() {
		if m.alive(r) {
			m.deferStop(r, stopSnapshot{pool.Handle(r.id.Load()), at, over, m.seq})
		}
	}
	m.stopsDeferred.Store(true)
}
