package pool

// Counters counts the operations of a pool since New.
type Counters struct {
	Acquired uint64 // successful Acquires
	Released uint64 // objects returned by Release or Clear
	Killed   uint64 // objects killed to make room
	Refused  uint64 // Acquires that failed because the pool was full
	Active   uint64 // active objects, counted by a walk as a check of the other counters

	// Scribbled counts objects that were changed between their release and their next use, as far as
	// detected. It is 0 unless the program is built with the tag pooldebug.
	Scribbled uint64
}

// Balanced reports whether Active equals Acquired - Released - Killed. This always holds, except inside
// OnRelease.
func (c Counters) Balanced() bool { return c.Active == c.Acquired-c.Released-c.Killed }

// Counters counts the active objects one by one and returns all counters.
func (p *Pool[T]) Counters() Counters {
	c := Counters{
		Acquired: p.acquired, Released: p.released - p.killed, Killed: p.killed, Refused: p.refused, Scribbled: p.writesAfterRelease,
	}
	for range p.All() {
		c.Active++
	}
	return c
}

// HighWater returns the maximum number of active objects so far.
func (p *Pool[T]) HighWater() int { return max(p.high, p.peak) }

// Use returns the number of Acquires since New that found n objects active, successful or not; 0 for n outside
// 0..Max.
func (p *Pool[T]) Use(n int) uint64 {
	if n < 0 || n >= len(p.used) {
		return 0
	}
	return p.used[n]
}

// Suggest returns a pool size from recorded use. With a pool of that size, at most the given share (0..1)
// of the recorded Acquires would have been refused or would have killed an object. It is the smallest
// such size, at least 1. Play the busiest scene with plenty of room and call Suggest(0.01). See
// docs/pool.md for the accuracy of the result.
//
// ok is false if the recording pool overflowed before it held size objects. Then size may be too small;
// repeat the recording with more room.
func (p *Pool[T]) Suggest(share float64) (size int, ok bool) {
	var asked uint64
	for _, count := range p.used {
		asked += count
	}
	found := uint64(0)
	for size = len(p.used); size > 1; size-- {
		found += p.used[size-1]
		if found > 0 && !(float64(found) <= share*float64(asked)) { // true for a NaN share, too
			break
		}
	}
	return size, p.minAtOverflow < 0 || size <= p.minAtOverflow
}
