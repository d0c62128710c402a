package placement

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// view is a node's copy of the bucket, without room states, as last reported by a watch. It may be stale. A life is one
// run of a node with a lease. Safe for concurrent use.
type view struct {
	now func() time.Duration

	mutex       sync.Mutex
	nodes       map[string]seenNode // by name
	rooms       map[string]seenRoom
	drains      map[string]string // by node: the life that must give its rooms away
	snapshot    map[string]Entry  // entries of a watch that is starting; nil: no watch is starting
	dead        map[string]bool   // lives that have ended permanently
	maxRevision uint64            // highest revision
	complete    bool              // the whole bucket has been seen once
}

// seenNode is the record of a node, its revision, and the time of its last change by Options.Now.
type seenNode struct {
	record   NodeRecord
	revision uint64
	since    time.Duration
}

// seenRoom is the record of a room, its revision, and the time of its last change by Options.Now.
type seenRoom struct {
	record   RoomRecord
	revision uint64
	since    time.Duration
}

// beginSnapshot prepares the view, this node's copy of the bucket, for a new watch. A watch first reports the whole
// bucket. A key that it does not report was deleted, and finishSnapshot removes it from the view.
func (v *view) beginSnapshot() {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.snapshot = map[string]Entry{}
	if v.nodes == nil {
		v.clear()
	}
}

// clear empties the view, this node's copy of the bucket: it removes all rooms, nodes, requests to drain and ended
// runs. The caller holds v.mutex.
func (v *view) clear() {
	v.nodes, v.rooms, v.drains, v.maxRevision = map[string]seenNode{}, map[string]seenRoom{}, map[string]string{}, 0
	v.dead = map[string]bool{}
}

// observe changes the view, this node's copy of the bucket, by an entry that the watch has reported. e is that entry.
// An entry without a key means that the watch has reported the whole bucket. Call it only after beginSnapshot.
func (v *view) observe(e *Entry) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if e.Key == "" {
		v.finishSnapshot()
		return
	}
	if v.snapshot != nil {
		v.snapshot[e.Key] = *e
	}
	v.apply(e)
}

// apply changes the view, this node's copy of the bucket, by e, one entry of the bucket. A record that is deleted or
// unreadable is removed from the view, whatever its revision. A record of a room or a node is ignored unless its
// revision is newer than the known one. If the record shows that a run of a node has ended, that run is marked as dead.
// The caller holds v.mutex.
func (v *view) apply(e *Entry) {
	v.maxRevision = max(v.maxRevision, e.Revision)
	if name, is := cutPrefix(e.Key, nodes); is {
		r, ok := decode[NodeRecord](e.Value)
		if e.Deleted || !ok {
			delete(v.nodes, name)
		} else if old := v.nodes[name]; e.Revision > old.revision { // otherwise it is a repetition, and the record has not changed
			v.nodes[name] = seenNode{r, e.Revision, v.now()}
			if old.record.Life != r.Life {
				v.markDead(old.record.Life)
			}
			if r.State == Gone {
				v.markDead(r.Life)
			}
		}
	}
	if name, is := cutPrefix(e.Key, rooms); is {
		r, ok := decode[RoomRecord](e.Value)
		if e.Deleted || !ok {
			delete(v.rooms, name)
		} else if e.Revision > v.rooms[name].revision {
			v.rooms[name] = seenRoom{r, e.Revision, v.now()}
		}
	}
	if name, is := cutPrefix(e.Key, drains); is {
		if v.drains[name] = string(e.Value); e.Deleted {
			delete(v.drains, name)
		}
	}
}

// finishSnapshot ends the first phase of a watch: the watch has now reported the whole bucket. Keys that were not
// reported have been deleted, so they are removed from the view. If the bucket has lost data, finishSnapshot builds the
// view again from the report alone. Afterwards snapshotComplete returns true. The caller holds v.mutex.
func (v *view) finishSnapshot() {
	top := uint64(0)
	for _, e := range v.snapshot {
		top = max(top, e.Revision)
	}
	if top < v.maxRevision { // a new bucket: NATS has lost its data or its last writes
		v.clear()
		for _, e := range v.snapshot {
			v.apply(&e)
		}
	}
	there := func(key string) bool { e, is := v.snapshot[key]; return is && !e.Deleted }
	maps.DeleteFunc(v.nodes, func(name string, _ seenNode) bool { return !there(nodes + name) })
	maps.DeleteFunc(v.rooms, func(name string, _ seenRoom) bool { return !there(rooms + name) })
	maps.DeleteFunc(v.drains, func(name, _ string) bool { return !there(drains + name) })
	v.snapshot, v.complete = nil, true
}

// room returns the record of the room called name, as the watch has last reported it. If the room is unknown, the bool
// is false. The record may be stale.
func (v *view) room(name string) (seenRoom, bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	r, known := v.rooms[name]
	return r, known
}

// snapshotComplete reports whether the present watch on the bucket has reported all of its entries once. Before the
// first watch the result is true, too.
func (v *view) snapshotComplete() bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.snapshot == nil
}

// maxDead limits the number of remembered ended lives. A forgotten one is looked up again.
const maxDead = 10_000

// markDead records that a run of a node has ended for good. life is the random id of that run. At most 10,000 ended
// runs are recorded; if that number is reached, all of them are removed first. The caller holds v.mutex.
func (v *view) markDead(life string) {
	if len(v.dead) >= maxDead {
		clear(v.dead)
	}
	v.dead[life] = true
}

// gone reports whether a run of a node is known to have ended for good. life is the random id of that run. If the
// result is false, the node is running or its state is unknown.
func (v *view) gone(life string) bool {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.dead[life]
}

// alive returns the node with a given run. life is the random id of that run. If no node has this run now, or if the
// node is marked as gone, the bool is false. A node that has died a moment ago may still count as alive.
func (v *view) alive(life string) (seenNode, bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.aliveLocked(life)
}

// aliveLocked returns the node whose present run has the id life. If no node has that run now, or if the node is marked
// as gone, the bool is false. The caller holds v.mutex.
func (v *view) aliveLocked(life string) (seenNode, bool) {
	for _, n := range v.nodes {
		if n.record.Life == life && n.record.State != Gone {
			return n, true
		}
	}
	return seenNode{}, false
}

// nodesNow returns the records of all nodes as last reported, sorted by name. Nodes that are marked as gone are
// included. complete is true if the present watch has reported the whole bucket; ever is true if any watch has.
func (v *view) nodesNow() (all []seenNode, ever, complete bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	for _, name := range slices.Sorted(maps.Keys(v.nodes)) {
		all = append(all, v.nodes[name])
	}
	return all, v.complete, v.complete && v.snapshot == nil
}

// roomsNow returns the records of all rooms as last reported by the watch, sorted by name.
func (v *view) roomsNow() (all []seenRoom) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	for _, name := range slices.Sorted(maps.Keys(v.rooms)) {
		all = append(all, v.rooms[name])
	}
	return all
}

// watch keeps this node's copy of the bucket up to date until ctx ends. If the watch on the bucket fails, it starts a
// new one after a short pause. It runs on its own goroutine.
func (n *Node) watch(ctx context.Context) {
	patience := n.options.Timing.Poll
	for ctx.Err() == nil {
		// A watch abandoned by a NATS server is restarted soon; a slow one gets more time.
		patience = min(2*max(patience, 4*n.options.Timing.Poll), n.options.Timing.Lease)
		if n.watchOnce(ctx, patience) {
			patience = n.options.Timing.Poll
		}
		if !pause(ctx, 2*n.options.Timing.Poll) {
			return
		}
	}
}

// watchOnce runs one watch on the bucket and passes the changes to n.seen, this node's copy. It returns when the watch
// fails. It also ends a watch that does not report this node's own renewals within the time patience. The failure is
// recorded for WatchError.
//
// complete is true if the watch has reported the whole bucket and then at least one change of this node's record.
func (n *Node) watchOnce(ctx context.Context, patience time.Duration) (complete bool) {
	n.seen.beginSnapshot()
	watchCtx := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	n.group.Go(func() {
		for began := time.Now(); pause(ctx, n.options.Timing.Poll); {
			if time.Since(began) > patience && n.lease.watchIsLate(patience) {
				cancel(errWatchSilent)
			}
		}
	})
	err := n.options.Bucket.Watch(ctx, func(e Entry) {
		if n.seen.observe(&e); e.Key == "" {
			n.watchState.recordSuccess(n.options.Log)
		}
		if e.Key == nodes+n.options.Name {
			complete = complete || n.seen.snapshotComplete()
			n.lease.recordReport(&e)
		}
	})
	if watchCtx.Err() == nil { // it will be restarted
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		n.watchState.recordFailure(n.options.Log, err)
	}
	return complete
}
