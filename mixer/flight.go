package mixer

import (
	"sync/atomic"

	"voicepool/internal/release"
)

// flight is the number of commands under way. Each side counts in a word of its own: one for both would
// be locked, and go from core to core, twice for every command. Both sides'.
type flight struct {
	sent atomic.Int64 // the control side's, under the mutex
	_    [64]byte     // a cache line for each
	done atomic.Int64 // the audio side's
	_    [64]byte
}

// len returns how many are under way: for the control side that many at most, for the audio side at least.
func (f *flight) len() int64 {
	done := f.done.Load() // first: what is done was sent, so the difference is never negative
	return f.sent.Load() - done
}

// send counts n more, and returns how many there are then. What the caller reads next it reads after
// others can see that. The control side's.
func (f *flight) send(n int64) int64 {
	f.sent.Add(n)
	return f.len()
}

// land counts one less, and keep undoes that. The audio side's.
func (f *flight) land() { release.Int64(&f.done, f.done.Load()+1) }
func (f *flight) keep() { release.Int64(&f.done, f.done.Load()-1) }
