package mixer

import (
	"voicepool/mixer/internal/pendingset"
	"voicepool/pool"
)

// stopFrame returns the frame of a stop that does not fit into the ring buffer; 0: immediately. With
// Config.Lead it follows the clock, because starts may be under way. The mutex is held.
func (m *Mixer) stopFrame() int64 {
	if m.clock.lead == 0 {
		return 0
	}
	return m.clock.frame(m.Now(), m.rate)
}

// deferStopAll stores a stop, over frames long, in the records of all starts that are not over. The mutex is
// held.
func (m *Mixer) deferStopAll(fadeFrames int64) {
	at := m.stopFrame()
	for _, r := range m.allRecords() {
		if m.alive(r) {
			m.extraOf(r).pendingStop.Add(pendingset.Stop{ID: pool.Handle(r.id.Load()), Frame: at, Over: fadeFrames, AfterSeq: m.seq})
		}
	}
	m.stopsDeferred.Store(true)
}
