package doctor

import (
	"sync"
	"time"
)

// Pulls measures when a device pulls from a source. It is safe for concurrent use.
type Pulls struct {
	bufferTime time.Duration

	mutex  sync.Mutex
	totals PullTotals
}

// PullTotals are the results of Pulls.
type PullTotals struct {
	Frames  int64
	Last    time.Time     // of the last pull; zero before the first
	Longest time.Duration // between two pulls
	Gaps    int           // pauses longer than the buffer of the device
}

// NewPulls returns a measurement of a device whose buffer lasts bufferTime.
func NewPulls(bufferTime time.Duration) *Pulls { return &Pulls{bufferTime: bufferTime} }

// Note adds a pull of some frames. It locks a mutex for a moment.
func (p *Pulls) Note(now time.Time, frames int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if pause := now.Sub(p.totals.Last); p.totals.Frames > 0 {
		p.totals.Longest = max(p.totals.Longest, pause)
		if pause > p.bufferTime {
			p.totals.Gaps++
		}
	}
	p.totals.Last = now
	p.totals.Frames += int64(frames)
}

// Totals returns the results until now.
func (p *Pulls) Totals() PullTotals {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.totals
}
