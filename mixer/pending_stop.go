package mixer

import (
	"voicepool/mixer/internal/pendingset"
	"voicepool/pool"
)

// stopFrame returns the frame of a stop that does not fit into the ring buffer; 0 means at once. With Config.Lead the
// frame follows the call clock, because starts that were requested earlier may still be under way. The caller holds
// the mutex.
func (m *Mixer) stopFrame() int64 {
	if m.clock.lead == 0 {
		return 0
	}
	return m.clock.frame(m.Now(), m.rate)
}

// deferStopAll stores a pending stop with a fade of fadeFrames frames in the records of all starts that are not over.
// The audio side executes these stops in its next block. The caller holds the mutex.
func (m *Mixer) deferStopAll(fadeFrames int64) {
	at := m.stopFrame()
	for _, r := range m.allRecords() {
		if m.alive(r) {
			m.extraOf(r).pendingStop.Add(pendingset.Stop{ID: pool.Handle(r.id.Load()), Frame: at, Over: fadeFrames, AfterSeq: m.seq})
		}
	}
	m.stopsDeferred.Store(true)
}
