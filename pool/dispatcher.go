package pool

import "slices"

// Dispatcher sends events of type E to listeners. The events come from a pool, so sending them makes no
// garbage. Create it with NewDispatcher.
//
//	h, e, ok := d.Acquire()
//	if ok {
//		e.Kind, e.Where = Explosion, here
//		d.Dispatch(h)
//	}
//
// Like a Pool, a Dispatcher is not safe for concurrent use.
type Dispatcher[E any] struct {
	pool        *Pool[E]
	listeners   []listener[E]
	last        Listener
	dispatching []Handle // the events being dispatched, the innermost last
	gone        bool     // listeners were removed during a dispatch
}

// Listener identifies a listener of a Dispatcher. The zero Listener is never valid.
type Listener uint64

type listener[E any] struct {
	name     Listener
	callback func(h Handle, e *E)
}

// NewDispatcher creates a dispatcher with its own pool of events. Size must be the number of events in
// use at a time: usually one, plus one for each event that a listener sends while it handles another. The
// error wraps ErrConfig.
func NewDispatcher[E any](c Config[E]) (*Dispatcher[E], error) {
	p, err := New(c)
	if err != nil {
		return nil, err
	}
	return &Dispatcher[E]{pool: p, dispatching: make([]Handle, 0, p.Max())}, nil
}

// Pool returns the pool of the events, which the caller may use.
func (d *Dispatcher[E]) Pool() *Pool[E] { return d.pool }

// Acquire takes an event from the pool, as Pool.Acquire does, for Dispatch. It returns 0, nil and false if the pool
// has no room.
func (d *Dispatcher[E]) Acquire() (Handle, *E, bool) { return d.pool.Acquire() }

// Listen adds a listener, which is called for every later event, after the listeners added before it.
// callback must not keep e or h. It may dispatch other events, add and remove listeners, or release h, which
// hides the event from later listeners. Listen may allocate. If callback is nil, Listen returns 0.
func (d *Dispatcher[E]) Listen(callback func(h Handle, e *E)) Listener {
	if callback == nil {
		return 0
	}
	d.last++
	d.listeners = append(d.listeners, listener[E]{d.last, callback})
	return d.last
}

// Unlisten removes a listener. The listener is not called again, even for an event that is being
// dispatched. Unlisten returns false if l is not a listener.
func (d *Dispatcher[E]) Unlisten(l Listener) bool {
	i := slices.IndexFunc(d.listeners, func(at listener[E]) bool { return at.name == l && at.callback != nil })
	if i < 0 {
		return false
	}
	d.listeners[i].callback, d.gone = nil, true
	d.compactListeners()
	return true
}

// Dispatch calls all listeners with the event of h, one after the other, and releases the event, even if
// a listener panics. It does not allocate. It returns false if h is not an event or is already being
// dispatched.
func (d *Dispatcher[E]) Dispatch(h Handle) bool {
	e := d.pool.Get(h)
	if e == nil || slices.Contains(d.dispatching, h) {
		return false
	}
	d.dispatching = append(d.dispatching, h)
	defer d.finish(h)
	n := len(d.listeners)
	for i := 0; i < n && d.pool.Get(h) != nil; i++ {
		if callback := d.listeners[i].callback; callback != nil {
			callback(h, e)
		}
	}
	return true
}

// finish ends the innermost dispatch, whose event is h, and releases the event.
func (d *Dispatcher[E]) finish(h Handle) {
	d.pool.Release(h)
	d.dispatching = d.dispatching[:len(d.dispatching)-1]
	d.compactListeners()
}

// compactListeners deletes removed listeners unless a dispatch is under way.
func (d *Dispatcher[E]) compactListeners() {
	if len(d.dispatching) == 0 && d.gone {
		d.listeners = slices.DeleteFunc(d.listeners, func(l listener[E]) bool { return l.callback == nil })
		d.gone = false
	}
}
