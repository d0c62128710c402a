package room

import (
	"time"

	"voicepool/mixer"
)

// Summary is a summary of a room that is cheap to compute.
type Summary struct {
	Rate            int
	Frame           int64 // frame of the mix
	Stats           mixer.Stats
	Device          string // none: paced by the clock, and streamed over the network
	Lost            string // since when and why the output is lost; empty: it works
	RequestedFrames int64  // frames requested by the device, the sum over all outputs, also during a pause; 0: no device

	// Behind is the delay of the mix against the clock. It is 0 if the room sleeps, and with a device, whose
	// faults are in Lost.
	Behind time.Duration
}

// Summary returns counts and times of the room. It is cheap, because it reads neither levels nor single voices. In a
// room without a device it locks the mutex of the clock, so it waits while a block is being mixed.
func (r *Room) Summary() Summary {
	m, output := r.current().player.Mixer(), r.outputState()
	b := Summary{Rate: r.rate, Frame: m.Now(), Stats: m.Stats(), Device: output.Device, Lost: output.Lost}
	if r.output != nil {
		b.RequestedFrames = r.output.requestedFrames.Load()
	}
	if p := r.clock; p != nil {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		if !p.mixerAsleep && !p.ended {
			b.Behind = max(time.Since(p.timeOf(p.position)), 0)
		}
	}
	return b
}

// LastEvent returns the number of the latest event of the room. It returns 0 before the first event. The event itself
// may have been dropped.
func (r *Room) LastEvent() int64 {
	r.eventLog.mutex.Lock()
	defer r.eventLog.mutex.Unlock()
	return r.eventLog.events.last
}
