package pool

// Counters is what a pool has done since New.
type Counters struct {
	Acquired uint64 // objects given out
	Released uint64 // objects given back by Release or Clear
	Killed   uint64 // objects taken to make room
	Refused  uint64 // Acquires that found no room
	Active   uint64 // objects in slots now, counted one by one

	// Scribbled counts the objects that were written to between their release
	// and their next use, as far as it was seen. Always 0 unless the program is
	// built with the tag pooldebug.
	Scribbled uint64
}

// Balanced reports whether what is active is what was acquired and neither released nor
// killed. It holds at any time except inside OnRelease, whose object is in between.
func (c Counters) Balanced() bool { return c.Active == c.Acquired-c.Released-c.Killed }

// Counters counts the active objects, which takes a walk, and returns the count
// with all others.
func (p *Pool[T]) Counters() Counters {
	c := Counters{
		Acquired: p.acquired, Released: p.released - p.killed, Killed: p.killed, Refused: p.refused, Scribbled: p.scribbled,
	}
	for range p.All() {
		c.Active++
	}
	return c
}

// HighWater is the largest number of objects that were active at once.
func (p *Pool[T]) HighWater() int { return max(p.high, p.peak) }

// Use is the histogram of use: the number of Acquires that found n objects active,
// whether they were served or not; 0 for n outside 0..Max.
func (p *Pool[T]) Use(n int) uint64 {
	if n < 0 || n >= len(p.used) {
		return 0
	}
	return p.used[n]
}

// Suggest returns the smallest size, at least 1, with which at most a share of the Acquires
// seen, 0..1, would have been refused or would have killed. Play the busiest scene with
// plenty of room, and ask for 0.01. docs/pool.md says how good the answer is.
//
// False: what was seen cannot tell, since the pool itself overflowed more often than that.
// A larger size than the one returned is needed; try again with more room.
func (p *Pool[T]) Suggest(share float64) (size int, ok bool) {
	var asked uint64
	for _, count := range p.used {
		asked += count
	}
	found := uint64(0)
	for size = len(p.used); size > 1; size-- {
		found += p.used[size-1]
		if found > 0 && !(float64(found) <= share*float64(asked)) { // also where the share is NaN
			break
		}
	}
	return size, p.tight < 0 || size <= p.tight
}
