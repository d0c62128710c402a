package placement

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Elsewhere is the error for a room that another node plays.
type Elsewhere struct{ Room, Node, Address string }

// Error returns a message with the names of the room and the node.
func (e *Elsewhere) Error() string {
	return fmt.Sprintf("the room %s is placed already, and the node %s plays it", e.Room, e.Node)
}

// Place places a new room on this node, plays it, and returns when it is audible. room is the name of the room. sheet
// is the hash of its bundle, which is the sheet with its sounds; file is stored as RoomRecord.File. If another node
// plays a room of this name, the error is an *Elsewhere.
//
// If a room of this name without an owner exists, Place changes its sheet, and the room continues from its saved state.
// A room that this node plays already is not opened again.
//
// If the room cannot be opened, Place removes it again and returns the error of opening. After an error that is not a
// Refusal it first makes up to five attempts. Without a lease Place fails after 100 tries. If ctx ends, the room may be
// placed or not.
func (n *Node) Place(ctx context.Context, room, sheet, file string) error {
	o := &n.options
	n.addPlacing(room, 1)
	defer n.addPlacing(room, -1)
	tries := 0
	for range 100 {
		if n.lease.hasMargin() {
			placed, err := n.tryPlace(ctx, room, sheet, file)
			if temporary, is := errors.AsType[temporaryError](err); is {
				if tries++; tries == maxTries {
					return errors.Join(temporary.error, n.Remove(ctx, room, 0))
				}
				err = nil
			}
			if placed || err != nil {
				return err
			}
		}
		if !pause(ctx, o.Timing.Poll) {
			return ctx.Err()
		}
	}
	return errors.New("NATS does not accept the room: its record keeps changing, or this node has no lease")
}

// addPlacing adds d to the number of calls of Place under way for the room called room.
func (n *Node) addPlacing(room string, d int) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.placing[room] += d; n.placing[room] == 0 {
		delete(n.placing, room)
	}
}

// isPlacing reports whether a call of Place is under way for the room called room.
func (n *Node) isPlacing(room string) bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.placing[room] > 0
}

// maxTries is the number of attempts to open a new room if the error may be temporary.
const maxTries = 5

// temporaryError is an error of opening a room after which another attempt may succeed.
type temporaryError struct{ error }

// tryPlace is one attempt of Place, with the same parameters. If placed is false and err is nil, the record has changed
// in between, and the caller must try again.
//
// If the room cannot be opened and err is a temporaryError, the room stays placed, and a further attempt may succeed.
// After another error of opening, the room is removed again.
func (n *Node) tryPlace(ctx context.Context, room, sheet, file string) (placed bool, err error) {
	o, life := &n.options, n.lease.current()
	e, err := o.Bucket.Get(ctx, rooms+room)
	if err != nil && !errors.Is(err, ErrMissing) {
		return false, err
	}
	old, _ := decode[RoomRecord](e.Value)
	if err := n.checkFree(ctx, &old); err != nil {
		if errors.Is(err, ErrConflict) {
			err = nil // try again
		}
		return false, err
	}
	r := seenRoom{record: RoomRecord{Room: room, Sheet: sheet, File: file, Node: o.Name, Life: life, Epoch: old.Epoch + 1, Since: time.Now()}}
	if r.revision, err = o.Bucket.Put(ctx, rooms+room, encode(&r.record), e.Revision); err != nil {
		if errors.Is(err, ErrConflict) {
			err = nil // try again
		}
		return false, err
	}
	if e.Revision == 0 { // discard the state of an earlier room with this name
		if err := n.forget(ctx, room); err != nil {
			return false, errors.Join(err, n.Remove(ctx, room, 0))
		}
	}
	s := n.host(n.ctx, &r, (*hostedRoom).resume)
	if s == nil {
		s = n.hostedRoom(room) // the watch was faster
	}
	if s == nil {
		return false, nil
	}
	select {
	case <-s.opened:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if _, permanent := errors.AsType[Refusal](s.openErr); s.openErr != nil && !permanent {
		return false, temporaryError{s.openErr}
	}
	if s.openErr != nil {
		return false, errors.Join(s.openErr, n.Remove(ctx, room, 0))
	}
	return true, nil
}

// hostedRoom returns the room called room if this node has it open or is opening it. Otherwise it returns nil.
func (n *Node) hostedRoom(room string) *hostedRoom {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.hosted[room]
}

// Known reports whether the cluster has a room of the given name. The room may be on a node or wait for one. file is
// the File in the record of the room. Known reads the bucket, and err means that this has failed. An unknown room is
// not an error.
func (n *Node) Known(ctx context.Context, room string) (file string, known bool, err error) {
	e, err := n.options.Bucket.Get(ctx, rooms+room)
	if errors.Is(err, ErrMissing) {
		return "", false, nil
	}
	r, _ := decode[RoomRecord](e.Value)
	return r.File, err == nil, err
}

// Remove removes the room called room and its saved state from the cluster. If this node plays the room, it first fades
// the room out and closes it, so that it is silent before another node can place it. The parameter fade is the length
// of that fade. If another node plays the room, the error is an *Elsewhere. An unknown room is not an error. A failure
// to delete the saved state is ignored.
//
// After another error the room may be removed or not. If this node plays it, it becomes audible again as soon as it is
// certain that it still exists.
func (n *Node) Remove(ctx context.Context, room string, fade time.Duration) error {
	for range 100 {
		if s := n.playing(room); s != nil {
			if received, err := s.requestRemoval(ctx, fade); received {
				return err
			}
			continue
		}
		err := n.tryRemove(ctx, room)
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if !pause(ctx, n.options.Timing.Poll) {
			return ctx.Err()
		}
	}
	return ErrConflict
}

// playing returns the room called room if this node owns it and has it open or is opening it with its present lease.
// Otherwise it returns nil.
func (n *Node) playing(room string) *hostedRoom {
	life := n.lease.current()
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if s := n.hosted[room]; s != nil && s.life == life && s.record.Life == life {
		return s
	}
	return nil
}

// tryRemove is one attempt of Remove for a room that is not open on this node. room is its name. It deletes the record
// of the room and then its saved state. A failure to delete the state is ignored. An unknown room is not an error.
//
// If the error is ErrConflict, the caller must try again. If another node plays the room, the error is an *Elsewhere,
// and the room stays.
func (n *Node) tryRemove(ctx context.Context, room string) error {
	e, err := n.options.Bucket.Get(ctx, rooms+room)
	if errors.Is(err, ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	r, _ := decode[RoomRecord](e.Value)
	if err := n.checkFree(ctx, &r); err != nil {
		return err
	}
	if err := n.options.Bucket.Delete(ctx, rooms+room, e.Revision); err != nil {
		return err
	}
	n.noteRemoval(room, e.Revision)
	_ = n.forget(ctx, room) // on an error Place tries again for a new room of this name
	return nil
}

// checkFree returns nil if this node may take or remove the room with the stored record r: the room has no owner, its
// owner has ended, or this node is the owner. If another node plays the room, the error is an *Elsewhere. If that is
// not certain, it is ErrConflict. To make it certain, checkFree may write the record of the last owner again; see
// lifeEnded.
func (n *Node) checkFree(ctx context.Context, r *RoomRecord) error {
	if r.Life == n.lease.current() {
		return nil
	}
	if owner, alive := n.seen.alive(r.Life); alive {
		return &Elsewhere{r.Room, r.Node, owner.record.Address}
	}
	if !n.lifeEnded(ctx, r) { // this node's view is stale
		return ErrConflict
	}
	return nil
}

// noteRemoval records that the room called room was removed. The parameter revision is the revision of its last record.
// Without that, a late report of the watch could open the room again. A record with a higher revision is a new room of
// the same name.
func (n *Node) noteRemoval(room string, revision uint64) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.removed[room] = max(revision, n.removed[room])
}

// forget deletes the saved state of the room called room from the bucket. A missing state is not an error.
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
