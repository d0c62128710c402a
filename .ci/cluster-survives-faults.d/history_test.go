package cluster

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/placement"
)

// number returns a number from the environment, or the default.
func number(t *testing.T, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestHistory lets four nodes share twenty rooms while servers and nodes fail, rooms are removed and placed
// again, and nodes are drained. Their writes must be linearizable and must follow the rules of placement. No
// two nodes may be audible in a room at once. $VOICEPOOL_SECONDS is the duration (40), $VOICEPOOL_SEED the seed
// of the random choices (1).
func TestHistory(t *testing.T) {
	t.Parallel() // mostly waits
	seconds, seed := number(t, "VOICEPOOL_SECONDS", 40), number(t, "VOICEPOOL_SEED", 1)
	n := Servers(t, 3)
	keepAll(t, n)
	u := newTroupe(t, n, uint64(seed))
	for i, name := range []string{"a", "b", "c", "d"} {
		if err := Patiently(t.Context(), func() error {
			_, err := u.join(t.Context(), name, i, trouble{})
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	var rooms []string
	var placing sync.WaitGroup
	for i := range 20 {
		rooms = append(rooms, fmt.Sprintf("r%02d", i))
		placing.Go(func() {
			for end := time.Now().Add(time.Minute); !u.placeRoom(t.Context(), rooms[i]); time.Sleep(50 * time.Millisecond) {
				if time.Now().After(end) {
					t.Errorf("%s is not placed", rooms[i])
					return
				}
			}
		})
	}
	placing.Wait()
	if t.Failed() {
		return
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second)
	defer cancel()
	var lanes sync.WaitGroup
	lanes.Go(func() { u.failServers(ctx) })
	lanes.Go(func() { u.failNodes(ctx, slowThenCut, crash, lossy, leave) })
	lanes.Go(func() { u.failNodes(ctx, lateAndDrained, cut, disconnect, drained) })
	lanes.Go(func() { u.operate(ctx, rooms) })
	lanes.Wait()

	n.Ready()
	began := time.Now()
	u.settles(rooms)
	t.Logf("each room is heard of one node %v after the last fault", time.Since(began).Round(time.Millisecond))
	p := u.take() // without other faults, so the drain must succeed
	lateAndDrained(t.Context(), p)
	u.heal(t.Context(), p)
	u.settles(rooms)
	for p := u.pick(); p != nil; p = u.pick() {
		p.leave()
	}
	u.judge(rooms)
}

// settles fails the test unless each room becomes audible on exactly one node in time.
func (u *troupe) settles(rooms []string) {
	u.t.Helper()
	Await(u.t, hangs, "each room is heard of one node", func() bool {
		time.Sleep(50 * time.Millisecond)
		for _, room := range rooms {
			if len(u.hears(room)) != 1 && (!u.placeRoom(u.t.Context(), room) || len(u.hears(room)) != 1) {
				return false
			}
		}
		return true
	})
}

// judge checks the recorded writes and sounds.
func (u *troupe) judge(rooms []string) {
	u.t.Helper()
	u.journal.mutex.Lock()
	defer u.journal.mutex.Unlock()
	all := readAll(u.t, u.nats)
	for _, wrong := range u.journal.match(all) {
		u.t.Error(wrong)
	}
	p := check(all)
	for _, wrong := range p.wrong {
		u.t.Error(wrong)
	}
	for _, room := range rooms {
		for _, wrong := range u.twice(room) {
			u.t.Errorf("%s is heard twice: of %s", room, wrong)
			u.logHistory(room, all)
		}
	}
	var did, refusals, lost, lostDone int
	for _, w := range u.journal.all {
		switch {
		case w.outcome == done:
			did++
		case w.outcome == refused:
			refusals++
		case w.revision > 0:
			lostDone++
		default:
			lost++
		}
	}
	began := time.Now()
	result := porcupine.CheckOperationsTimeout(table, u.journal.operations(), time.Minute)
	u.t.Logf("%d writes: %d done, %d refused, %d unknown of which %d were done; porcupine takes %v", len(u.journal.all), did, refusals, lost+lostDone, lostDone, time.Since(began).Round(time.Millisecond))
	u.t.Logf("%d revisions: %d lives began, %d renewals, %d burials, %d ended in order; rooms: %d placed, %d removed, %d taken, %d handed over, %d given up, %d kept",
		len(all), p.joins, p.renewals, p.burials, p.releases, p.placed, p.removed, p.taken, p.handed, p.given, p.kept)
	if result != porcupine.Ok {
		u.t.Errorf("what was written is in no order of time: %s", result)
	}
	if min(refusals, lost, lostDone, p.burials, p.releases, p.placed, p.removed, p.taken, p.handed) == 0 {
		u.t.Error("one of these is 0: the run proves nothing")
	}
}

// logHistory writes the history of a room to the test log.
func (u *troupe) logHistory(room string, all []written) {
	u.t.Helper()
	for _, a := range u.audible(room) {
		u.t.Logf("%s: heard of %s from %v to %v, fading: %v", room, a.player.name, a.from-time.Hour, a.to-time.Hour, a.fades)
	}
	for _, x := range all {
		if x.key == "room."+room && len(x.by) > 0 {
			u.t.Logf("%s: %d by %s at %v to %v (%d): %s", room, x.revision, x.by[0].who, x.by[0].called-time.Hour, x.by[0].answered-time.Hour, x.by[0].outcome, x.value)
		}
	}
}

// failServers makes one server after another fail.
func (u *troupe) failServers(ctx context.Context) {
	n := u.nats
	for i := 0; waits(ctx, 4*time.Second); i++ {
		leader := n.Leader("KV_" + cluster.Placement)
		if leader < 0 {
			continue
		}
		switch i % 4 {
		case 0:
			n.Kill(leader)
			waits(ctx, 3*time.Second)
			n.Start(leader)
		case 1:
			n.Stop((leader + 1) % 3)
			waits(ctx, 2*time.Second)
			n.Continue((leader + 1) % 3)
		case 2:
			n.Stop(leader)
			waits(ctx, 6*time.Second)
			n.Continue(leader)
		case 3:
			n.Term(leader)
			n.Start(leader)
		}
		n.Ready()
	}
}

// failNodes makes one node after another fail, in each of the given ways by turns.
func (u *troupe) failNodes(ctx context.Context, ways ...func(context.Context, *player)) {
	for i := u.draw(len(ways)); waits(ctx, time.Duration(200+u.draw(800))*time.Millisecond); {
		if p := u.take(); p != nil {
			ways[i%len(ways)](ctx, p)
			i++
			u.heal(ctx, p)
		}
	}
}

// slowThenCut delays answers, and cuts the connection right after a renewed lease.
func slowThenCut(ctx context.Context, p *player) {
	p.tap.set(trouble{slow: 1300 * time.Millisecond})
	waits(ctx, time.Second)
	for until := p.until(); p.until() == until && waits(ctx, time.Millisecond); {
	}
	p.tap.set(trouble{cut: true})
	waits(ctx, 6*time.Second)
}

// crash ends a node without a message; leave ends it in order.
func crash(_ context.Context, p *player) { p.crash() }
func leave(_ context.Context, p *player) { p.leave() }

// lossy loses some answers to the node.
func lossy(ctx context.Context, p *player) {
	p.tap.set(trouble{lossy: 0.4})
	waits(ctx, 3*time.Second)
}

// lateAndDrained drains a node while the updates it receives are old.
func lateAndDrained(ctx context.Context, p *player) {
	p.tap.set(trouble{late: 600 * time.Millisecond}) // a watch that is later than a renewal is started again
	waits(ctx, time.Second)
	drained(ctx, p)
}

// cut drops all messages for a while.
func cut(ctx context.Context, p *player) {
	p.tap.set(trouble{cut: true})
	waits(ctx, time.Duration(500+p.troupe.draw(5000))*time.Millisecond)
}

// disconnect closes the node's connection, which then reconnects.
func disconnect(ctx context.Context, p *player) {
	_ = p.conn.NC.ForceReconnect() // an error means that it is already closed
	waits(ctx, time.Second)
}

// drained drains the node for a while.
func drained(ctx context.Context, p *player) {
	operator := &tap{Bucket: p.tap.Bucket, journal: p.tap.journal, who: "operator", random: p.tap.random}
	for _, on := range []bool{true, false} {
		for end := time.Now().Add(40 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
			once, cancel := context.WithTimeout(p.troupe.t.Context(), 2*time.Second)
			err := placement.Drain(once, operator, p.name, on)
			cancel()
			if err == nil || on { // otherwise NATS is unreachable
				break
			}
		}
		if on {
			waits(ctx, 4*time.Second)
		}
	}
}

// heal ends the node's trouble, or starts a new node of the same name.
func (u *troupe) heal(ctx context.Context, p *player) {
	defer u.free(p.name)
	if !p.over {
		p.tap.set(trouble{})
		return
	}
	waits(ctx, time.Duration(u.draw(4000))*time.Millisecond)
	for end := time.Now().Add(40 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		next, err := u.join(u.t.Context(), p.name, u.draw(3), trouble{late: time.Second})
		if err != nil {
			continue
		}
		for range 3 { // rooms that it may not know yet
			once, cancel := context.WithTimeout(u.t.Context(), 500*time.Millisecond)
			_ = next.node.Place(once, fmt.Sprintf("r%02d", u.draw(20)), "sheet", "") // another node mostly plays it already
			cancel()
		}
		next.tap.set(trouble{})
		return
	}
	u.t.Errorf("%s does not come back", p.name)
}

// operate removes rooms, places them again, and sends them commands.
func (u *troupe) operate(ctx context.Context, rooms []string) {
	for waits(ctx, time.Duration(100+u.draw(400))*time.Millisecond) {
		room := rooms[u.draw(len(rooms))]
		switch u.draw(3) {
		case 0:
			u.remove(ctx, room)
			u.placeRoom(ctx, room)
		case 1:
			u.placeRoom(ctx, room)
		case 2:
			if p := u.pick(); p != nil {
				p.order()
			}
		}
	}
}
