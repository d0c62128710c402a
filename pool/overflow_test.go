package pool_test

import (
	"errors"
	"math"
	"testing"

	"voicepool/pool"
)

func TestKillOldest(t *testing.T) {
	var gone []pool.Handle
	p := must(t, pool.Config[int]{Size: 3, Overflow: pool.Kill, Order: pool.ByAge,
		OnRelease: func(h pool.Handle, _ *int, killed bool) {
			if killed {
				gone = append(gone, h)
			}
		}})
	var hs []pool.Handle
	for range 3 {
		h, _ := take(t, p)
		hs = append(hs, h)
	}
	if p.SetScore(hs[0], 1) {
		t.Error("SetScore works without ByScore")
	}
	p.Release(hs[0])
	h, _ := take(t, p) // in the slot of the oldest object, but itself the youngest
	if p.First() != hs[1] {
		t.Errorf("First = %v, want %v", p.First(), hs[1])
	}
	for range 3 {
		take(t, p)
	}
	if len(gone) != 3 || gone[0] != hs[1] || gone[1] != hs[2] || gone[2] != h {
		t.Errorf("killed %v, want %v, %v, %v", gone, hs[1], hs[2], h)
	}
	if p.Get(h) != nil || p.Release(h) {
		t.Error("the handle of a victim names something")
	}
	if c, want := p.Counters(), (pool.Counters{Acquired: 7, Released: 1, Killed: 3, Active: 3}); c != want {
		t.Errorf("Counters = %+v, want %+v", c, want)
	}
	sound(t, p)
}

func TestKillLeast(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 9, Overflow: pool.Kill, Order: pool.ByScore})
	if p.First() != 0 {
		t.Error("First of an empty pool")
	}
	// In the order of their removal; equal scores by age.
	scores := []float64{math.NaN(), math.Inf(-1), -1, -math.SmallestNonzeroFloat64, 0, math.Copysign(0, -1), 0, 1e300, math.Inf(1)}
	var hs []pool.Handle
	for _, s := range scores {
		h, _ := take(t, p)
		hs = append(hs, h)
		if !p.SetScore(h, s) {
			t.Error("SetScore = false")
		}
	}
	for i, h := range hs {
		if p.First() != h {
			t.Fatalf("to go as number %d: %v, want %v of score %v", i, p.First(), h, scores[i])
		}
		h, _ := take(t, p)
		p.SetScore(h, math.Inf(1))
		sound(t, p)
	}
}

func TestOrdinalKeepsOrder(t *testing.T) {
	nan := math.NaN()
	list := []float64{nan, math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1)}
	for i, x := range list {
		if i > 0 && pool.Ordinal(list[i-1]) >= pool.Ordinal(x) {
			t.Errorf("%v is not before %v", list[i-1], x)
		}
	}
	if pool.Ordinal(0) != pool.Ordinal(math.Copysign(0, -1)) {
		t.Error("-0 is not 0")
	}
}

func TestChoose(t *testing.T) {
	var choice func(p *pool.Pool[int]) pool.Handle
	p := must(t, pool.Config[int]{Size: 2, Max: 4, Overflow: pool.Kill, Order: pool.ByAge,
		Choose: func(p *pool.Pool[int]) pool.Handle { return choice(p) }})
	a, _ := take(t, p)
	b, _ := take(t, p)
	choice = func(p *pool.Pool[int]) pool.Handle { return b }
	c, _ := take(t, p)
	if p.Get(a) == nil || p.Get(b) != nil || c.Slot() != b.Slot() {
		t.Errorf("%v stays, %v came to slot %d", p.Get(a), c, c.Slot())
	}
	choice = (*pool.Pool[int]).First
	take(t, p)
	if p.Get(a) != nil {
		t.Error("First was not killed")
	}
	for name, refusing := range map[string]func(p *pool.Pool[int]) pool.Handle{
		"none":  func(*pool.Pool[int]) pool.Handle { return 0 },
		"stale": func(*pool.Pool[int]) pool.Handle { return a },
		"acquires": func(p *pool.Pool[int]) pool.Handle {
			if _, _, ok := p.Acquire(); ok {
				t.Error("Choose could acquire in a full pool")
			}
			return 0
		},
	} {
		choice = refusing
		if _, _, ok := p.Acquire(); ok {
			t.Errorf("choice %s was not refused", name)
		}
		sound(t, p)
	}
	choice = func(*pool.Pool[int]) pool.Handle { panic("choice") }
	func() {
		defer func() { recover() }()
		p.Acquire()
	}()
	choice = (*pool.Pool[int]).First
	take(t, p)
	sound(t, p)
}

// TestHookUsesThePool releases an object whose hook creates others, as when a rocket explodes.
func TestHookUsesThePool(t *testing.T) {
	var p *pool.Pool[int]
	children := 0
	c := pool.Config[int]{Size: 4, Overflow: pool.Kill, Order: pool.ByAge,
		OnRelease: func(h pool.Handle, x *int, killed bool) {
			if p.Get(h) != nil || p.Release(h) || p.HandleAt(h.Slot()) != 0 || *x != 7 {
				t.Errorf("inside OnRelease %v is %v; value %d", h, p.Get(h), *x)
			}
			for range p.All() {
			}
			if n, y, ok := p.Acquire(); ok {
				*y = 7
				children++
				if n.Slot() == h.Slot() {
					t.Error("the slot was given away while its object was disposed of")
				}
			} else if !killed {
				t.Error("no room inside OnRelease")
			}
		}}
	p = must(t, c)
	for range 10 {
		_, x := take(t, p)
		*x = 7
		sound(t, p)
	}
	if children != 0 || p.Len() != 4 {
		t.Errorf("%d children, %d active: a newcomer has lost its place", children, p.Len())
	}
	p.Resize(2)
	if p.Len() != 2 {
		t.Errorf("%d active after Resize(2)", p.Len())
	}
	sound(t, p)
	p.SetLimit(3) // an object occupies its slot until its hook has returned
	p.Release(p.First())
	if children != 1 || p.Len() != 2 {
		t.Errorf("%d children, %d active", children, p.Len())
	}
	sound(t, p)
}

func TestPanickingHook(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 3, OnRelease: func(h pool.Handle, _ *int, _ bool) {
		if h.Slot() == 1 {
			panic("hook")
		}
	}})
	var hs []pool.Handle
	for range 3 {
		h, _ := take(t, p)
		hs = append(hs, h)
	}
	for i, h := range hs {
		func() {
			defer func() {
				if r := recover(); (r != nil) != (i == 1) {
					t.Errorf("slot %d: panic %v", i, r)
				}
			}()
			p.Release(h)
		}()
	}
	if p.Len() != 1 || p.Next(0) != -1 || p.Release(hs[1]) {
		t.Errorf("Len %d, active %d", p.Len(), p.Next(0))
	}
	take(t, p)
	take(t, p)
	if _, _, ok := p.Acquire(); ok {
		t.Error("the slot of the hook that panicked was given away")
	}
}

func TestInitialisation(t *testing.T) {
	type thing struct {
		self pool.Handle
		n    int
	}
	refuse := false
	var p *pool.Pool[thing]
	p = must(t, pool.Config[thing]{Size: 2, OnAcquire: func(h pool.Handle, x *thing) {
		if *x != (thing{}) {
			t.Errorf("OnAcquire got %+v", *x)
		}
		x.self, x.n = h, 5
		if refuse {
			p.Release(h)
		}
	}})
	h, x := take(t, p)
	if x.self != h || x.n != 5 {
		t.Errorf("Acquire returned %+v", *x)
	}
	p.Release(x.self)
	take(t, p)
	refuse = true
	if h, x, ok := p.Acquire(); h != 0 || x != nil || ok {
		t.Errorf("Acquire = %v, %v, %v, though OnAcquire released it", h, x, ok)
	}
	sound(t, p)
}

func TestMakeAndKeep(t *testing.T) {
	var made []int
	p := must(t, pool.Config[[]byte]{Size: 2, Max: 4, Step: 1, Make: func(slot int, x *[]byte) {
		made = append(made, slot)
		*x = make([]byte, 0, 100)
	}})
	if len(made) != 2 {
		t.Errorf("New made %v, want the first two", made)
	}
	for round := range 3 {
		for range 4 {
			_, x := take(t, p)
			if cap(*x) != 100 || len(*x) != round {
				t.Errorf("round %d: length %d, capacity %d", round, len(*x), cap(*x))
			}
			*x = append(*x, 'x')
		}
		p.Clear()
	}
	if len(made) != 4 || made[2] != 2 || made[3] != 3 {
		t.Errorf("made %v, want each slot once", made)
	}
	kept := must(t, pool.Config[int]{Size: 1, Keep: true})
	h, x := take(t, kept)
	*x = 9
	kept.Release(h)
	if _, x := take(t, kept); *x != 9 {
		t.Errorf("kept %d, want 9", *x)
	}
}

func TestSetLimit(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 3, Max: 5, Overflow: pool.Kill, Order: pool.ByScore})
	for _, n := range []int{-1, 0, 6, math.MaxInt} {
		if err := p.SetLimit(n); !errors.Is(err, pool.ErrLimit) || p.Limit() != 3 {
			t.Errorf("SetLimit(%d) = %v, limit %d", n, err, p.Limit())
		}
		if killed, err := p.Resize(n); !errors.Is(err, pool.ErrLimit) || killed != 0 {
			t.Errorf("Resize(%d) = %d, %v", n, killed, err)
		}
	}
	if err := p.SetLimit(5); err != nil {
		t.Fatal(err)
	}
	var hs []pool.Handle
	for i := range 5 {
		h, _ := take(t, p)
		p.SetScore(h, float64(-i))
		hs = append(hs, h)
	}
	p.SetLimit(2)
	if p.Len() != 5 || p.Limit() != 2 {
		t.Errorf("%d active, limit %d, want 5 and 2", p.Len(), p.Limit())
	}
	h, _ := take(t, p) // one kill for one new object
	if p.Len() != 5 || p.Get(hs[4]) != nil {
		t.Errorf("%d active, want 5", p.Len())
	}
	p.SetScore(h, 1)
	if killed, err := p.Resize(2); killed != 3 || err != nil || p.Len() != 2 || p.Get(hs[0]) == nil || p.Get(h) == nil {
		t.Errorf("Resize = %d, %v; %d active", killed, err, p.Len())
	}
	sound(t, p)

	refusing := must(t, pool.Config[int]{Size: 3})
	take(t, refusing)
	take(t, refusing)
	if killed, err := refusing.Resize(1); killed != 0 || err != nil || refusing.Len() != 2 {
		t.Errorf("Resize = %d, %v; %d active, want both", killed, err, refusing.Len())
	}
	refusing.Release(refusing.HandleAt(refusing.Next(0)))
	if _, _, ok := refusing.Acquire(); ok {
		t.Error("Acquire beyond the limit")
	}
	refusing.Release(refusing.HandleAt(refusing.Next(0)))
	take(t, refusing)
}

func TestGrowth(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 2, Max: 9, Step: 3, Idle: 10})
	limit := func(want int) {
		t.Helper()
		if p.Limit() != want {
			t.Errorf("limit %d with %d active, want %d", p.Limit(), p.Len(), want)
		}
	}
	var hs []pool.Handle
	for _, want := range []int{2, 2, 5, 5, 5, 8, 8, 8, 9} {
		h, _ := take(t, p)
		hs = append(hs, h)
		limit(want)
	}
	if _, _, ok := p.Acquire(); ok {
		t.Error("grown beyond Max")
	}
	drop := func(n int) {
		for range n {
			p.Release(hs[len(hs)-1])
			hs = hs[:len(hs)-1]
		}
	}
	p.Advance(1000)
	limit(9) // all in use
	drop(3)
	p.Advance(0) // uses the peak of the time before
	p.Advance(9)
	limit(9)
	p.Advance(1)
	limit(6)
	p.Advance(1000)
	limit(6)
	drop(4)
	p.Advance(9)
	h, _ := take(t, p)
	h2, _ := take(t, p)
	p.Release(h)
	p.Release(h2) // the step was needed for a moment, so the idle time restarts
	p.Advance(9)
	limit(6)
	p.Advance(1)
	limit(3)
	p.Advance(-5)
	p.Advance(9)
	limit(3)
	p.Advance(1)
	limit(2) // never below the size
	p.Advance(math.MaxInt)
	limit(2)
	sound(t, p)

	p.SetLimit(4) // a new size
	for range 3 {
		take(t, p)
	}
	limit(7)
	p.Clear()
	p.Advance(math.MaxInt)
	limit(4)

	forever := must(t, pool.Config[int]{Size: 1, Max: 4, Step: math.MaxInt})
	take(t, forever)
	take(t, forever)
	forever.Clear()
	forever.Advance(math.MaxInt)
	if forever.Limit() != 4 {
		t.Errorf("limit %d, want 4: without Idle it stays", forever.Limit())
	}
}

// TestGrowthOutgrown sets a limit below the number of active objects, so that one step does not make room.
func TestGrowthOutgrown(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 8, Max: 8, Step: 2})
	for range 8 {
		take(t, p)
	}
	p.SetLimit(1)
	if _, _, ok := p.Acquire(); ok || p.Limit() != 3 {
		t.Errorf("Acquire = %v, limit %d", ok, p.Limit())
	}
	sound(t, p)
}
