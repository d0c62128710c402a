package placement

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Elsewhere says that another node plays a room.
type Elsewhere struct{ Room, Node, Address string }

// Error says so.
func (e *Elsewhere) Error() string {
	return fmt.Sprintf("the room %s is placed already, and the node %s plays it", e.Room, e.Node)
}

// Place has this node play a room of a sheet that nobody plays yet, and returns when it is heard. The error
// is an *Elsewhere, or that of its opening: then the room is not placed.
func (n *Node) Place(ctx context.Context, room, sheet, file string) error {
	o := &n.options
	for range 100 {
		if n.lease.holds() {
			placed, err := n.place(ctx, room, sheet, file)
			if placed || err != nil {
				return err
			}
		}
		if !pause(ctx, o.Timing.Look) {
			return ctx.Err()
		}
	}
	return errors.New("NATS does not take the room: its record changes all the time, or this node has no lease")
}

// place is one try of Place.
func (n *Node) place(ctx context.Context, room, sheet, file string) (placed bool, err error) {
	o, life := &n.options, n.lease.current()
	e, err := o.Bucket.Get(ctx, rooms+room)
	if err != nil && !errors.Is(err, ErrMissing) {
		return false, err
	}
	old, _ := decode[RoomRecord](e.Value)
	if owner, alive := n.seen.alive(old.Life); alive && old.Life != life {
		return false, &Elsewhere{room, old.Node, owner.record.Address}
	}
	r := seenRoom{record: RoomRecord{Room: room, Sheet: sheet, File: file, Node: o.Name, Life: life, Epoch: old.Epoch + 1, Since: time.Now()}}
	if r.revision, err = o.Bucket.Put(ctx, rooms+room, encode(&r.record), e.Revision); err != nil {
		if errors.Is(err, ErrConflict) {
			err = nil // another look
		}
		return false, err
	}
	if e.Revision == 0 { // how another room of this name stood is none of its business
		if err := n.forget(ctx, room); err != nil {
			return false, errors.Join(err, n.Remove(ctx, room))
		}
	}
	s := n.sit(n.life, &r, (*seat).resume)
	if s == nil {
		s = n.seat(room) // the watch was faster
	}
	if s == nil {
		return false, nil
	}
	select {
	case <-s.opened:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if s.failed != nil {
		return false, errors.Join(s.failed, n.Remove(ctx, room))
	}
	return true, nil
}

// seat returns that of a room; nil: it is not here.
func (n *Node) seat(room string) *seat {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.seats[room]
}

// Known reports whether a room is placed, and the File that it was placed with.
func (n *Node) Known(ctx context.Context, room string) (file string, known bool, err error) {
	e, err := n.options.Bucket.Get(ctx, rooms+room)
	if errors.Is(err, ErrMissing) {
		return "", false, nil
	}
	r, _ := decode[RoomRecord](e.Value)
	return r.File, err == nil, err
}

// Remove ends the placing of a room that this node plays, or that nobody does: it and how it stood are
// forgotten. What is open here plays on until it is closed.
func (n *Node) Remove(ctx context.Context, room string) error {
	o := &n.options
	for range 100 {
		e, err := o.Bucket.Get(ctx, rooms+room)
		if errors.Is(err, ErrMissing) {
			return nil
		}
		if err == nil {
			r, _ := decode[RoomRecord](e.Value)
			if owner, alive := n.seen.alive(r.Life); alive && r.Life != n.lease.current() {
				return &Elsewhere{room, r.Node, owner.record.Address}
			}
			err = o.Bucket.Delete(ctx, rooms+room, e.Revision)
		}
		if err == nil {
			n.mutex.Lock()
			n.removed[room] = e.Revision
			if s := n.seats[room]; s != nil {
				n.removed[room] = max(e.Revision, s.revision)
			}
			n.mutex.Unlock()
			return n.forget(ctx, room)
		}
		if !errors.Is(err, ErrConflict) || !pause(ctx, o.Timing.Look) {
			return err
		}
	}
	return ErrConflict
}

// forget removes how a room stood.
func (n *Node) forget(ctx context.Context, room string) error {
	e, err := n.options.Bucket.Get(ctx, states+room)
	if err == nil {
		err = n.options.Bucket.Delete(ctx, states+room, e.Revision)
	}
	if errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}
