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
// A Pool belongs to one goroutine at a time. Only New allocates: Config.Max objects, of
// which Config.Size may be active at first. When the pool is full, it refuses the new object,
// kills an active one to make room, or grows, as Config says.
//
// A handle has a generation. One that is stale, released twice, or from another pool gets
// nil or false and changes nothing. A pointer cannot do that: build with the tag pooldebug to
// find its use after a release, see Reclaimed.
//
// Pool.Suggest says how large a pool should be, from what it has seen. Dispatcher sends
// events to listeners, with a pool to take them from.
//
// docs/pool.md says when a pool is right, what to decide beforehand, and how it works.
package pool
