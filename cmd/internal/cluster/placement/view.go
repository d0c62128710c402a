package placement

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// view is what a node has seen of the bucket.
type view struct {
	now func() time.Duration

	mutex  sync.Mutex
	nodes  map[string]seenNode // by name
	rooms  map[string]seenRoom
	drains map[string]string // lives that are to give their rooms away, by the node's name
	fresh  map[string]bool   // keys that are there, while a watch begins; nil: none does
	all    bool              // all that was there has been seen
}

// seenNode is a node, and since when its record stands still.
type seenNode struct {
	record   NodeRecord
	revision uint64
	since    time.Duration
}

type seenRoom struct {
	record   RoomRecord
	revision uint64
	since    time.Duration
}

// begin says that a watch begins: what it does not tell of is not there any more.
func (v *view) begin() {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.fresh = map[string]bool{}
	if v.nodes == nil {
		v.nodes, v.rooms, v.drains = map[string]seenNode{}, map[string]seenRoom{}, map[string]string{}
	}
}

// take takes what a watch tells.
func (v *view) take(e *Entry) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if e.Key == "" {
		v.settle()
		return
	}
	if v.fresh != nil && !e.Deleted {
		v.fresh[e.Key] = true
	}
	if name, is := named(e.Key, nodes); is {
		r, ok := decode[NodeRecord](e.Value)
		if e.Deleted || !ok {
			delete(v.nodes, name)
		} else if e.Revision > v.nodes[name].revision { // else it is told again, and stands still
			v.nodes[name] = seenNode{r, e.Revision, v.now()}
		}
	}
	if name, is := named(e.Key, rooms); is {
		r, ok := decode[RoomRecord](e.Value)
		if e.Deleted || !ok {
			delete(v.rooms, name)
		} else if e.Revision > v.rooms[name].revision {
			v.rooms[name] = seenRoom{r, e.Revision, v.now()}
		}
	}
	if name, is := named(e.Key, drains); is {
		if v.drains[name] = string(e.Value); e.Deleted {
			delete(v.drains, name)
		}
	}
}

// settle forgets what is not there any more. The mutex is held.
func (v *view) settle() {
	maps.DeleteFunc(v.nodes, func(name string, _ seenNode) bool { return !v.fresh[nodes+name] })
	maps.DeleteFunc(v.rooms, func(name string, _ seenRoom) bool { return !v.fresh[rooms+name] })
	maps.DeleteFunc(v.drains, func(name, _ string) bool { return !v.fresh[drains+name] })
	v.fresh, v.all = nil, true
}

// room returns a room.
func (v *view) room(name string) (seenRoom, bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	r, known := v.rooms[name]
	return r, known
}

// alive returns the node of a life that may go on, as far as is known.
func (v *view) alive(life string) (seenNode, bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.living(life)
}

// living is alive. The mutex is held.
func (v *view) living(life string) (seenNode, bool) {
	for _, n := range v.nodes {
		if n.record.Life == life && n.record.Stand != Gone {
			return n, true
		}
	}
	return seenNode{}, false
}

// nodesNow returns the nodes, by their names, and whether all have been seen.
func (v *view) nodesNow() (all []seenNode, complete bool) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	for _, name := range slices.Sorted(maps.Keys(v.nodes)) {
		all = append(all, v.nodes[name])
	}
	return all, v.all
}

// roomsNow returns the rooms, by their names.
func (v *view) roomsNow() (all []seenRoom) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	for _, name := range slices.Sorted(maps.Keys(v.rooms)) {
		all = append(all, v.rooms[name])
	}
	return all
}

// watch keeps the view up to date until ctx ends.
func (n *Node) watch(ctx context.Context) {
	for ctx.Err() == nil {
		n.watchOnce(ctx)
		if !pause(ctx, n.options.Timing.Renew) {
			return
		}
	}
}

// watchOnce watches until that ends, or does not tell of this node's own renewals any more.
func (n *Node) watchOnce(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n.group.Go(func() {
		for pause(ctx, n.options.Timing.Lease) {
			if n.lease.unseen(&n.seen) {
				cancel()
			}
		}
	})
	n.seen.begin()
	_ = n.options.Bucket.Watch(ctx, func(e Entry) { // it is begun anew
		n.seen.take(&e)
		if e.Key == nodes+n.options.Name {
			n.lease.seen(&e)
		}
	})
}

// unseen reports whether a renewal was answered long ago that no watch has told of.
func (l *lease) unseen(v *view) bool {
	v.mutex.Lock()
	seen := v.nodes[l.node.options.Name].revision
	v.mutex.Unlock()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.revision > seen && time.Since(l.answered) > l.node.options.Timing.Renew/2 || l.revision != 0 && seen == 0
}
