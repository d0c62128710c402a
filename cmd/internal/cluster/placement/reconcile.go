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

// reconcile is the goroutine of a node that compares the cluster with its duties, until ctx ends. It periodically marks
// dead nodes as gone, takes rooms without an owner, prepares rooms that are handed over to this node, and checks for
// requests to drain. It waits until the watch has reported the whole bucket. If the watch is late afterwards, it
// continues and reads the records of the nodes directly.
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

// pollNodes reads the records of all known nodes from the bucket into n.seen, this node's copy, and waits for the
// answers. It helps while the watch is silent: if the NATS server that leads JetStream has died, a new watch takes
// seconds, but reads are answered earlier. Failed reads are ignored.
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

// refresh reads the record of a room from the bucket into n.seen, this node's copy, because the copy is stale. room is
// the name of the room. A missing record removes the room from the copy. Another error changes no record.
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

// fence marks another node as gone, so that its rooms can be taken. It does so if the record s of that node has not
// changed for longer than a node may play without a renewal. After that, the node cannot renew its lease.
//
// If a node has been gone for longer than Timing.Forget, fence deletes its record. Each attempt sets the time of the
// last change to now, which delays the next one. fence has no effect on this node's present run. Errors are ignored,
// because a later call tries again.
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

// touch sets the time of the last change of the node called name to now, by the clock of Options.Now. If the node is
// unknown, it has no effect.
func (v *view) touch(name string, now time.Duration) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if s, known := v.nodes[name]; known {
		s.since = now
		v.nodes[name] = s
	}
}

// takeRooms starts a goroutine for each room that this node should host now. These are rooms without an owner, rooms
// that this node owns but has not opened, and rooms that are handed over to it. all holds the known nodes.
//
// orphans holds the time since when a room has no owner, by its name; takeRooms updates it. Each room prefers some
// nodes to others, and a less preferred node waits longer before it takes the room.
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

// lifeEnded reports whether the last owner of a room has certainly lost the right to play it. r is the record of the
// room. The owner is one run of a node. If this node has not seen the end of that run, lifeEnded reads the stored
// record of that node. If the record still shows the run as alive, the result is false. Otherwise lifeEnded writes the
// record again, or a record marked as gone if it is missing. If that succeeds, the old run cannot renew its lease. If
// the bucket cannot be read or written, the result is false. A room without an owner gives true.
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

// backsOff reports whether this node must not yet try again to open the room called room. A failed attempt is followed
// by a wait.
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

// recordFailure records that an attempt to open the room called room has failed now. The wait before the next attempt,
// which backsOff reports, doubles with each failure. It grows from Timing.Queue to 30 s.
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

// candidates returns the nodes that may take a room, the preferred one first, as the ids of their present runs. r is
// the record of the room, all has the known nodes, and load has the number of rooms by id. A candidate is up, has
// renewed its lease lately, has not refused the room and plays fewer rooms than it may.
//
// The order is by rendezvous hashing (Thaler and Ravishankar, 1998). It spreads the rooms of a lost node evenly, and
// all nodes agree on it.
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

// mixHash spreads the bits of x over all 64 bits of the result, by the finalizer of SplitMix64 (Steele, Lea and Flood,
// 2014). Different x give different results.
func mixHash(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// host starts to host the room of the record r on this node: it calls the function run on a new goroutine, with a
// context that ends with ctx. When run returns, the room is closed and removed from the node. If the room is hosted
// here already, if it was removed, or if the node is closed, the result is nil.
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

// hostsOldRooms reports whether this node has rooms that it took with an earlier lease and that are not closed yet.
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

// closeHosted makes all rooms on this node close, because the node has lost its lease. It cancels their contexts and
// does not wait. The caller must not hold n.mutex.
func (n *Node) closeHosted() {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for _, s := range n.hosted {
		s.cancel()
	}
}
