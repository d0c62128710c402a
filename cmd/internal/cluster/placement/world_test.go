package placement

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// world holds the nodes of a test and checks which rooms are audible.
type world struct {
	t      *testing.T
	bucket *memory
	began  time.Time
	nodes  []*machine

	mutex  sync.Mutex
	fading map[string]time.Time // by room: end of the overlap in which two nodes may be audible
}

// machine is a node that can fail.
type machine struct {
	world *world
	name  string
	line  *line
	node  *Node
	stop  context.CancelFunc

	mutex   sync.Mutex
	until   time.Duration
	heard   map[string]*tenant
	broken  error         // error of opening a room
	closing time.Duration // time that closing a room takes
	telling time.Duration // time that reading the state of a room takes
	opened  []Opening
	said    []string
}

func (w *world) now() time.Duration { return time.Since(w.began) + time.Hour }

// tenant is a playing room whose state is the number of orders that it has executed.
type tenant struct {
	machine *machine
	room    string

	done   chan struct{}
	once   sync.Once
	mutex  sync.Mutex
	orders int
	sheet  string
	file   string
	left   time.Time // when it became silent; zero while audible
	in     bool
}

func (t *tenant) State() ([]byte, string) {
	time.Sleep(t.machine.telling)
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

func (t *tenant) Done() <-chan struct{} { return t.done }

func (t *tenant) Close() {
	m := t.machine
	t.mutex.Lock()
	t.left = time.Now() // silent from here on
	t.mutex.Unlock()
	time.Sleep(m.closing)
	t.once.Do(func() { close(t.done) })
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.heard[t.room] == t {
		delete(m.heard, t.room)
	}
}

// order sends an order to a room.
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

// sounds reports whether a room is audible on this node.
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

// placeRoom places a room on the node.
func (m *machine) placeRoom(room string) {
	if err := m.node.Place(m.world.t.Context(), room, "sheet", ""); err != nil {
		m.world.t.Fatal(err)
	}
}

func (m *machine) join(change ...func(*Options)) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	m.stop = cancel
	o := Options{
		Name: m.name, Address: "http://" + m.name, MaxRooms: 100, Bucket: m.line, Now: m.world.now,
		Extend: func(until time.Duration) {
			m.mutex.Lock()
			defer m.mutex.Unlock()
			m.until = until
		},
		Open: func(_ context.Context, o Opening) (Tenant, error) {
			m.mutex.Lock()
			defer m.mutex.Unlock()
			m.opened = append(m.opened, o)
			if m.broken != nil {
				return nil, m.broken
			}
			t := &tenant{machine: m, done: make(chan struct{}), room: o.Room, sheet: o.Sheet, file: o.File}
			fmt.Sscan(string(o.State), &t.orders)
			return t, nil
		},
		Log: func(line string) {
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

// told returns the number of logged lines.
func (m *machine) told() int {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return len(m.said)
}

// crash ends a node without a shutdown.
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

// check fails if a room that is not moving is audible on two nodes.
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

// pass lets time pass and checks at short intervals.
func (w *world) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
		w.check()
	}
}

// until waits for a condition and returns the elapsed time.
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
