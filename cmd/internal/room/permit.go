package room

import (
	"sync/atomic"
	"time"
)

// Permit says until when rooms may be heard: the lease of a node. One that was never extended lets
// nothing be heard. All methods may be called by any goroutine, and by an audio side.
type Permit struct {
	now   func() time.Duration
	until atomic.Int64
	lost  atomic.Int64 // when it was first seen to be over, in Unix nanoseconds; 0: it is not
}

// NewPermit returns a permit that goes by a clock, which also counts the time in which the machine sleeps.
func NewPermit(now func() time.Duration) *Permit { return &Permit{now: now} }

// Extend lets rooms be heard until a time of the clock.
func (p *Permit) Extend(until time.Duration) {
	p.until.Store(int64(until))
	p.lost.Store(0)
}

// End lets them be heard no more.
func (p *Permit) End() { p.until.Store(0) }

// Holds reports whether what is heard after a time may be heard.
func (p *Permit) Holds(ahead time.Duration) bool {
	if p == nil || int64(p.now()+ahead) < p.until.Load() {
		return true
	}
	p.lost.CompareAndSwap(0, time.Now().UnixNano())
	return false
}

// Lost says since when nothing may be heard, and why; empty: it may.
func (p *Permit) Lost() string {
	if p.Holds(0) {
		return ""
	}
	return time.Unix(0, p.lost.Load()).Format(time.TimeOnly) + ": the lease of this node has ended, since NATS does not renew it"
}
