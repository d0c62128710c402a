package mixer

import (
	"voicepool/mixer/internal/pendingset"
	"voicepool/pool"
)

// stopFrame returns the frame for a stop that does not fit into the ring buffer of commands. 0 means at once. With
// Config.Lead it is a frame of the call clock, because starts that were requested earlier may still be under way. The
// caller holds m.mutex.
func (m *Mixer) stopFrame() int64 {
	if m.clock.lead == 0 {
		return 0
	}
	return m.clock.frame(m.Now(), m.rate)
}

// deferStopAll stops all starts that are not over, with a fade of fadeFrames frames. Use it if the ring buffer has no
// room for the command. It stores a pending stop in the record of each start. The audio side executes these stops from
// its next block on or, with Config.Lead, from the frame of the call clock on. The caller holds m.mutex.
func (m *Mixer) deferStopAll(fadeFrames int64) {
	at := m.stopFrame()
	for _, r := range m.allRecords() {
		if m.alive(r) {
			m.extraOf(r).pendingStop.Add(pendingset.Stop{ID: pool.Handle(r.id.Load()), Frame: at, Over: fadeFrames, AfterSeq: m.seq})
		}
	}
	m.stopsDeferred.Store(true)
}
