package room

import (
	"sync/atomic"
	"time"
)

// Lease holds the time until which rooms may be audible: the lease of a cluster node. A lease that has
// never been extended does not hold. Methods may be called by any goroutine, including an audio side.
type Lease struct {
	now   func() time.Duration
	until atomic.Int64
	lost  atomic.Int64 // time when its end was first noticed, in Unix nanoseconds; 0: not ended
}

// NewLease returns a lease that does not hold yet. now is its clock: the time since a fixed point, which must also
// pass while the machine sleeps.
func NewLease(now func() time.Duration) *Lease { return &Lease{now: now} }

// Extend makes the lease hold until, but not at, a time of the clock. The time may also be earlier than before.
func (p *Lease) Extend(until time.Duration) {
	p.until.Store(int64(until))
	p.lost.Store(0)
}

// End ends the lease at once: the rooms with this lease become inaudible, but keep playing. Extend makes it hold
// again.
func (p *Lease) End() { p.until.Store(0) }

// Holds reports whether the lease will still hold after the duration ahead from now. A nil Lease always holds. If it
// does not hold, Lost has the current time from now on.
func (p *Lease) Holds(ahead time.Duration) bool {
	if p == nil || int64(p.now()+ahead) < p.until.Load() {
		return true
	}
	p.lost.CompareAndSwap(0, time.Now().UnixNano())
	return false
}

// Lost returns one sentence on when and why the lease ended, or "" while it holds.
func (p *Lease) Lost() string {
	if p.Holds(0) {
		return ""
	}
	return time.Unix(0, p.lost.Load()).Format(time.TimeOnly) + ": the lease of this node has ended, since NATS does not renew it"
}
