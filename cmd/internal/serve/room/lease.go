package room

import (
	"sync/atomic"
	"time"
)

// Lease holds the time until which rooms may be audible, as a cluster grants it to its node. A lease does not hold
// before the first Extend. Any goroutine may call its methods, including the audio side.
type Lease struct {
	now     func() time.Duration
	until   atomic.Int64
	noticed atomic.Int64 // time when its end was first noticed, in Unix nanoseconds; 0: not ended
}

// NewLease returns a lease that does not hold until Extend is called. The function now returns the time since a fixed
// point in the past. That time must also advance while the machine sleeps.
func NewLease(now func() time.Duration) *Lease { return &Lease{now: now} }

// Extend sets the end of the lease to until, measured on the clock that was passed to NewLease. The new end may be
// earlier than the present one. The lease holds before until, but no longer at until. Extend also clears the time that
// EndReason reports.
func (p *Lease) Extend(until time.Duration) {
	p.until.Store(int64(until))
	p.noticed.Store(0)
}

// End ends the lease at once: the rooms with this lease become inaudible, but keep playing. A later Extend makes the
// lease hold again.
func (p *Lease) End() { p.until.Store(0) }

// ValidFor reports whether the lease will still hold when the duration d has passed from now. A nil Lease always holds.
// After each Extend, the first call that returns false stores the present time, which EndReason reports.
func (p *Lease) ValidFor(d time.Duration) bool {
	if p == nil || int64(p.now()+d) < p.until.Load() {
		return true
	}
	p.noticed.CompareAndSwap(0, time.Now().UnixNano())
	return false
}

// EndReason returns a sentence on when and why the lease ended. It returns "" while the lease holds, and for a nil
// Lease. The time in the sentence is the local time when ValidFor or EndReason first noticed the end.
func (p *Lease) EndReason() string {
	if p.ValidFor(0) {
		return ""
	}
	return time.Unix(0, p.noticed.Load()).Format(time.TimeOnly) + ": the lease of this node has ended, since NATS does not renew it"
}
