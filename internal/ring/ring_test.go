package ring_test

import (
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"voicepool/internal/ring"
)

func TestCapacity(t *testing.T) {
	for n, want := range map[int]int{-1: 1, 0: 1, 1: 1, 2: 2, 3: 4, 4: 4, 1000: 1024} {
		if got := ring.Cap(ring.New[int](n)); got != want {
			t.Errorf("New(%d) holds %d, want %d", n, got, want)
		}
	}
}

// TestModel makes the same random calls on a ring and a slice.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := ring.New[int](rapid.IntRange(1, 9).Draw(t, "size"))
		var model []int
		next, grown := 0, false
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				ok := ring.Push(r, next)
				if fits := len(model) < ring.Cap(r); ok != fits && !(ok && grown) { // values waiting in a smaller part do not count against the capacity
					t.Fatalf("Push with %d of %d says %v", len(model), ring.Cap(r), ok)
				}
				if ok {
					model = append(model, next)
				}
				next++
			},
			"push several": func(t *rapid.T) {
				n := rapid.IntRange(1, 4).Draw(t, "several")
				ok := ring.Back(r, n) != nil
				if fits := len(model)+n <= ring.Cap(r); ok != fits && !(ok && grown) {
					t.Fatalf("there is room for %d with %d of %d: %v", n, len(model), ring.Cap(r), ok)
				}
				if !ok {
					return
				}
				for i := range n {
					*ring.Next(r, i) = next
					model = append(model, next)
					next++
				}
				ring.Send(r, n)
			},
			"grow": func(t *rapid.T) {
				if ring.Cap(r) < 200 {
					ring.Grow(r, ring.Cap(r)+rapid.IntRange(1, 9).Draw(t, "more"))
					grown = true
				}
			},
			"pop": func(t *rapid.T) {
				v, ok := ring.Pop(r)
				if ok != (len(model) > 0) || ok && v != model[0] {
					t.Fatalf("Pop gives %d, %v; the model holds %v", v, ok, model)
				}
				if ok {
					model = model[1:]
				}
			},
			"take": func(t *rapid.T) {
				some := make([]int, rapid.IntRange(0, 9).Draw(t, "places"))
				n := ring.PopMany(r, some)
				if n > len(model) || n == 0 && min(len(some), len(model)) > 0 || !slices.Equal(some[:n], model[:n]) {
					t.Fatalf("Take gives %d of %v; the model holds %v", n, some, model)
				}
				if n < min(len(some), len(model)) && !grown {
					t.Fatalf("Take leaves some of %v: it gives %d", model, n)
				}
				model = model[n:]
			},
			"": func(t *rapid.T) {
				if ring.Len(r) != len(model) || ring.Pushed(r)-ring.Popped(r) != uint64(len(model)) {
					t.Fatalf("Len is %d, the model's %d", ring.Len(r), len(model))
				}
			},
		})
	})
}

func TestTwoGoroutines(t *testing.T) {
	const n = 200000
	r := ring.New[int](64)
	go func() {
		for i := 0; i < n; {
			if ring.Push(r, i) {
				i++
			} else {
				runtime.Gosched()
			}
		}
	}()
	for want := 0; want < n; {
		v, ok := ring.Pop(r)
		if !ok {
			runtime.Gosched()
			continue
		}
		if v != want {
			t.Fatalf("got %d, want %d", v, want)
		}
		want++
	}
}

// TestGrowBetweenTwo grows a ring from a third goroutine, after which every value fits.
func TestGrowBetweenTwo(t *testing.T) {
	const n = 200000
	r := ring.New[int](1)
	go func() {
		for i := 0; i < n; {
			if ring.Push(r, i) {
				i++
			} else {
				runtime.Gosched()
			}
		}
	}()
	go func() {
		for size := 1; size < 1<<12; size *= 2 {
			ring.Grow(r, size)
			for range 10 {
				runtime.Gosched()
			}
		}
	}()
	for want := 0; want < n; {
		v, ok := ring.Pop(r)
		if !ok {
			runtime.Gosched()
			continue
		}
		if v != want {
			t.Fatalf("got %d, want %d", v, want)
		}
		want++
	}
}

// TestForgets checks that the ring drops references to removed values.
func TestForgets(t *testing.T) {
	type value = *[1 << 10]byte
	for name, leave := range map[string]func(*ring.Ring[value]){
		"Pop":  func(r *ring.Ring[value]) { ring.Pop(r) },
		"Drop": func(r *ring.Ring[value]) { ring.Front(r); ring.Drop(r) },
		"Take": func(r *ring.Ring[value]) { ring.PopMany(r, make([]value, 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			r := ring.New[value](4)
			freed := make(chan bool, 1)
			func() {
				x := new([1 << 10]byte)
				runtime.AddCleanup(x, func(int) { freed <- true }, 0)
				ring.Push(r, x)
				leave(r)
			}()
			for range 100 {
				runtime.GC()
				select {
				case <-freed:
					runtime.KeepAlive(r)
					return
				default:
					runtime.Gosched()
				}
			}
			t.Error("the ring still refers to what has left")
		})
	}
}

func TestNoAllocation(t *testing.T) {
	r := ring.New[[8]int](8)
	if n := testing.AllocsPerRun(100, func() { ring.Push(r, [8]int{}); ring.Pop(r) }); n != 0 {
		t.Errorf("a push and a pop allocate %v times", n)
	}
}
