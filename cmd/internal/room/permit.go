package room

import (
	"sync/atomic"
	"time"
)

// Permit holds the time until which rooms may be audible: the lease of a cluster node. A permit that has
// never been extended does not hold. Methods may be called by any goroutine, including an audio side.
type Permit struct {
	now   func() time.Duration
	until atomic.Int64
	lost  atomic.Int64 // time when its end was first noticed, in Unix nanoseconds; 0: not ended
}

// NewPermit returns a permit with a clock, which must also run while the machine sleeps.
func NewPermit(now func() time.Duration) *Permit { return &Permit{now: now} }

// Extend makes the permit hold until a time of the clock.
func (p *Permit) Extend(until time.Duration) {
	p.until.Store(int64(until))
	p.lost.Store(0)
}

// End ends the permit.
func (p *Permit) End() { p.until.Store(0) }

// Holds reports whether the permit holds at a time ahead of now.
func (p *Permit) Holds(ahead time.Duration) bool {
	if p == nil || int64(p.now()+ahead) < p.until.Load() {
		return true
	}
	p.lost.CompareAndSwap(0, time.Now().UnixNano())
	return false
}

// Lost describes since when and why the permit does not hold, or returns "".
func (p *Permit) Lost() string {
	if p.Holds(0) {
		return ""
	}
	return time.Unix(0, p.lost.Load()).Format(time.TimeOnly) + ": the lease of this node has ended, since NATS does not renew it"
}
