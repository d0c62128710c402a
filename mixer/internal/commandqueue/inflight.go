package commandqueue

import (
	"sync/atomic"

	"voicepool/internal/release"
)

// InFlight counts the commands under way: sent and not yet completed. Each side has its own counter on its own cache
// line, so that the counters need no locked instruction and cause no false sharing. The zero value counts 0 commands.
type InFlight struct {
	sent atomic.Int64 // written by the control side, under its mutex
	_    [64]byte     // padding to a cache line
	done atomic.Int64 // written by the audio side
	_    [64]byte
}

// Len returns the number of commands under way: sent and not yet completed. While the other side changes its counter,
// the result is an upper bound on the control side and a lower bound on the audio side.
func (f *InFlight) Len() int64 {
	done := f.done.Load() // first, so that the difference is never negative
	return f.sent.Load() - done
}

// Add adds n, which may be negative, to the number of commands under way, and returns the new number. Reads that the
// caller makes afterwards are ordered after the addition. Control side, with its mutex held.
func (f *InFlight) Add(n int64) int64 {
	f.sent.Add(n)
	return f.Len()
}

// Complete removes a command from the number under way. Audio side.
func (f *InFlight) Complete() { release.Int64(&f.done, f.done.Load()+1) }

// Uncomplete undoes Complete for a command that stays under way. Audio side.
func (f *InFlight) Uncomplete() { release.Int64(&f.done, f.done.Load()-1) }

// Capacity is the number of commands that may be under way. It grows on demand. Control side, under its mutex.
type Capacity struct {
	Allocated int64 // the number of commands that the buffers have room for
	Max       int64 // Allocated never exceeds it
}

// Grow makes room for n commands; n is at most Max. If c.Allocated is at least n, it returns false. Otherwise it at
// least doubles c.Allocated, but not beyond Max, and returns true. The caller must then provide buffers for
// c.Allocated commands.
func (c *Capacity) Grow(n int64) bool {
	if n <= c.Allocated {
		return false
	}
	c.Allocated = max(n, min(2*c.Allocated, c.Max))
	return true
}

// Limit returns the maximum number of commands under way; the caller rejects a further command. For an immediate
// command it is c.Max. For a command at a later frame it is lower by 64, or by a sixteenth of c.Max if that is less.
// This reserve remains for immediate commands.
func (c *Capacity) Limit(immediate bool) int64 {
	if immediate {
		return c.Max
	}
	return c.Max - min(64, c.Max/16)
}
