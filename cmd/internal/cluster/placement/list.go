package placement

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"voicepool/internal/words"
)

// ListedRoom is a room as listed by `voicepool rooms`.
type ListedRoom struct {
	Room     string    `json:"room"`
	Node     string    `json:"node"` // the current or last owner; empty: no owner
	Address  string    `json:"address"`
	State    string    `json:"state"` // playing, moving or nobody
	Epoch    int64     `json:"epoch"` // number of times the room was taken
	Revision uint64    `json:"revision"`
	Since    time.Time `json:"since"`
	Why      string    `json:"why,omitempty"` // why a node cannot play it
}

// Member is a node as listed by `voicepool rooms`.
type Member struct {
	Node     string `json:"node"`
	Address  string `json:"address"`
	State    string `json:"state"` // up, draining or gone
	Rooms    int    `json:"rooms"`
	MaxRooms int    `json:"most"`
}

// List returns all rooms and all nodes of the cluster, each sorted by name, as recorded in the bucket b. A node whose
// record is older than the duration stale counts as gone. The age is measured from the time of this machine, or from
// the newest entry of the bucket if that is later. If the bucket cannot be read completely, the result is an error.
func List(ctx context.Context, b Bucket, stale time.Duration) (list []ListedRoom, members []Member, err error) {
	v := view{now: func() time.Duration { return 0 }}
	v.beginSnapshot()
	created, newest := map[string]time.Time{}, time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = b.Watch(ctx, func(e Entry) {
		if created[e.Key] = e.Created; e.Created.After(newest) {
			newest = e.Created
		}
		if v.observe(&e); e.Key == "" {
			cancel()
		}
	})
	if !v.complete {
		return nil, nil, cmp.Or(err, context.Cause(ctx))
	}
	up := map[string]int{} // index in members by life
	for _, name := range slices.Sorted(maps.Keys(v.nodes)) {
		r := v.nodes[name].record
		m := Member{Node: name, Address: r.Address, State: r.State.String(), MaxRooms: r.MaxRooms}
		if newest.Sub(created[nodes+name]) > stale {
			m.State = Gone.String()
		}
		if m.State != Gone.String() {
			up[r.Life] = len(members)
		}
		members = append(members, m)
	}
	for _, name := range slices.Sorted(maps.Keys(v.rooms)) {
		r := v.rooms[name]
		p := ListedRoom{Room: name, Node: r.record.Node, State: "playing", Epoch: r.record.Epoch, Revision: r.revision, Since: r.record.Since}
		if m, plays := up[r.record.Life]; plays {
			members[m].Rooms++
			p.Address = members[m].Address
			if r.record.Next != "" {
				p.State = "moving"
			}
		} else {
			p.State, p.Why = "nobody", r.record.why()
		}
		list = append(list, p)
	}
	return list, members, nil
}

// Drain requests that a node gives its rooms to other nodes, if on is true. Otherwise it withdraws such a request. node
// is the name of the node. Drain only writes the request and does not wait for the node. If the node is restarted or
// loses its lease, the request ends. An unknown node is an error.
func Drain(ctx context.Context, b Bucket, node string, on bool) error {
	e, err := b.Get(ctx, nodes+node)
	if errors.Is(err, ErrMissing) {
		return fmt.Errorf("unknown node %s", words.OneLine(node))
	}
	if err != nil {
		return err
	}
	r, _ := decode[NodeRecord](e.Value)
	old, err := b.Get(ctx, drains+node)
	switch {
	case err != nil && !errors.Is(err, ErrMissing):
		return err
	case on && string(old.Value) == r.Life, !on && err != nil:
		return nil
	case on:
		_, err = b.Put(ctx, drains+node, []byte(r.Life), old.Revision)
		return err
	}
	return b.Delete(ctx, drains+node, old.Revision)
}

// Sheets returns the hashes of the bundles of all rooms; a bundle is a sheet with its sounds. The order is arbitrary,
// and a hash may occur twice. If the bucket b cannot be read, the result is an error. If a record in it cannot be read,
// the result is an error beside the other hashes.
func Sheets(ctx context.Context, b Bucket) ([]string, error) {
	sheets, all := map[string]string{}, false
	var wrong error
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err := b.Watch(ctx, func(e Entry) {
		name, is := cutPrefix(e.Key, rooms)
		r, read := decode[RoomRecord](e.Value)
		switch {
		case e.Key == "":
			all = true
			cancel()
		case !is:
		case e.Deleted:
			delete(sheets, name)
		case !read:
			wrong = fmt.Errorf("the record of the room %s cannot be read", words.OneLine(name))
		default:
			sheets[name] = r.Sheet
		}
	})
	if !all {
		return nil, cmp.Or(err, context.Cause(ctx))
	}
	return slices.Collect(maps.Values(sheets)), wrong
}
