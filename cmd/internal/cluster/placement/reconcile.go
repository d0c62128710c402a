package placement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"
)

// reconcile runs on its own goroutine until ctx ends. It periodically marks dead nodes as gone, takes rooms without an
// owner and rooms that are handed over to this node, and updates the node's state after requests to drain. It does so
// only if the view of the bucket is complete, or was complete and the watch is now late.
func (n *Node) reconcile(ctx context.Context) {
	orphans := map[string]time.Duration{} // rooms without an owner, and since when
	peeked := time.Duration(0)
	for pause(ctx, n.options.Timing.Poll) {
		deaf := n.lease.watchIsLate(4 * n.options.Timing.Poll)
		if now := n.options.Now(); deaf && now-peeked > n.options.Timing.Renew/2 {
			n.pollNodes(ctx)
			peeked = now
		}
		all, ever, complete := n.seen.nodesNow()
		if !complete && !(ever && deaf) {
			continue
		}
		for i := range all {
			n.fence(ctx, &all[i])
		}
		n.draining()
		if n.lease.hasMargin() {
			n.takeRooms(ctx, all, orphans)
		}
	}
}

// pollNodes reads the records of all known nodes into the view, and waits for the answers. It replaces the watch if the
// NATS server that leads JetStream has died: a new watch begins only after an election, which takes seconds, but reads
// are answered earlier.
func (n *Node) pollNodes(ctx context.Context) {
	all, _, _ := n.seen.nodesNow()
	var reads sync.WaitGroup
	for i := range all {
		reads.Go(func() {
			if e, err := n.lease.get(ctx, nodes+all[i].record.Node); err == nil {
				n.seen.mutex.Lock()
				defer n.seen.mutex.Unlock()
				n.seen.apply(&e)
			}
		})
	}
	reads.Wait()
}

// refresh reads the record of the room called room from the bucket into the view, for a view that is stale. A missing
// record removes the room from the view; other errors leave the view unchanged.
func (n *Node) refresh(ctx context.Context, room string) {
	e, err := n.lease.get(ctx, rooms+room)
	n.seen.mutex.Lock()
	defer n.seen.mutex.Unlock()
	switch {
	case err == nil:
		n.seen.apply(&e)
	case errors.Is(err, ErrMissing):
		delete(n.seen.rooms, room)
	}
}

// fence writes that the node s is gone, if the record of s has not changed for longer than a node may play without a
// renewal. Then that node cannot renew its lease. It deletes the record of a node that has been gone for longer than
// Timing.Forget. For this node's current life it has no effect. Errors are ignored; a later call tries again.
func (n *Node) fence(ctx context.Context, s *seenNode) {
	o := &n.options
	still := o.Now() - s.since
	if s.record.State == Gone && still > o.Timing.Forget {
		n.seen.touch(s.record.Node, o.Now())
		ctx, cancel := context.WithTimeout(ctx, o.Timing.Renew)
		defer cancel()
		_ = o.Bucket.Delete(ctx, nodes+s.record.Node, s.revision) // on an error it tries again later
		return
	}
	if s.record.State == Gone || s.record.Life == n.lease.current() || still <= o.Timing.Lease+o.Timing.Margin {
		return
	}
	n.seen.touch(s.record.Node, o.Now()) // limits the rate of attempts
	ctx, cancel := context.WithTimeout(ctx, o.Timing.Renew)
	defer cancel()
	s.record.State = Gone
	_, err := o.Bucket.Put(ctx, nodes+s.record.Node, encode(&s.record), s.revision)
	if s.record.Node == o.Name {
		n.mutex.Lock()
		if n.fencingErr = nil; err != nil && !errors.Is(err, ErrConflict) {
			n.fencingErr = fmt.Errorf("the record of the last run of this node cannot be ended: %w", err)
		}
		n.mutex.Unlock()
	}
	if err == nil {
		n.seen.mutex.Lock()
		n.seen.markDead(s.record.Life) // the watch may skip this revision
		n.seen.mutex.Unlock()
		o.Log("the node " + s.record.Node + " is gone")
	}
}

// touch sets seenNode.since, the time of the last change, of the node called name to now, on the clock of Options.Now.
// An unknown name is ignored.
func (v *view) touch(name string, now time.Duration) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if s, known := v.nodes[name]; known {
		s.since = now
		v.nodes[name] = s
	}
}

// takeRooms takes rooms without an owner, reopens rooms that this node owns, and prepares rooms that are handed over to
// this node, each on a new goroutine. all holds the known nodes. orphans holds, by room, the time since when a room has
// had no owner; takeRooms updates it. A node that is less preferred for a room waits longer before it takes the room.
func (n *Node) takeRooms(ctx context.Context, all []seenNode, orphans map[string]time.Duration) {
	o, life := &n.options, n.lease.current()
	load := map[string]int{}
	list := n.seen.roomsNow()
	for i := range list {
		load[list[i].record.Life]++
	}
	there := map[string]bool{}
	for i := range list {
		r := &list[i].record
		there[r.Room] = true
		_, alive := n.seen.alive(r.Life)
		switch {
		case r.Life == life: // it is open, or an answer was lost
			delete(orphans, r.Room)
			n.host(ctx, &list[i], (*hostedRoom).reclaim)
		case alive && r.Next != life:
			delete(orphans, r.Room)
		case alive: // handed over to this node
			delete(orphans, r.Room)
			n.host(ctx, &list[i], (*hostedRoom).prepare)
		default:
			since, known := orphans[r.Room]
			if !known {
				since = o.Now()
				orphans[r.Room] = since
			}
			rank := slices.Index(n.candidates(r, all, load), life)
			wait := time.Duration(rank) * o.Timing.Queue
			if r.Life != "" && !n.seen.gone(r.Life) { // its record may still arrive
				wait += o.Timing.Lease + o.Timing.Margin
			}
			if rank >= 0 && o.Now()-since >= wait && !n.backsOff(r.Room) {
				n.host(ctx, &list[i], (*hostedRoom).takeOver)
			}
		}
	}
	for room := range orphans {
		if !there[room] {
			delete(orphans, room)
		}
	}
}

// lifeEnded reports whether the run of a node (life) that last played the room of record r has certainly ended. If the
// view does not show that end, lifeEnded rewrites the stored record of the node; success proves that the old run cannot
// write again. If the bucket cannot be read, it returns false.
func (n *Node) lifeEnded(ctx context.Context, r *RoomRecord) bool {
	if r.Life == "" || n.seen.gone(r.Life) {
		return true
	}
	e, err := n.lease.get(ctx, nodes+r.Node)
	last, _ := decode[NodeRecord](e.Value)
	switch {
	case errors.Is(err, ErrMissing):
		last = NodeRecord{Node: r.Node, Life: r.Life, State: Gone}
	case err != nil || last.Life == r.Life && last.State != Gone:
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, n.options.Timing.Renew)
	defer cancel()
	_, err = n.options.Bucket.Put(ctx, nodes+r.Node, encode(&last), e.Revision)
	return err == nil
}

// backsOff reports whether this node still waits, after a failed attempt, before it tries to open the room called room
// again.
func (n *Node) backsOff(room string) bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.options.Now() < n.failures[room].retryAt
}

// failure is the number of failed attempts to open a room, and the time of the next attempt.
type failure struct {
	count   int
	retryAt time.Duration
}

// recordFailure records a failed attempt to open the room called room, now. The wait before the next attempt, which
// backsOff reports, doubles with each failure, from Timing.Queue up to 30 s.
func (n *Node) recordFailure(room string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	f := n.failures[room]
	f.count++
	f.retryAt = n.options.Now() + min(n.options.Timing.Queue<<min(f.count-1, 10), maxRetryDelay)
	n.failures[room] = f
}

// maxRetryDelay is the longest wait after a failed attempt to open a room.
const maxRetryDelay = 30 * time.Second

// candidates returns the lives of the nodes that may take the room of record r, the preferred first. all holds the
// known nodes; a candidate is up, has renewed lately, has not refused the room and plays fewer rooms than it may. load
// has the number of rooms by life. It uses rendezvous hashing (Thaler and Ravishankar, 1998), so that the rooms of a
// lost node are spread evenly and two nodes do not compete for one room.
func (n *Node) candidates(r *RoomRecord, all []seenNode, load map[string]int) (lives []string) {
	o := &n.options
	type one struct {
		life   string
		weight uint64
	}
	var list []one
	for i := range all {
		s := &all[i].record
		_, refused := r.Refused[s.Life]
		if s.State == Up && !refused && load[s.Life] < s.MaxRooms && o.Now()-all[i].since <= o.Timing.Lease {
			h := fnv.New64a()
			h.Write([]byte(r.Room + "\x00" + s.Node))
			list = append(list, one{s.Life, mixHash(h.Sum64())})
		}
	}
	slices.SortFunc(list, func(x, y one) int { return cmp.Or(cmp.Compare(y.weight, x.weight), cmp.Compare(x.life, y.life)) })
	for _, x := range list {
		lives = append(lives, x.life)
	}
	return lives
}

// mixHash returns x with its bits spread over all 64 bits, by the finalizer of SplitMix64 (Steele, Lea and Flood,
// 2014). Different x give different results.
func mixHash(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// host adds a hosted room for the record r and calls run with it on a new goroutine; its context ends with ctx. When
// run returns, the room is closed and removed. host returns nil if the room is already hosted here or was removed, or
// if the node is closed.
func (n *Node) host(ctx context.Context, r *seenRoom, run func(*hostedRoom, context.Context)) *hostedRoom {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.closed || n.hosted[r.record.Room] != nil || r.revision <= n.removed[r.record.Room] {
		return nil
	}
	s := &hostedRoom{node: n, life: n.lease.current(), record: r.record, revision: r.revision, opened: make(chan struct{}), removed: make(chan struct{}), removals: make(chan *removal)}
	ctx, s.cancel = context.WithCancel(ctx)
	n.hosted[r.record.Room] = s
	n.group.Go(func() {
		defer s.end()
		run(s, ctx)
	})
	return s
}

// hostsOldRooms reports whether rooms that this node took with an earlier lease are not yet closed.
func (n *Node) hostsOldRooms() bool {
	life := n.lease.current()
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for _, s := range n.hosted {
		if s.life != life {
			return true
		}
	}
	return false
}

// closeHosted makes all rooms on this node close, because its lease is lost: it cancels their contexts and does not
// wait. The caller must not hold the mutex of n.
func (n *Node) closeHosted() {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for _, s := range n.hosted {
		s.cancel()
	}
}
