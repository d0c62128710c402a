// Package pool implements the object pool pattern: a fixed number of objects, allocated once, next to
// each other in memory, and reused. The objects can be of any type: particles, bullets, events, network
// buffers, playing sounds.
//
//	p, err := pool.New(pool.Config[Particle]{Size: 1000})
//	...
//	h, x, ok := p.Acquire()            // a handle and the object
//	if !ok {                           // the pool is full
//		return
//	}
//	x.Start(where)
//	...
//	for h, x := range p.All() {        // the active objects
//		if x.Move(); x.Done() {
//			p.Release(h)               // at any time
//		}
//	}
//	if x := p.Get(h); x != nil { ... } // nil if the object was released or killed
//
// A Pool is not safe for concurrent use: keep it on one goroutine, or guard it with a lock. Only New and
// Extend allocate: New makes room for Config.Max objects, and Config.Size of them may be active at first. A
// full pool refuses new objects, kills an active object to make room, or grows, as Config selects.
//
// A handle contains a generation, which counts the uses of its slot. A handle is stale after its object
// was released or killed. Calls with a stale handle or a handle of another pool return nil or false and
// have no effect. Pointers have no such protection: build with the tag pooldebug to find uses after a
// release, see Reclaimed.
//
// Pool.Suggest recommends a pool size from recorded use.
//
// See docs/pool.md for when to use a pool, the decisions to make, and the implementation.
package pool
