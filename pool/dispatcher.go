package pool

import "slices"

// Dispatcher hands events of type E to listeners. Its events are pooled: a program may send
// as many as it likes, without garbage. NewDispatcher makes one.
//
//	h, e, ok := d.Acquire()
//	if ok {
//		e.Kind, e.Where = Explosion, here
//		d.Dispatch(h)
//	}
//
// Like the Pool that it has its events from, it belongs to one goroutine at a time.
type Dispatcher[E any] struct {
	pool      *Pool[E]
	listeners []listener[E]
	last      Listener
	heard     []Handle // the events under way, the innermost last
	gone      bool     // listeners have left meanwhile
}

// Listener names a listener of a Dispatcher. The zero Listener names none.
type Listener uint64

type listener[E any] struct {
	name Listener
	hear func(h Handle, e *E)
}

// NewDispatcher makes a dispatcher whose events come from a pool of their own.
// Size must be as large as the number of events that are out at once: mostly
// that is one, and one more for each event that a listener sends while it hears
// another. The error wraps ErrConfig.
func NewDispatcher[E any](c Config[E]) (*Dispatcher[E], error) {
	p, err := New(c)
	if err != nil {
		return nil, err
	}
	return &Dispatcher[E]{pool: p, heard: make([]Handle, 0, p.Max())}, nil
}

// Pool is the pool that the events come from.
func (d *Dispatcher[E]) Pool() *Pool[E] { return d.pool }

// Acquire takes an event from the pool, as Pool.Acquire does.
func (d *Dispatcher[E]) Acquire() (Handle, *E, bool) { return d.pool.Acquire() }

// Listen adds a listener, which hears every event that is dispatched from now
// on, after those that were there before it. It must not keep e, nor h, but may
// do anything else: dispatch events of its own, add and remove listeners, or
// release h, which keeps the event from those after it. Listen may allocate. A nil
// hear is not added, and has the zero Listener.
func (d *Dispatcher[E]) Listen(hear func(h Handle, e *E)) Listener {
	if hear == nil {
		return 0
	}
	d.last++
	d.listeners = append(d.listeners, listener[E]{d.last, hear})
	return d.last
}

// Unlisten removes a listener, which hears nothing any more from now on, not even
// an event that is just being dispatched. False: it was not there.
func (d *Dispatcher[E]) Unlisten(l Listener) bool {
	i := slices.IndexFunc(d.listeners, func(at listener[E]) bool { return at.name == l && at.hear != nil })
	if i < 0 {
		return false
	}
	d.listeners[i].hear, d.gone = nil, true
	d.tidy()
	return true
}

// Dispatch lets all listeners hear the event of h, one after the other, and
// releases it; also when one of them panics. It allocates nothing. False: h names
// no event, or one that is being dispatched already.
func (d *Dispatcher[E]) Dispatch(h Handle) bool {
	e := d.pool.Get(h)
	if e == nil || slices.Contains(d.heard, h) {
		return false
	}
	d.heard = append(d.heard, h)
	defer d.finish(h)
	n := len(d.listeners)
	for i := 0; i < n && d.pool.Get(h) != nil; i++ {
		if hear := d.listeners[i].hear; hear != nil {
			hear(h, e)
		}
	}
	return true
}

func (d *Dispatcher[E]) finish(h Handle) {
	d.pool.Release(h)
	d.heard = d.heard[:len(d.heard)-1]
	d.tidy()
}

// tidy closes the gaps that listeners have left, once nobody walks over them.
func (d *Dispatcher[E]) tidy() {
	if len(d.heard) == 0 && d.gone {
		d.listeners = slices.DeleteFunc(d.listeners, func(l listener[E]) bool { return l.hear == nil })
		d.gone = false
	}
}
