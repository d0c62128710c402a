package placement

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"voicepool/internal/longtest"
)

// TestTakesOver checks that another node takes over a room with its state: within 5 s if its node dies, and at
// once if its node leaves.
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
					a.order("main") // not saved yet
					a.node.Close(Fade)
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
				if ahead := b.node.lease.clockSkew(); (ahead - time.Hour).Abs() > time.Millisecond {
					t.Errorf("the clock of the bucket is %v ahead, want an hour", ahead)
				}
				if kind == "is cut off" {
					a.line.set(func(l *line) { l.cut = false })
					w.until(5*time.Second, "a knows", func() bool { return a.told() > 0 })
					w.pass(5 * time.Second)
					if a.sounds("main") || !b.sounds("main") {
						t.Error("the room has gone back")
					}
				}
			})
		})
	}
}

// TestReturns checks that rooms of disconnected nodes become silent when their lease ends. Once NATS is back,
// they continue at the same position and in the same life.
func TestReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a"), w.start("b")
		a.placeRoom("main")
		for _, m := range w.nodes {
			m.line.set(func(l *line) { l.cut = true })
		}
		silent := w.until(5*time.Second, "silence", func() bool { return !a.sounds("main") })
		if silent < DefaultTiming.Lease-DefaultTiming.Renew || silent > DefaultTiming.Lease {
			t.Errorf("silent after %v, and a lease is %v", silent, DefaultTiming.Lease)
		}
		w.pass(time.Minute)
		for _, m := range w.nodes {
			m.line.set(func(l *line) { l.cut = false })
		}
		w.until(5*time.Second, "a or b plays it", func() bool { return a.sounds("main") || b.sounds("main") })
	})
}

// TestNamesakes checks that a second node with the same name starts only after the first is dead.
func TestNamesakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a := w.start("a")
		second := &machine{world: w, name: "a", line: w.bucket.line(99), heard: map[string]*tenant{}}
		if err := second.join(); err == nil || !strings.Contains(err.Error(), "a running node already has the name a") {
			t.Fatalf("a second node of the name: %v", err)
		}
		a.placeRoom("main")
		w.nodes = append(w.nodes, second)
		a.crash()
		began := time.Now()
		if err := second.join(); err != nil {
			t.Fatal(err)
		}
		w.until(5*time.Second-time.Since(began), "the second plays it", func() bool { return second.sounds("main") })
	})
}

// TestForgotten checks that the record of a dead node is deleted after a while. Its rooms stay with their new
// nodes, and the node may return.
func TestForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a"), w.start("b")
		a.placeRoom("main")
		w.pass(time.Second)
		a.line.set(func(l *line) { l.cut = true })
		listed := func() int {
			_, nodes, err := List(t.Context(), b.line, DefaultTiming.Lease)
			if err != nil {
				t.Fatal(err)
			}
			return len(nodes)
		}
		time.Sleep(time.Minute)
		if n := listed(); n != 2 {
			t.Errorf("after a minute %d nodes are listed", n)
		}
		time.Sleep(DefaultTiming.Forget)
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

// TestPlace places a room twice, places a room that cannot be opened, and removes a room.
func TestPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a"), w.start("b")
		a.placeRoom("main")
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
		if err := b.node.Remove(t.Context(), "main", 0); !errors.As(err, &there) {
			t.Errorf("another's room is removed: %v", err)
		}
		removed := make(chan error)
		go func() { removed <- a.node.Remove(t.Context(), "main", 2*time.Second) }()
		w.pass(time.Second)
		if !a.sounds("main") {
			t.Error("it has no time to fade")
		}
		if err := <-removed; err != nil || a.sounds("main") {
			t.Errorf("it is removed: %v; heard: %v", err, a.sounds("main"))
		}
		w.pass(10 * time.Second)
		if a.sounds("main") || b.sounds("main") {
			t.Error("it is heard after it was removed")
		}
		b.mutex.Lock()
		b.broken = Refusal{errors.New("no such sound")}
		b.mutex.Unlock()
		b.line.set(func(l *line) { l.slow = 400 * time.Millisecond }) // a has time to take a room before b removes it
		for i := range 10 {
			room := fmt.Sprint("hall", i)
			if err := b.node.Place(t.Context(), room, "sheet", ""); err == nil || !strings.Contains(err.Error(), "no such sound") {
				t.Errorf("a room that cannot be opened: %v", err)
			}
			w.pass(5 * time.Second)
			if _, known, err := a.node.Known(t.Context(), room); a.sounds(room) || known || err != nil {
				t.Errorf("%s could not be placed, but is played elsewhere or known: %v, %v, %v", room, a.sounds(room), known, err)
			}
		}
	})
}

// TestRefused checks that a node that cannot open a room leaves it to other nodes and does not retry.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b, c := w.start("a"), w.start("b"), w.start("c")
		b.broken = Refusal{errors.New("no such sound")}
		for _, room := range []string{"main", "hall", "bar", "attic"} {
			a.placeRoom(room)
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

// TestDrain checks that rooms move off a drained node without a gap or a lost order and stay away. Other nodes
// fail to open them or die at the same time.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.end()
		a, b := w.start("a"), w.start("b")
		rooms := []string{"main", "hall", "bar", "attic"}
		for _, room := range rooms {
			a.placeRoom(room)
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

// TestNeverTwo injects random faults in random order. A room must never be audible from two nodes, and every
// room must be audible soon after all faults end.
func TestNeverTwo(t *testing.T) {
	defer longtest.Checks(40)()
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		steps := rapid.IntRange(1, 12).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 7))
			w := newWorld(t)
			defer w.end()
			for _, name := range []string{"a", "b", "c"} {
				w.start(name).closing = time.Duration(random.IntN(2)*random.IntN(2000)) * time.Millisecond
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
					_ = Drain(soon, m.line, m.name, random.IntN(2) == 0) // ignored: its line may be down
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
