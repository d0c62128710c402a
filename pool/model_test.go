package pool_test

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"voicepool/pool"
)

// naive is the model of a pool, as simple as possible: a list of the active objects in order of creation.
type naive struct {
	size, limit, max, step, idle int // idle: ticks after which a step is given back; 0: never
	idled, peak                  int
	overflow                     pool.Overflow
	active                       []thing
	acquired, refused, killed    uint64
	found                        [300]uint64
}

type thing struct {
	h     pool.Handle
	value int
	score float64
}

func (n *naive) victim() int {
	least := 0
	for i := range n.active {
		if n.active[i].score < n.active[least].score {
			least = i
		}
	}
	return least
}

// acquire reports whether there is room, and the victim that must be killed for it, or 0.
func (n *naive) acquire() (victim pool.Handle, ok bool) {
	n.found[len(n.active)]++
	if len(n.active) >= n.limit && n.step > 0 && n.limit < n.max {
		n.limit, n.idled = min(n.limit+n.step, n.max), 0
	}
	if len(n.active) >= n.limit {
		if n.overflow == pool.Refuse || len(n.active) == 0 {
			n.refused++
			return 0, false
		}
		victim = n.remove(n.victim())
		n.killed++
	}
	n.acquired++
	n.peak = max(n.peak, len(n.active)+1)
	return victim, true
}

func (n *naive) remove(i int) pool.Handle {
	h := n.active[i].h
	n.active = slices.Delete(n.active, i, i+1)
	return h
}

// advance runs tick by tick.
func (n *naive) advance(ticks int) {
	less := func() int { return max(n.size, n.limit-n.step) }
	if n.peak > less() {
		n.idled = 0
	}
	n.peak = len(n.active)
	for range ticks {
		if n.idle == 0 || n.limit == n.size || len(n.active) > less() {
			n.idled = 0
		} else if n.idled++; n.idled == n.idle {
			n.limit, n.idled = less(), 0
		}
	}
	if n.limit == n.size || len(n.active) > less() {
		n.idled = 0
	}
}

// machine runs a pool and its model side by side.
type machine struct {
	p      *pool.Pool[[3]int]
	n      naive
	stale  []pool.Handle // handles that must be invalid
	values int
	high   int
}

func newMachine(t *rapid.T) *machine {
	m := new(machine)
	m.n.max = rapid.SampledFrom([]int{1, 3, 9, 70, 200}).Draw(t, "max")
	m.n.size = rapid.IntRange(1, m.n.max).Draw(t, "size")
	m.n.limit = m.n.size
	if rapid.Bool().Draw(t, "grows") {
		m.n.step = rapid.IntRange(1, 5).Draw(t, "step")
		m.n.idle = rapid.IntRange(0, 5).Draw(t, "idle")
	}
	m.n.overflow = rapid.SampledFrom([]pool.Overflow{pool.Refuse, pool.Kill}).Draw(t, "overflow")
	c := pool.Config[[3]int]{Size: m.n.size, Max: m.n.max, Overflow: m.n.overflow, Step: m.n.step, Idle: m.n.idle}
	c.Generation = rapid.SampledFrom([]uint64{0, 1, pool.Overflown, pool.Overflown - 1}).Draw(t, "generation")
	// A pool that refuses keeps no order in half of the runs. This tests the fast paths of Acquire and Release.
	if m.n.overflow == pool.Kill || rapid.Bool().Draw(t, "ordered") {
		c.Order = pool.ByScore
	}
	m.p = must(t, c)
	other := must(t, pool.Config[[3]int]{Size: m.n.max})
	for range min(m.n.max, 3) {
		h, _ := take(t, other)
		if c.Generation == 0 {
			m.stale = append(m.stale, h)
		}
	}
	return m
}

func (m *machine) acquire(t *rapid.T) {
	victim, want := m.n.acquire()
	h, x, ok := m.p.Acquire()
	if ok != want {
		t.Fatalf("Acquire = %v, want %v", ok, want)
	}
	if victim != 0 {
		m.stale = append(m.stale, victim)
	}
	if !ok {
		return
	}
	if *x != ([3]int{}) {
		t.Fatalf("Acquire gave %v, want zeros", *x)
	}
	m.values++
	*x = [3]int{m.values, -m.values, m.values}
	m.n.active = append(m.n.active, thing{h: h, value: m.values})
	m.high = max(m.high, len(m.n.active))
}

func (m *machine) acquireMany(t *rapid.T) {
	for range rapid.IntRange(1, m.n.max+2).Draw(t, "many") {
		m.acquire(t)
	}
}

// pick draws the index of an active object, or -1 if there is no active one.
func (m *machine) pick(t *rapid.T) int {
	if len(m.n.active) == 0 {
		return -1
	}
	return rapid.IntRange(0, len(m.n.active)-1).Draw(t, "which")
}

func (m *machine) release(t *rapid.T) {
	i := m.pick(t)
	if i < 0 {
		return
	}
	h := m.n.remove(i)
	if !m.p.Release(h) {
		t.Fatalf("Release(%v) = false", h)
	}
	m.stale = append(m.stale, h)
}

func (m *machine) score(t *rapid.T) {
	if i := m.pick(t); i >= 0 {
		score := float64(rapid.IntRange(-2, 2).Draw(t, "score"))
		if m.p.SetScore(m.n.active[i].h, score) {
			m.n.active[i].score = score
		}
	}
}

func (m *machine) releaseWhileIterating(t *rapid.T) {
	every := rapid.IntRange(1, 4).Draw(t, "every")
	want := slices.SortedFunc(slices.Values(m.n.active), func(a, b thing) int { return cmp.Compare(a.h.Slot(), b.h.Slot()) })
	i := 0
	for h := range m.p.All() {
		if i == len(want) || h != want[i].h {
			t.Fatalf("All: number %d is %v, want %v", i, h, want[i:])
		}
		if i%every == 0 {
			m.p.Release(h)
			m.stale = append(m.stale, h)
			m.n.remove(slices.IndexFunc(m.n.active, func(a thing) bool { return a.h == h }))
		}
		i++
	}
	if i != len(want) {
		t.Fatalf("All: %d active, want %d", i, len(want))
	}
}

func (m *machine) limit(t *rapid.T) {
	n := rapid.IntRange(0, m.n.max+1).Draw(t, "limit")
	err := m.p.SetLimit(n)
	if (err == nil) != (n >= 1 && n <= m.n.max) {
		t.Fatalf("SetLimit(%d) = %v", n, err)
	}
	if err == nil {
		m.n.limit, m.n.size, m.n.idled = n, n, 0
	}
}

func (m *machine) resize(t *rapid.T) {
	n := rapid.IntRange(1, m.n.max).Draw(t, "size")
	m.n.limit, m.n.size, m.n.idled = n, n, 0
	want := 0
	for ; m.n.overflow == pool.Kill && len(m.n.active) > n; want++ {
		m.stale = append(m.stale, m.n.remove(m.n.victim()))
		m.n.killed++
	}
	if killed, err := m.p.Resize(n); killed != want || err != nil {
		t.Fatalf("Resize(%d) = %d, %v, want %d", n, killed, err, want)
	}
}

func (m *machine) extend(t *rapid.T) {
	n := m.n.max + rapid.IntRange(-1, 30).Draw(t, "more")
	if n >= len(m.n.found) {
		return
	}
	if err := m.p.Extend(n); err != nil {
		t.Fatalf("Extend(%d) = %v", n, err)
	}
	m.n.max = max(m.n.max, n)
}

func (m *machine) advance(t *rapid.T) {
	ticks := rapid.IntRange(0, 12).Draw(t, "ticks")
	first := rapid.IntRange(0, ticks).Draw(t, "first")
	m.n.advance(ticks)
	m.p.Advance(first)
	m.p.Advance(ticks - first)
}

// check compares all visible state.
func (m *machine) check(t *rapid.T) {
	sound(t, m.p)
	n, p := &m.n, m.p
	if p.Len() != len(n.active) || p.Limit() != n.limit || p.Max() != n.max || p.HighWater() != m.high {
		t.Fatalf("Len %d, Limit %d, Max %d, HighWater %d, want %d, %d, %d, %d",
			p.Len(), p.Limit(), p.Max(), p.HighWater(), len(n.active), n.limit, n.max, m.high)
	}
	c := p.Counters()
	released := n.acquired - n.killed - uint64(len(n.active))
	if want := (pool.Counters{Acquired: n.acquired, Released: released, Killed: n.killed, Refused: n.refused, Active: uint64(len(n.active))}); c != want {
		t.Fatalf("Counters = %+v, want %+v", c, want)
	}
	for level, want := range n.found {
		if got := p.Use(level); got != want {
			t.Fatalf("Use(%d) = %d, want %d", level, got, want)
		}
	}
	for _, a := range n.active {
		if x := p.Get(a.h); x == nil || *x != [3]int{a.value, -a.value, a.value} || p.At(a.h.Slot()) != x || p.HandleAt(a.h.Slot()) != a.h {
			t.Fatalf("%v is %v, want %d", a.h, x, a.value)
		}
	}
	if first := p.First(); n.overflow == pool.Kill && len(n.active) > 0 && first != n.active[n.victim()].h {
		t.Fatalf("First = %v, want %v", first, n.active[n.victim()].h)
	}
	for _, h := range m.stale[max(0, len(m.stale)-50):] {
		if p.Get(h) != nil || p.Release(h) {
			t.Fatalf("%v names something", h)
		}
	}
}

func properties(t *rapid.T) {
	m := newMachine(t)
	t.Repeat(map[string]func(*rapid.T){
		"acquire":                 m.acquire,
		"acquire many":            m.acquireMany,
		"release":                 m.release,
		"score":                   m.score,
		"release while iterating": m.releaseWhileIterating,
		"limit":                   m.limit,
		"resize":                  m.resize,
		"extend":                  m.extend,
		"advance":                 m.advance,
		"":                        m.check,
	})
}

func TestAgainstModel(t *testing.T) { rapid.Check(t, properties) }

// FuzzPool runs the same checks with actions from bytes.
func FuzzPool(f *testing.F) {
	r := uint32(1)
	for range 8 {
		seed := make([]byte, 1<<14)
		for i := range seed {
			r = r*1664525 + 1013904223
			seed[i] = byte(r >> 24)
		}
		f.Add(seed)
	}
	f.Fuzz(rapid.MakeFuzz(properties))
}
