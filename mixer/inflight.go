package mixer

import (
	"sync/atomic"

	"voicepool/internal/release"
)

// inFlightCounter counts the commands under way. Each side has its own counter on its own cache line, so
// that the counters need no locked instruction and cause no false sharing.
type inFlightCounter struct {
	sent atomic.Int64 // written by the control side, under the mutex
	_    [64]byte     // padding to a cache line
	done atomic.Int64 // written by the audio side
	_    [64]byte
}

// len returns the number of commands under way: an upper bound on the control side, a lower bound on the audio side.
func (f *inFlightCounter) len() int64 {
	done := f.done.Load() // first, so that the difference is never negative
	return f.sent.Load() - done
}

// add adds n commands, which may be negative, to the number under way and returns it. Later reads of the caller are
// ordered after the addition. Control side, with the mutex held.
func (f *inFlightCounter) add(n int64) int64 {
	f.sent.Add(n)
	return f.len()
}

// complete removes a command from the number under way. Audio side.
func (f *inFlightCounter) complete() { release.Int64(&f.done, f.done.Load()+1) }

// uncomplete undoes complete for a command that stays under way. Audio side.
func (f *inFlightCounter) uncomplete() { release.Int64(&f.done, f.done.Load()-1) }
