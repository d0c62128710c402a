package pool_test

import (
	"slices"
	"testing"

	"voicepool/pool"
)

type event struct {
	kind int
	_    [3]float64
}

func TestDispatch(t *testing.T) {
	d, err := pool.NewDispatcher(pool.Config[event]{Size: 2})
	if err != nil {
		t.Fatal(err)
	}
	var heard []int
	hear := func(who int) func(pool.Handle, *event) {
		return func(_ pool.Handle, e *event) { heard = append(heard, 100*who+e.kind) }
	}
	send := func(kind int, want ...int) {
		t.Helper()
		h, e, ok := d.Acquire()
		if !ok || *e != (event{}) {
			t.Fatalf("Acquire = %v, %v", *e, ok)
		}
		e.kind = kind
		heard = nil
		if !d.Dispatch(h) || !slices.Equal(heard, want) {
			t.Errorf("event %d was heard as %v, want %v", kind, heard, want)
		}
		if d.Dispatch(h) {
			t.Error("an event could be dispatched twice")
		}
		if d.Pool().Len() != 0 {
			t.Errorf("%d events are out", d.Pool().Len())
		}
	}
	send(1)
	one, two := d.Listen(hear(1)), d.Listen(hear(2))
	three := d.Listen(hear(3))
	send(2, 102, 202, 302)
	if !d.Unlisten(two) || d.Unlisten(two) || d.Unlisten(0) || d.Listen(nil) != 0 {
		t.Error("Unlisten")
	}
	send(3, 103, 303)

	// Listeners are added and removed during an event.
	var four pool.Listener
	var five pool.Listener
	five = d.Listen(func(h pool.Handle, e *event) {
		heard = append(heard, 500+e.kind)
		d.Unlisten(three) // called before this listener
		d.Unlisten(four)  // called after this listener
		d.Unlisten(five)  // itself
		d.Listen(hear(6)) // not called for this event
		if d.Dispatch(h) {
			t.Error("an event was dispatched inside itself")
		}
		if e.kind == 4 {
			inner, f, ok := d.Acquire()
			if _, _, more := d.Acquire(); !ok || more {
				t.Errorf("Acquire inside = %v, %v, want one more event", ok, more)
			}
			f.kind = 9
			d.Dispatch(inner)
		}
	})
	four = d.Listen(hear(4))
	send(4, 104, 304, 504, 109, 609)
	send(5, 105, 605)

	// A listener that consumes the event.
	d.Listen(func(h pool.Handle, _ *event) { d.Pool().Release(h) })
	d.Listen(hear(8))
	send(6, 106, 606)
	d.Unlisten(one)
	send(7, 607)
}

func TestDispatchSurvivesPanic(t *testing.T) {
	d, _ := pool.NewDispatcher(pool.Config[event]{Size: 1})
	var l pool.Listener
	l = d.Listen(func(pool.Handle, *event) {
		d.Unlisten(l)
		panic("listener")
	})
	for i := range 2 {
		h, _, ok := d.Acquire()
		func() {
			defer func() {
				if r := recover(); (r != nil) != (i == 0) {
					t.Errorf("event %d: panic %v", i, r)
				}
			}()
			d.Dispatch(h)
		}()
		if !ok || d.Pool().Len() != 0 {
			t.Errorf("event %d: %v, %d are out", i, ok, d.Pool().Len())
		}
	}
}

func TestDispatchDoesNotAllocate(t *testing.T) {
	d, _ := pool.NewDispatcher(pool.Config[event]{Size: 4})
	sum := 0
	for range 3 {
		d.Listen(func(_ pool.Handle, e *event) { sum += e.kind })
	}
	// AllocsPerRun rounds averages down, so each measurement is a single run. Other goroutines may allocate in
	// it, hence up to three attempts.
	n, runs := 1.0, 0
	for ; n != 0 && runs < 3; runs++ {
		n = testing.AllocsPerRun(1, func() {
			for range 50_000 {
				h, e, _ := d.Acquire()
				e.kind = 1
				d.Dispatch(h)
			}
		})
	}
	if n != 0 || sum != 2*50_000*3*runs {
		t.Errorf("%v allocations, %d heard", n, sum)
	}
}
