package pool_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"voicepool/pool"
)

func TestUse(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 10})
	// Acquire finds 0, 1, 2 and 3 active objects once each, and then 2 sixteen times.
	for range 4 {
		take(t, p)
	}
	p.Release(p.HandleAt(p.Next(0)))
	p.Release(p.HandleAt(p.Next(0)))
	for range 16 {
		h, _ := take(t, p)
		p.Release(h)
	}
	for n, want := range map[int]uint64{-1: 0, 0: 1, 1: 1, 2: 17, 3: 1, 4: 0, 10: 0, 11: 0} {
		if got := p.Use(n); got != want {
			t.Errorf("Use(%d) = %d, want %d", n, got, want)
		}
	}
	for share, want := range map[float64]int{math.NaN(): 4, math.Inf(-1): 4, math.Inf(1): 1, -1: 4, 0: 4, 0.049: 4, 0.05: 3, 0.89: 3, 0.9: 2, 0.95: 1, 1: 1, 2: 1} {
		if got, ok := p.Suggest(share); got != want || !ok {
			t.Errorf("Suggest(%v) = %d, %v, want %d", share, got, ok, want)
		}
	}
	if p.HighWater() != 4 {
		t.Errorf("HighWater = %d, want 4", p.HighWater())
	}
	for range 3 {
		take(t, p)
	}
	p.Advance(1)
	p.Clear()
	if p.HighWater() != 5 {
		t.Errorf("HighWater = %d, want 5", p.HighWater())
	}
	sound(t, p)
}

func TestSuggestOfATightPool(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 2, Max: 3})
	for range 10 {
		p.Acquire()
	}
	// Eight of ten requests found the pool full.
	for share, want := range map[float64]struct {
		size int
		ok   bool
	}{0: {3, false}, 0.79: {3, false}, 0.8: {2, true}, 0.9: {1, true}} {
		if size, ok := p.Suggest(share); size != want.size || ok != want.ok {
			t.Errorf("Suggest(%v) = %d, %v, want %v", share, size, ok, want)
		}
	}
	p.SetLimit(3)
	for range 10 {
		p.Acquire()
	}
	if size, ok := p.Suggest(0); size != 4 || ok {
		t.Errorf("Suggest(0) = %d, %v, want 4, false", size, ok)
	}
}

func TestSuggestGoesByTheTightestLimit(t *testing.T) {
	p := must(t, pool.Config[int]{Size: 5})
	for _, limit := range []int{5, 2, 4} {
		p.Clear()
		p.SetLimit(limit)
		for range limit + 1 {
			p.Acquire()
		}
	}
	// Of 14 requests, 3 found two active objects, 2 found three, 2 found four and 1 found five.
	if size, ok := p.Suggest(0.4); size != 3 || ok {
		t.Errorf("Suggest(0.4) = %d, %v, want 3, false: it was refused at 2", size, ok)
	}
	if size, ok := p.Suggest(0.6); size != 2 || !ok {
		t.Errorf("Suggest(0.6) = %d, %v, want 2, true", size, ok)
	}
}

// TestSuggestIsEnough repeats recorded requests in a pool of the suggested size.
func TestSuggestIsEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seen := must(t, pool.Config[int]{Size: rapid.IntRange(1, 12).Draw(t, "size")})
		// Each request creates an object that lives for so many steps.
		lives := rapid.SliceOfN(rapid.IntRange(0, 12), 1, 60).Draw(t, "lives")
		play(seen, lives)
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		size, ok := seen.Suggest(share)
		if !ok {
			if n := seen.Counters().Refused; float64(n) <= share*float64(len(lives)) {
				t.Fatalf("no answer, though only %d were refused", n)
			}
			return
		}
		for _, overflow := range []pool.Overflow{pool.Refuse, pool.Kill} {
			if overflow == pool.Kill && seen.Counters().Refused > 0 {
				continue // after a kill, the lives of objects differ between pools
			}
			again := must(t, pool.Config[int]{Size: size, Overflow: overflow, Order: pool.ByAge})
			play(again, lives)
			c := again.Counters()
			if n := c.Refused + c.Killed; float64(n) > share*float64(len(lives)) {
				t.Fatalf("size %d: %d of %d refused or killed, more than %v", size, n, len(lives), share)
			}
		}
	})
}

func play(p *pool.Pool[int], lives []int) {
	for now, life := range lives {
		if _, x, ok := p.Acquire(); ok {
			*x = now + life
		}
		for h, end := range p.All() {
			if *end <= now {
				p.Release(h)
			}
		}
	}
}
