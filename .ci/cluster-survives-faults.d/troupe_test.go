package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/placement"
)

// troupe is a set of placement nodes in this process, each with its own NATS connection, and a record of the
// sounds of their rooms.
type troupe struct {
	t       *testing.T
	nats    *NATS
	journal *journal

	mutex  sync.Mutex
	random *rand.Rand
	all    []*player          // every node of the test
	here   map[string]*player // running nodes, by name
	busy   map[string]bool    // nodes with a fault in progress
}

// player is a node from its join until it ends or crashes.
type player struct {
	troupe *troupe
	name   string
	conn   *cluster.Conn
	tap    *tap
	node   *placement.Node
	over   bool // it has ended, in order or not

	mutex   sync.Mutex
	gone    time.Duration // when it crashed; 0: it did not
	permits []mark        // until when its rooms may sound
	tenants []*tenant
}

// mark records a value, until, from the time at.
type mark struct{ at, until time.Duration }

// tenant is a room on a node.
type tenant struct {
	player *player
	room   string
	done   chan struct{}
	once   sync.Once

	mutex  sync.Mutex // of the following fields
	orders int
	sheet  string
	heard  []sound
	closed bool
}

// sound is a time range of a room's sound: at full level, then fading.
type sound struct {
	from, leaves, until time.Duration // 0 in leaves and until: still sounding
}

func newTroupe(t *testing.T, n *NATS, seed uint64) *troupe {
	return &troupe{t: t, nats: n, journal: &journal{began: time.Now().Add(-time.Hour)}, random: rand.New(rand.NewPCG(seed, 1)), here: map[string]*player{}, busy: map[string]bool{}}
}

// draw returns a random number.
func (u *troupe) draw(n int) int {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	return u.random.IntN(n)
}

// join starts a node that tries the i-th server first.
func (u *troupe) join(ctx context.Context, name string, i int, with trouble) (*player, error) {
	urls := strings.Split(u.nats.URL(), ",")
	i %= len(urls)
	conn, err := cluster.Dial(ctx, cluster.Flags{NATS: strings.Join(slices.Concat(urls[i:], urls[:i]), ",")}, nil)
	if err != nil {
		return nil, err
	}
	soon, cancel := context.WithTimeout(ctx, cluster.Patience)
	defer cancel()
	bucket, err := placement.Open(soon, conn)
	if err != nil {
		conn.NC.Close()
		return nil, err
	}
	p := &player{troupe: u, name: name, conn: conn}
	p.tap = &tap{Bucket: bucket, journal: u.journal, who: name, random: rand.New(rand.NewPCG(uint64(u.draw(1<<30)), 2)), trouble: with}
	u.mutex.Lock()
	u.all = append(u.all, p)
	u.mutex.Unlock()
	p.node, err = placement.Join(ctx, placement.Options{
		Name: name, Address: "http://" + name, MaxRooms: 100, Bucket: p.tap, Now: u.journal.now, Extend: p.extend, Open: p.open, Log: func(string) {},
	})
	if err != nil {
		conn.NC.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	u.mutex.Lock()
	u.here[name] = p
	u.mutex.Unlock()
	return p, nil
}

// pick returns a random running node, or nil.
func (u *troupe) pick() *player {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	return u.among(func(*player) bool { return true })
}

// take reserves a random running node for a fault, until free.
func (u *troupe) take() *player {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	p := u.among(func(p *player) bool { return !u.busy[p.name] })
	if p != nil {
		u.busy[p.name] = true
	}
	return p
}

func (u *troupe) free(name string) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.busy[name] = false
}

// among returns a random running node that satisfies are. The caller holds the mutex.
func (u *troupe) among(are func(*player) bool) *player {
	var all []*player
	for _, name := range slices.Sorted(maps.Keys(u.here)) {
		if p := u.here[name]; are(p) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[u.random.IntN(len(all))]
}

func (p *player) extend(until time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.permits = append(p.permits, mark{p.troupe.journal.now(), until})
}

// until returns the latest time until which its rooms may sound.
func (p *player) until() time.Duration {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.permits[len(p.permits)-1].until
}

func (p *player) open(_ context.Context, o placement.Opening) (placement.Tenant, error) {
	x := &tenant{player: p, room: o.Room, sheet: o.Sheet, done: make(chan struct{})}
	fmt.Sscan(string(o.State), &x.orders)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.tenants = append(p.tenants, x)
	return x, nil
}

// crash ends a node without a message: from now on it makes no sound and sends no data.
func (p *player) crash() {
	p.quit()
	p.tap.set(trouble{cut: true})
	p.mutex.Lock()
	p.gone = p.troupe.journal.now()
	p.mutex.Unlock()
	p.node.Close(0)
	p.conn.NC.Close()
}

// quit removes the node from the running ones.
func (p *player) quit() {
	p.over = true
	p.troupe.mutex.Lock()
	defer p.troupe.mutex.Unlock()
	delete(p.troupe.here, p.name)
}

// leave ends a node in order.
func (p *player) leave() {
	p.quit()
	p.node.Close(parting)
	p.conn.NC.Close()
}

// parting is the fade-out of the rooms of a node that ends in order.
const parting = 200 * time.Millisecond

// order sends a command to all rooms on the node, so that their states are written.
func (p *player) order() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, x := range p.tenants {
		x.mutex.Lock()
		x.orders++
		x.mutex.Unlock()
	}
}

func (x *tenant) State() ([]byte, string) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	return fmt.Append(nil, x.orders), fmt.Sprint(x.orders)
}

func (x *tenant) Sheet(context.Context) (sheet, file string) { return x.sheet, "" }

func (x *tenant) Done() <-chan struct{} { return x.done }

func (x *tenant) Enter(time.Duration) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	if !x.closed {
		x.stop(0)
		x.heard = append(x.heard, sound{from: x.player.troupe.journal.now()})
	}
}

func (x *tenant) Leave(fade time.Duration) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.stop(fade)
}

// stop ends the sound after a fade. The caller holds the mutex.
func (x *tenant) stop(fade time.Duration) {
	now := x.player.troupe.journal.now()
	if n := len(x.heard); n > 0 {
		last := &x.heard[n-1]
		if last.leaves == 0 {
			last.leaves, last.until = now, now+fade
			if fade != placement.Fade { // without a handover, the fade counts as full sound
				last.leaves = last.until
			}
		}
		last.until = min(last.until, now+fade)
	}
}

func (x *tenant) Close() {
	x.mutex.Lock()
	x.stop(0)
	x.closed = true
	x.mutex.Unlock()
	x.once.Do(func() { close(x.done) })
}

// hearing is a time range of a room's sound on a node.
type hearing struct {
	player   *player
	from, to time.Duration
	fades    bool
}

// audible returns the time ranges of a room's sound on all nodes until now, in order.
func (u *troupe) audible(room string) (all []hearing) {
	now := u.journal.now()
	u.mutex.Lock()
	players := slices.Clone(u.all)
	u.mutex.Unlock()
	for _, p := range players {
		p.mutex.Lock()
		var may []mark
		for i, m := range p.permits {
			end := m.until
			if i+1 < len(p.permits) {
				end = min(end, p.permits[i+1].at)
			}
			if p.gone > 0 {
				end = min(end, p.gone)
			}
			switch end = min(end, now); {
			case end <= m.at:
			case len(may) > 0 && may[len(may)-1].until == m.at:
				may[len(may)-1].until = end
			default:
				may = append(may, mark{m.at, end})
			}
		}
		for _, x := range p.tenants {
			if x.room != room {
				continue
			}
			x.mutex.Lock()
			for _, s := range x.heard {
				if s.leaves == 0 {
					s.leaves, s.until = now, now
				}
				for _, m := range may {
					if from, to := max(s.from, m.at), min(s.leaves, s.until, m.until); from < to {
						all = append(all, hearing{p, from, to, false})
					}
					if from, to := max(s.leaves, m.at), min(s.until, m.until); from < to {
						all = append(all, hearing{p, from, to, true})
					}
				}
			}
			x.mutex.Unlock()
		}
		p.mutex.Unlock()
	}
	slices.SortFunc(all, func(a, b hearing) int { return int(a.from - b.from) })
	return all
}

// hears returns the names of the nodes that play a room now.
func (u *troupe) hears(room string) (who []string) {
	now := u.journal.now()
	for _, a := range u.audible(room) {
		if a.to >= now {
			who = append(who, a.player.name)
		}
	}
	return who
}

// twice returns the times when a room sounded on two nodes without a handover.
func (u *troupe) twice(room string) (all []string) {
	heard := u.audible(room)
	for i, a := range heard {
		for _, b := range heard[i+1:] {
			both := min(a.to, b.to) - max(a.from, b.from)
			if a.player != b.player && both > 0 && (a.fades == b.fades || both > placement.Fade) {
				all = append(all, fmt.Sprintf("%s and %s from %v for %v", a.player.name, b.player.name, max(a.from, b.from)-time.Hour, both))
			}
		}
	}
	return all
}

// placeRoom places a room on a random node. It reports whether the room is placed.
func (u *troupe) placeRoom(ctx context.Context, room string) bool {
	p := u.pick()
	if p == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := p.node.Place(ctx, room, "sheet", "")
	_, elsewhere := errors.AsType[*placement.Elsewhere](err)
	return err == nil || elsewhere
}

// remove removes a room, through the node that plays it.
func (u *troupe) remove(ctx context.Context, room string) {
	p := u.pick()
	for range 3 {
		if p == nil {
			return
		}
		once, cancel := context.WithTimeout(ctx, 2*time.Second)
		err := p.node.Remove(once, room, 100*time.Millisecond)
		cancel()
		there, elsewhere := errors.AsType[*placement.Elsewhere](err)
		if !elsewhere {
			return // it is done, or the outcome is unknown
		}
		u.mutex.Lock()
		p = u.here[there.Node]
		u.mutex.Unlock()
	}
}
