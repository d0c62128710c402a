package placement

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// world is some nodes, and what is heard of them.
type world struct {
	t      *testing.T
	bucket *memory
	began  time.Time
	nodes  []*machine

	mutex  sync.Mutex
	fading map[string]time.Time // until when two may be heard, by room
}

// machine is a node that can fail.
type machine struct {
	world *world
	name  string
	line  *line
	node  *Node
	stop  context.CancelFunc

	mutex  sync.Mutex
	until  time.Duration
	heard  map[string]*tenant
	broken bool // it opens no room
	opened []Opening
	said   []string
}

func (w *world) now() time.Duration { return time.Since(w.began) + time.Hour }

// tenant is a room that plays: its state is the number of orders that it has taken.
type tenant struct {
	machine *machine
	room    string

	mutex  sync.Mutex
	orders int
	sheet  string
	file   string
	left   time.Time // when it is not heard any more; zero: it is
	in     bool
}

func (t *tenant) State() ([]byte, string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return fmt.Appendf(nil, "%d", t.orders), fmt.Sprint(t.orders)
}

func (t *tenant) Sheet(context.Context) (sheet, file string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.sheet, t.file
}

func (t *tenant) Enter(fade time.Duration) {
	t.mutex.Lock()
	t.in, t.left = true, time.Time{}
	t.mutex.Unlock()
	m := t.machine
	m.mutex.Lock()
	m.heard[t.room] = t
	m.mutex.Unlock()
}

func (t *tenant) Leave(fade time.Duration) {
	t.mutex.Lock()
	t.left = time.Now().Add(fade)
	t.mutex.Unlock()
	t.machine.world.mutex.Lock()
	defer t.machine.world.mutex.Unlock()
	t.machine.world.fading[t.room] = time.Now().Add(fade)
}

func (t *tenant) Close() {
	m := t.machine
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.heard[t.room] == t {
		delete(m.heard, t.room)
	}
}

// order has a room take an order.
func (m *machine) order(room string) bool {
	m.mutex.Lock()
	t := m.heard[room]
	m.mutex.Unlock()
	if t == nil || m.node.Moving(room) {
		return false
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.orders++
	return true
}

// sounds reports whether a room is heard here.
func (m *machine) sounds(room string) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	t := m.heard[room]
	if t == nil || m.world.now() >= m.until {
		return false
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.in && (t.left.IsZero() || time.Now().Before(t.left))
}

func newWorld(t *testing.T) *world {
	return &world{t: t, bucket: newMemory(), began: time.Now(), fading: map[string]time.Time{}}
}

// start starts a node, and waits for its lease.
func (w *world) start(name string, change ...func(*Options)) *machine {
	m := &machine{world: w, name: name, line: w.bucket.line(uint64(len(w.nodes) + 1)), heard: map[string]*tenant{}}
	w.nodes = append(w.nodes, m)
	if err := m.join(change...); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	return m
}

func (m *machine) join(change ...func(*Options)) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	m.stop = cancel
	o := Options{
		Name: m.name, Address: "http://" + m.name, Most: 100, Bucket: m.line, Now: m.world.now,
		Extend: func(until time.Duration) {
			m.mutex.Lock()
			defer m.mutex.Unlock()
			m.until = until
		},
		Open: func(_ context.Context, o Opening) (Tenant, error) {
			m.mutex.Lock()
			defer m.mutex.Unlock()
			m.opened = append(m.opened, o)
			if m.broken {
				return nil, errors.New("no such sound")
			}
			t := &tenant{machine: m, room: o.Room, sheet: o.Sheet, file: o.File}
			fmt.Sscan(string(o.State), &t.orders)
			return t, nil
		},
		Say: func(line string) {
			m.mutex.Lock()
			defer m.mutex.Unlock()
			m.said = append(m.said, line)
		},
	}
	for _, c := range change {
		c(&o)
	}
	m.node, err = Join(ctx, o)
	return err
}

// crash ends a node without a word.
func (m *machine) crash() {
	m.mutex.Lock()
	m.heard, m.until = map[string]*tenant{}, 0
	m.mutex.Unlock()
	m.line.set(func(l *line) { l.cut = true })
	m.node.cancel()
	m.node.group.Wait()
	m.stop()
	m.line.set(func(l *line) { l.cut = false })
	m.mutex.Lock()
	m.heard, m.until = map[string]*tenant{}, 0
	m.mutex.Unlock()
}

// check fails where two nodes are heard in one room that does not move.
func (w *world) check() {
	w.mutex.Lock()
	fading := w.fading
	now := time.Now()
	w.mutex.Unlock()
	for _, room := range []string{"main", "hall", "bar", "attic"} {
		var who []string
		for _, m := range w.nodes {
			if m.sounds(room) {
				who = append(who, m.name)
			}
		}
		w.mutex.Lock()
		moves := now.Before(fading[room])
		w.mutex.Unlock()
		if len(who) > 1 && !moves || len(who) > 2 {
			w.t.Fatalf("after %v the room %s is heard of %s", time.Since(w.began), room, strings.Join(who, " and "))
		}
	}
}

// pass lets time pass, and looks every so often.
func (w *world) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
		w.check()
	}
}

// until waits for something, and returns how long that took.
func (w *world) until(within time.Duration, what string, is func() bool) time.Duration {
	w.t.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > within {
			for _, m := range w.nodes {
				m.mutex.Lock()
				w.t.Logf("%s says %q and has opened %v", m.name, m.said, m.opened)
				m.mutex.Unlock()
			}
			w.t.Fatalf("after %v still not: %s", within, what)
		}
		w.pass(5 * time.Millisecond)
	}
	return time.Since(began)
}

// end ends all nodes.
func (w *world) end() {
	for _, m := range w.nodes {
		m.crash()
	}
}

// TestTakesOver: a room goes to another node when its node dies, from how it stood, within 5 s; when the
// node leaves, at once.
func TestTakesOver(t *testing.T) {
	for _, kind := range []string{"dies", "is cut off", "leaves"} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				defer w.end()
				a, b := w.start("a"), w.start("b")
				if err := a.node.Place(t.Context(), "main", "sheet", "file"); err != nil {
					t.Fatal(err)
				}
				if !a.sounds("main") || b.sounds("main") {
					t.Fatal("it is not heard where it was placed")
				}
				a.order("main")
				w.pass(2 * time.Second)
				within := 5 * time.Second
				switch kind {
				case "dies":
					a.crash()
				case "is cut off":
					a.line.set(func(l *line) { l.cut = true })
				case "leaves":
					a.order("main") // which is not written down yet
					a.node.Close(t.Context(), Fade)
					within = time.Second
				}
				took := w.until(within, "b plays it", func() bool { return b.sounds("main") })
				t.Logf("after %v", took)
				if kind != "leaves" && took < 2*time.Second {
					t.Errorf("%v is within the lease", took)
				}
				b.mutex.Lock()
				o := b.opened[0]
				b.mutex.Unlock()
				want := map[bool]string{true: "2", false: "1"}[kind == "leaves"]
				if string(o.State) != want || o.Sheet != "sheet" || o.File != "file" || o.Skew.Abs() > time.Millisecond {
					t.Errorf("%+v %s", o, o.State)
				}
				if kind == "is cut off" {
					a.line.set(func(l *line) { l.cut = false })
					w.until(5*time.Second, "a knows", func() bool { return len(a.said) > 0 })
					w.pass(5 * time.Second)
					if a.sounds("main") || !b.sounds("main") {
						t.Error("the room has gone back")
					}
				}
			})
		})
	}
}

// TestReturns: where all are cut off a room is silent when its lease ends, and is heard again where it was,
// once NATS is back, in the same life.
func TestReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a"), w.start("b")
		if err := a.node.Place(t.Context(), "main", "sheet", ""); err != nil {
			t.Fatal(err)
		}
		for _, m := range w.nodes {
			m.line.set(func(l *line) { l.cut = true })
		}
		silent := w.until(5*time.Second, "silence", func() bool { return !a.sounds("main") })
		if silent < Standard.Lease-Standard.Renew || silent > Standard.Lease {
			t.Errorf("silent after %v, and a lease is %v", silent, Standard.Lease)
		}
		w.pass(time.Minute)
		for _, m := range w.nodes {
			m.line.set(func(l *line) { l.cut = false })
		}
		w.until(5*time.Second, "a or b plays it", func() bool { return a.sounds("main") || b.sounds("main") })
	})
}

// TestNamesakes: a second node of a name does not begin while the first lives; it does when that is dead.
func TestNamesakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a := w.start("a")
		second := &machine{world: w, name: "a", line: w.bucket.line(99), heard: map[string]*tenant{}}
		if err := second.join(); err == nil || !strings.Contains(err.Error(), "another node is called a") {
			t.Fatalf("a second node of the name: %v", err)
		}
		if err := a.node.Place(t.Context(), "main", "sheet", ""); err != nil {
			t.Fatal(err)
		}
		w.nodes = append(w.nodes, second)
		a.crash()
		began := time.Now()
		if err := second.join(); err != nil {
			t.Fatal(err)
		}
		w.until(5*time.Second-time.Since(began), "the second plays it", func() bool { return second.sounds("main") })
	})
}

// TestForgotten: the record of a node that is gone goes after a while; its rooms stay with who took them, and
// the node may come back.
func TestForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a"), w.start("b")
		if err := a.node.Place(t.Context(), "main", "sheet", ""); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		a.line.set(func(l *line) { l.cut = true })
		listed := func() int {
			_, nodes, err := List(t.Context(), b.line, Standard.Lease)
			if err != nil {
				t.Fatal(err)
			}
			return len(nodes)
		}
		time.Sleep(time.Minute)
		if n := listed(); n != 2 {
			t.Errorf("after a minute %d nodes are listed", n)
		}
		time.Sleep(Standard.Forget)
		if n := listed(); n != 1 {
			t.Errorf("later %d nodes are listed", n)
		}
		a.line.set(func(l *line) { l.cut = false })
		w.pass(10 * time.Second)
		if n := listed(); n != 2 || a.sounds("main") || !b.sounds("main") {
			t.Errorf("when it is back %d nodes are listed, and the room is heard: a %t, b %t", n, a.sounds("main"), b.sounds("main"))
		}
		b.crash()
		w.until(5*time.Second, "a plays it again", func() bool { return a.sounds("main") })
	})
}

// TestPlace: what is placed twice, what cannot be opened, what is removed.
func TestPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a"), w.start("b")
		if err := a.node.Place(t.Context(), "main", "sheet", ""); err != nil {
			t.Fatal(err)
		}
		w.pass(time.Second)
		var there *Elsewhere
		if err := b.node.Place(t.Context(), "main", "other", ""); !errors.As(err, &there) || there.Address != "http://a" {
			t.Errorf("a room that is placed already: %v", err)
		}
		if _, address, known := b.node.Elsewhere("main"); !known || address != "http://a" {
			t.Errorf("b knows %q", address)
		}
		if _, _, known := a.node.Elsewhere("main"); known {
			t.Error("a says that its own room is elsewhere")
		}
		if err := b.node.Remove(t.Context(), "main"); !errors.As(err, &there) {
			t.Errorf("another's room is removed: %v", err)
		}
		if err := a.node.Remove(t.Context(), "main"); err != nil {
			t.Error(err)
		}
		w.pass(10 * time.Second)
		if a.sounds("main") || b.sounds("main") {
			t.Error("it is heard after it was removed")
		}
		b.mutex.Lock()
		b.broken = true
		b.mutex.Unlock()
		if err := b.node.Place(t.Context(), "hall", "sheet", ""); err == nil || !strings.Contains(err.Error(), "no such sound") {
			t.Errorf("a room that cannot be opened: %v", err)
		}
		w.pass(5 * time.Second)
		if a.sounds("hall") {
			t.Error("a room that could not be placed is played elsewhere")
		}
	})
}

// TestRefused: a node that cannot open a room leaves it to others, and does not try again.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b, c := w.start("a"), w.start("b"), w.start("c")
		b.broken = true
		for _, room := range []string{"main", "hall", "bar", "attic"} {
			if err := a.node.Place(t.Context(), room, "sheet", ""); err != nil {
				t.Fatal(err)
			}
		}
		w.pass(time.Second)
		a.crash()
		w.until(6*time.Second, "c plays all", func() bool {
			return c.sounds("main") && c.sounds("hall") && c.sounds("bar") && c.sounds("attic")
		})
		w.pass(20 * time.Second)
		b.mutex.Lock()
		defer b.mutex.Unlock()
		if len(b.opened) == 0 || len(b.opened) > 4 {
			t.Errorf("b has tried %d times", len(b.opened))
		}
	})
}

// TestDrain: rooms move off a node that is drained, with no gap and no order lost, and stay away; others
// die meanwhile or cannot open them.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a"), w.start("b")
		rooms := []string{"main", "hall", "bar", "attic"}
		for _, room := range rooms {
			if err := a.node.Place(t.Context(), room, "sheet", ""); err != nil {
				t.Fatal(err)
			}
		}
		w.pass(time.Second)
		if err := Drain(t.Context(), a.line, "a", true); err != nil {
			t.Fatal(err)
		}
		taken, gap := 0, time.Duration(0)
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if a.order("main") || b.order("main") {
				taken++
			}
			if !a.sounds("main") && !b.sounds("main") {
				gap += 5 * time.Millisecond
			}
		}
		for _, room := range rooms {
			if a.sounds(room) || !b.sounds(room) {
				t.Errorf("%s has not moved", room)
			}
		}
		if gap > 20*time.Millisecond {
			t.Errorf("nothing is heard for %v", gap)
		}
		b.mutex.Lock()
		got := b.heard["main"].orders
		b.mutex.Unlock()
		if got != taken {
			t.Errorf("%d orders of %d have moved along", got, taken)
		}
		if err := Drain(t.Context(), a.line, "a", false); err != nil {
			t.Fatal(err)
		}
		w.pass(2 * time.Second)
		b.crash()
		w.until(5*time.Second, "a plays all again", func() bool {
			return a.sounds("main") && a.sounds("hall") && a.sounds("bar") && a.sounds("attic")
		})
	})
}

// TestNeverTwo: whatever goes wrong, in whatever order, no room is heard of two nodes, and every room is
// heard of one soon after all is well.
func TestNeverTwo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		steps := rapid.IntRange(1, 12).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			w := newWorld(t)
			defer w.end()
			for _, name := range []string{"a", "b", "c"} {
				w.start(name)
			}
			rooms := []string{"main", "hall", "bar", "attic"}
			for i, room := range rooms {
				if err := w.nodes[i%3].node.Place(t.Context(), room, "sheet", ""); err != nil {
					t.Fatal(err)
				}
			}
			dead := map[*machine]bool{}
			for range steps {
				m := w.nodes[random.IntN(3)]
				switch random.IntN(8) {
				case 0:
					m.line.set(func(l *line) { l.cut = true })
				case 1:
					m.line.set(func(l *line) { l.cut = false })
				case 2:
					m.line.set(func(l *line) { l.lossy = random.Float64() / 2 })
				case 3:
					m.line.set(func(l *line) { l.old = random.Float64() })
				case 4:
					m.line.set(func(l *line) { l.slow = time.Duration(random.IntN(2000)) * time.Millisecond })
				case 5:
					if !dead[m] {
						m.crash()
						dead[m] = true
					} else if !m.line.isCut() {
						m.line.set(func(l *line) { l.lossy, l.slow, l.old = 0, 0, 0 })
						if err := m.join(); err != nil {
							t.Fatal(err)
						}
						delete(dead, m)
					}
				case 6:
					soon, cancel := context.WithTimeout(t.Context(), time.Second)
					_ = Drain(soon, m.line, m.name, random.IntN(2) == 0) // its line may be cut
					cancel()
				case 7:
					m.order(rooms[random.IntN(4)])
				}
				w.pass(time.Duration(random.IntN(6000)) * time.Millisecond)
			}
			for _, m := range w.nodes {
				m.line.set(func(l *line) { l.cut, l.lossy, l.slow, l.old = false, 0, 0, 0 })
				if dead[m] {
					if err := m.join(); err != nil {
						t.Fatal(err)
					}
				}
				if err := Drain(t.Context(), m.line, m.name, false); err != nil {
					t.Fatal(err)
				}
			}
			w.until(40*time.Second, "every room is heard of one", func() bool {
				for _, room := range rooms {
					n := 0
					for _, m := range w.nodes {
						if m.sounds(room) {
							n++
						}
					}
					if n != 1 {
						return false
					}
				}
				return true
			})
		})
	})
}
