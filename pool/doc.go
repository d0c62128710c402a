// Package pool is the object pool pattern: a fixed number of objects, made once, side by
// side in memory, handed out and taken back. It does not know what they are for:
// particles, bullets, events, network buffers, playing sounds.
//
//	p, err := pool.New(pool.Config[Particle]{Size: 1000})
//	...
//	h, x, ok := p.Acquire()            // a handle, the object, or no room
//	x.Start(where)
//	...
//	for h, x := range p.All() {        // the active ones
//		if x.Move(); x.Done() {
//			p.Release(h)               // at any time
//		}
//	}
//	if x := p.Get(h); x != nil { ... } // is it still mine?
//
// # When to use it
//
// Use a pool for objects that come and go often, have much the same size, and have a
// sensible maximum. Use it where an allocation or a garbage collection comes at a bad
// moment, or where an object stands for something dear: a buffer, a connection, a voice on
// a sound card. A pool also says no: a program that asks for ten times too much goes on
// with what it has.
//
// Do not use it for objects that are few or live as long as the program. For scratch memory
// of many goroutines sync.Pool is right. It scales over all cores, but has no size, order
// or handles, and gives its objects to the collector whenever it likes. A Pool belongs to
// one goroutine at a time.
//
// # What to keep in mind
//
// Objects take memory whether they are used or not. Measure how many are needed (see
// below), and give each scene a size of its own with Pool.SetLimit or Pool.Resize.
//
// A pool may be full. Decide beforehand what happens then (Config):
//
//   - It cannot be full: the size is tuned so (Pool.HighWater, Pool.Suggest).
//   - It refuses the new object (Refuse).
//   - An existing object makes room (Kill): the oldest, the one of the least score, or one
//     chosen by a function of yours (Config.Choose).
//   - It grows (Config.Step, up to Max), and gives back what it no longer needs
//     (Config.Idle, Pool.Advance). What grows is the limit. All slots are there from the
//     start, so nothing is copied, and a pointer to an object stays good for the life of
//     the pool.
//
// All objects of a pool have the size of the largest kind. Give very different kinds a pool
// each.
//
// An object must be complete at each use. Acquire gives a zero value, so nothing of the last
// owner is left. Config.OnAcquire sets it up inside the pool, or the caller does it outside.
// An object need not know that it is pooled. One that releases itself keeps its handle,
// which OnAcquire gets. With Config.Keep it comes as it was released, and setting it up is
// up to you.
//
// An object in the pool must not keep others from the collector. Release clears it; with
// Keep that is the task of Config.OnRelease.
//
// Do not use an object after its release. A handle has a generation: one that is stale,
// released twice, or from another pool gets nil or false and changes nothing. A pointer
// cannot do that. Build with the tag pooldebug to find such a use: see Reclaimed.
//
// # How large?
//
// Run the busiest scene in a pool with plenty of room, and ask it:
//
//	size, ok := p.Suggest(0.01) // enough for all but one request in a hundred
//
// Every Acquire is counted by the number of objects it found active (Pool.Use). A smaller
// pool can only hold some of what the large one held, so the answer is a bound for that
// scene. Counters have what was acquired, released, killed and refused, and whether it
// balances.
//
// # Events
//
// Dispatcher sends events to listeners, with a pool to take them from: tens of thousands,
// without garbage.
//
// # Inside
//
// A slot is an object and a word before it. In an active slot the word is the handle. In a
// free slot it is the next generation and the number of the next free slot, so the free
// list needs no memory of its own. Acquire takes the first of the list and Release puts it
// back: no search, whatever the size. A set of bits, with another one above it, leads a
// walk over the active objects past the free slots. An order is a heap that knows where
// each object is in it.
//
// The memory of a pool is Max times the size of T and 16 bytes, and with an Order 28 more.
//
// # Figures
//
// To take an object of 160 bytes, set a value in it and give it back takes some 5 ns, with
// an order 15, and 53 with new and the collector. docs/performance.md compares pools with
// new, sync.Pool and a slice of pointers. None of it allocates.
package pool
