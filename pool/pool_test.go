package pool_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"voicepool/pool"
)

// fataler is the common part of testing.TB and rapid.T.
type fataler interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

func must[T any](t fataler, c pool.Config[T]) *pool.Pool[T] {
	t.Helper()
	p, err := pool.New(c)
	if err != nil {
		t.Fatalf("New(%+v): %v", c, err)
	}
	return p
}

func take[T any](t fataler, p *pool.Pool[T]) (pool.Handle, *T) {
	t.Helper()
	h, x, ok := p.Acquire()
	if !ok || h == 0 || x == nil {
		t.Fatalf("Acquire with %d of %d active = %v, %v, %v", p.Len(), p.Limit(), h, x, ok)
	}
	return h, x
}

func sound[T any](t fataler, p *pool.Pool[T]) {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Errorf("%v", err)
	}
	if c := p.Counters(); !c.Balanced() {
		t.Errorf("counters do not balance: %+v", c)
	}
	if n := p.Marked(); n != p.Len() {
		t.Errorf("a walk after a walk looks at %d slots, %d are active", n, p.Len())
	}
}

func slots[T any](p *pool.Pool[T]) []int {
	got := []int{}
	for h := range p.All() {
		got = append(got, h.Slot())
	}
	return got
}

func TestConfigErrors(t *testing.T) {
	choose := func(*pool.Pool[int]) pool.Handle { return 0 }
	for name, c := range map[string]pool.Config[int]{
		"pool: bad configuration: Size is 0, not at least 1":                            {},
		"pool: bad configuration: Size is -3, not at least 1":                           {Size: -3},
		"pool: bad configuration: Max is 4, less than Size, 5":                          {Size: 5, Max: 4},
		"pool: bad configuration: Max is -1, less than Size, 5":                         {Size: 5, Max: -1},
		"pool: bad configuration: Max is 4194304, more than 4194303":                    {Size: 1, Max: pool.MaxSlots + 1},
		"pool: bad configuration: Overflow is 9, neither Refuse nor Kill":               {Size: 1, Overflow: 9},
		"pool: bad configuration: Order is 9, not Unordered, ByAge or ByScore":          {Size: 1, Order: 9},
		"pool: bad configuration: Kill has neither Order nor Choose to go by":           {Size: 1, Overflow: pool.Kill},
		"pool: bad configuration: Choose without Kill":                                  {Size: 1, Choose: choose},
		"pool: bad configuration: Step is -1, less than 1":                              {Size: 1, Step: -1},
		"pool: bad configuration: Idle is -1, less than 1":                              {Size: 1, Idle: -1},
		"pool: bad configuration: Idle without Step":                                    {Size: 1, Idle: 1},
		"pool: bad configuration: Generation is 2199023255552, more than 2199023255551": {Size: 1, Generation: 1 << 41},
	} {
		p, err := pool.New(c)
		if p != nil || !errors.Is(err, pool.ErrConfig) || err.Error() != name {
			t.Errorf("New = %v, %v; want %s", p, err, name)
		}
	}
}

func TestRefuse(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 2, Max: 5})
	a, _ := take(t, p)
	take(t, p)
	if h, x, ok := p.Acquire(); h != 0 || x != nil || ok {
		t.Errorf("Acquire of a full pool = %v, %v, %v", h, x, ok)
	}
	p.Release(a)
	take(t, p)
	if c, want := p.Counters(), (pool.Counters{Acquired: 3, Released: 1, Refused: 1, Active: 2}); c != want {
		t.Errorf("Counters = %+v, want %+v", c, want)
	}
	sound(t, p)
}

func TestHandles(t *testing.T) {
	p, other := must(t, pool.Config[int]{Size: 4}), must(t, pool.Config[int]{Size: 4})
	h, x := take(t, p)
	foreign, y := take(t, other)
	*x, *y = 1, 2
	if p.Get(h) != x || p.At(h.Slot()) != x || p.HandleAt(h.Slot()) != h {
		t.Errorf("Get, At, HandleAt = %p, %p, %v, want %p and %v", p.Get(h), p.At(h.Slot()), p.HandleAt(h.Slot()), x, h)
	}
	if !p.Release(h) {
		t.Error("Release = false")
	}
	if p.Get(h) != nil || p.At(h.Slot()) != nil || p.HandleAt(h.Slot()) != 0 {
		t.Error("a released object is still there")
	}
	if p.Release(h) {
		t.Error("second Release = true")
	}
	again, z := take(t, p)
	if again.Slot() != h.Slot() || again == h || z != x || *z != 0 {
		t.Fatalf("second use: %v after %v, %d at %p", again, h, *z, z)
	}
	*z = 3
	// No invalid handle may reach the new owner, or any other object.
	strange := []pool.Handle{0, h, foreign, ^pool.Handle(0), again | 1<<63, again + 1, again - 1,
		again &^ (1<<22 - 1), 1<<22 - 1}
	for slot := range p.Max() {
		strange = append(strange, pool.Handle(slot+1), h&^(1<<22-1)|pool.Handle(slot+1), again&^(1<<22-1)|pool.Handle(slot+2))
	}
	for _, s := range strange {
		if p.Get(s) != nil || p.Release(s) {
			t.Errorf("%v (%#x) names something; in use is only %v", s, uint64(s), again)
		}
		if p.SetScore(s, 1) {
			t.Errorf("%v has a score", s)
		}
	}
	if *p.Get(again) != 3 || p.Len() != 1 {
		t.Errorf("the owner's value is %d, Len %d", *p.Get(again), p.Len())
	}
	for _, slot := range []int{math.MinInt, -2, -1, 1, 3, 4, 5, 1 << 30, math.MaxInt} {
		if p.At(slot) != nil || p.HandleAt(slot) != 0 {
			t.Errorf("slot %d is in use", slot)
		}
	}
	sound(t, p)
}

func TestHandleParts(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 3, Generation: 7})
	take(t, p)
	h, _ := take(t, p)
	if h.Slot() != 1 || h.Generation() != 7 || h.String() != "1@7" {
		t.Errorf("second handle: slot %d, generation %d, %v", h.Slot(), h.Generation(), h)
	}
	if none := pool.Handle(0); none.Slot() != -1 || none.Generation() != 0 || none.String() != "none" {
		t.Errorf("zero handle: slot %d, generation %d, %v", none.Slot(), none.Generation(), none)
	}
}

func TestGenerationComesRound(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 1, Generation: pool.Overflown})
	seen := map[pool.Handle]bool{0: true}
	for i, want := range []uint64{pool.Overflown, 0, 1, 2} {
		h, _ := take(t, p)
		if seen[h] || h.Generation() != want || h.Slot() != 0 {
			t.Fatalf("use %d: %v, want generation %d", i, h, want)
		}
		for old := range seen {
			if p.Get(old) != nil {
				t.Errorf("%v names what %v does", old, h)
			}
		}
		seen[h] = true
		sound(t, p)
		p.Release(h)
		if p.Next(0) != -1 {
			t.Error("a released slot is active")
		}
		sound(t, p)
	}
}

func TestLargestPool(t *testing.T) {
	p := must(t, pool.Config[struct{}]{Size: 1, Max: pool.MaxSlots})
	p.SkipToLast()
	h, x := take(t, p)
	if h.Slot() != pool.MaxSlots-1 || p.Get(h) != x || p.At(h.Slot()) != x || p.HandleAt(h.Slot()) != h {
		t.Errorf("last slot: %v", h)
	}
	if p.Next(0) != pool.MaxSlots-1 || p.Next(pool.MaxSlots-1) != pool.MaxSlots-1 || p.Next(pool.MaxSlots) != -1 {
		t.Errorf("Next = %d, %d, %d", p.Next(0), p.Next(pool.MaxSlots-1), p.Next(pool.MaxSlots))
	}
	if !p.Release(h) || p.Next(0) != -1 {
		t.Errorf("after Release Next = %d", p.Next(0))
	}
}

func TestWalk(t *testing.T) {
	// Objects far apart, so that the iteration has to cross words and words of words.
	p := must(t, pool.Config[int]{Size: 20000})
	var all []pool.Handle
	for range p.Max() {
		h, _ := take(t, p)
		all = append(all, h)
	}
	want := []int{0, 1, 62, 63, 64, 4094, 4095, 4096, 9000, 19999}
	for i, h := range all {
		if !slices.Contains(want, i) {
			p.Release(h)
		}
	}
	for range 2 { // the second iteration has no marks of released slots left
		if got := slots(p); !slices.Equal(got, want) {
			t.Errorf("All = %v, want %v", got, want)
		}
	}
	sound(t, p)
	for from, want := range map[int]int{math.MinInt: 0, -1: 0, 0: 0, 2: 62, 64: 64, 65: 4094, 4097: 9000, 9001: 19999, 20000: -1, math.MaxInt - 1: -1} {
		if got := p.Next(from); got != want {
			t.Errorf("Next(%d) = %d, want %d", from, got, want)
		}
	}
	p.Release(all[19999])
	if got := p.Next(9001); got != -1 {
		t.Errorf("Next after the last = %d", got)
	}
}

func TestWalkToTheEndOfTheLastWord(t *testing.T) {
	for _, n := range []int{1, 62, 63, 64, 127, 4094, 4095, 4096, 8191, 8192} {
		p := must(t, pool.Config[int]{Size: n})
		for range n {
			take(t, p)
		}
		for want := n - 1; want >= max(0, n-3); want-- {
			if got := p.Next(want); got != want {
				t.Errorf("of %d: Next(%d) = %d", n, want, got)
			}
			p.Release(p.HandleAt(want))
			if got := p.Next(want); got != -1 {
				t.Errorf("of %d: Next(%d) = %d, want -1", n, want, got)
			}
		}
		sound(t, p)
	}
}

func TestAllWhileItChanges(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 6})
	var hs []pool.Handle
	for range 5 {
		h, _ := take(t, p)
		hs = append(hs, h)
	}
	var got []int
	for h := range p.All() {
		got = append(got, h.Slot())
		switch h.Slot() {
		case 0:
			p.Release(hs[0]) // the current object
			p.Release(hs[1]) // an object not yet visited
		case 2:
			p.Release(hs[4])
			take(t, p) // reuses the slot of 4, not yet visited
			take(t, p) // reuses the slot of 1, already visited
		}
	}
	if want := []int{0, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("All = %v, want %v", got, want)
	}
	if got, want := slots(p), []int{1, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("All afterwards = %v, want %v", got, want)
	}
	for range p.All() {
		break
	}
	if n := p.Clear(); n != 4 || p.Len() != 0 || p.Next(0) != -1 {
		t.Errorf("Clear = %d, Len %d", n, p.Len())
	}
	sound(t, p)
}

func TestPointersStay(t *testing.T) {
	p := must(t, pool.Config[[20]int]{Size: 1, Max: 64, Step: 3, Idle: 1})
	at := map[*[20]int]pool.Handle{}
	for range 64 {
		h, x := take(t, p)
		at[x] = h
		x[7] = h.Slot()
	}
	p.Advance(1000)
	for x, h := range at {
		if p.Get(h) != x || x[7] != h.Slot() {
			t.Errorf("%v is at %p, was at %p", h, p.Get(h), x)
		}
	}
}

// TestNoAllocations covers every method that a program calls in its main loop.
func TestNoAllocations(t *testing.T) {
	c := pool.Config[[20]int]{Size: 100, Max: 200, Overflow: pool.Kill, Order: pool.ByScore, Step: 10, Idle: 10,
		OnAcquire: func(pool.Handle, *[20]int) {}, OnRelease: func(pool.Handle, *[20]int, bool) {}}
	p := must(t, c)
	// With atomic coverage counters the iterators are too long for inlining, and their closures are allocated.
	iterators := testing.CoverMode() != "atomic"
	var balanced bool
	n := testing.AllocsPerRun(100, func() {
		for i := range 250 {
			h, _, _ := p.Acquire()
			p.SetScore(h, float64(i*7%31))
			p.Get(p.First())
			p.At(i)
		}
		if iterators {
			for h := range p.All() {
				if h.Slot()%3 == 0 {
					p.Release(h)
				}
			}
		}
		for s := p.Next(0); s >= 0; s = p.Next(s + 1) {
			p.Release(p.HandleAt(s))
		}
		p.Advance(100)
		p.SetLimit(100)
		p.Acquire()
		p.Resize(50)
		p.Suggest(0.1)
		balanced = p.Counters().Balanced()
		p.Clear()
	})
	if !balanced {
		t.Error("the counters do not balance")
	}
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestExtend(t *testing.T) {
	made := []int{}
	p := must(t, pool.Config[int]{Size: 1, Make: func(slot int, x *int) { made, *x = append(made, slot), 7*slot }})
	first, _ := take(t, p)
	if err := p.Extend(pool.MaxSlots + 1); !errors.Is(err, pool.ErrLimit) || p.Max() != 1 {
		t.Errorf("more than a pool may have: %v, Max %d", err, p.Max())
	}
	if err := p.Extend(3); err != nil || p.Max() != 3 || p.Limit() != 1 {
		t.Errorf("Extend: %v, Max %d, limit %d", err, p.Max(), p.Limit())
	}
	if _, _, ok := p.Acquire(); ok {
		t.Error("the limit has moved by itself")
	}
	if err := p.SetLimit(3); err != nil {
		t.Error(err)
	}
	for want := 1; want < 3; want++ {
		if h, x := take(t, p); h.Slot() != want || *x != 7*want {
			t.Errorf("slot %d with %d, want %d with %d", h.Slot(), *x, want, 7*want)
		}
	}
	if x := p.Get(first); x == nil || !slices.Equal(made, []int{0, 1, 2}) {
		t.Errorf("the first is %v, and Make was asked for %v", x, made)
	}
	sound(t, p)
}
