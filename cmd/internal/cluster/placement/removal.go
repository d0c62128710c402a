package placement

import (
	"context"
	"errors"
	"time"
)

// removal is a request to the goroutine of a hosted room to remove the room from the cluster.
type removal struct {
	ctx    context.Context // of the caller
	fade   time.Duration
	answer chan error // has capacity 1
}

// requestRemoval makes the goroutine of a room on this node remove the room from the cluster, and waits for that. The
// parameter fade is the length of the fade-out before. If the room has ended before it received the request, received
// is false and err is nil. If ctx ends, received is true and err is the error of ctx. The room may then be removed or
// not.
func (s *hostedRoom) requestRemoval(ctx context.Context, fade time.Duration) (received bool, err error) {
	r := &removal{ctx, fade, make(chan error, 1)}
	select {
	case s.removals <- r:
	case <-s.removed:
		return false, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
	select {
	case err := <-r.answer:
		return true, err
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// remove carries out the request r to remove the room. It fades the room out, deletes its record and its saved state,
// closes the tenant, which is the open room, and answers the request. The result is true if the room was removed.
//
// If r.ctx ends before the result is certain, the room stays silent at first, because another node may have placed it
// again. It becomes audible again as soon as it is certain that it still exists. If the parameter ctx ends, its error
// is the answer, and the result is false. A failure to delete the saved state is ignored.
func (s *hostedRoom) remove(ctx context.Context, r *removal) (gone bool) {
	n, key := s.node, rooms+s.record.Room
	s.tenant.Leave(r.fade)
	pause(ctx, r.fade)
	for ctx.Err() == nil {
		var err error
		if r.ctx.Err() == nil {
			once, cancel := context.WithTimeout(r.ctx, n.options.Timing.Lease)
			err = n.options.Bucket.Delete(once, key, s.revision)
			cancel()
			gone = err == nil
		} else if done, sure := s.write(ctx, s.record); done { // the caller has given up, and a successful write excludes a removal
			s.tenant.Enter(Fade)
			return false
		} else if sure {
			err = ErrConflict
		}
		if errors.Is(err, ErrConflict) {
			gone = s.wasRemoved(ctx)
		}
		if gone {
			n.noteRemoval(s.record.Room, s.revision)
			_ = n.forget(ctx, s.record.Room) // on an error Place tries again for a new room of this name
			s.tenant.Close()
			r.answer <- nil
			return true
		}
		pause(ctx, n.options.Timing.Poll)
	}
	r.answer <- ctx.Err()
	return false
}

// wasRemoved reads the record of the room from the bucket, and returns true if the record does not exist. Otherwise it
// returns false. If this node still owns the room, wasRemoved adopts a newer record. If another owner has the room, it
// cancels s. If the read fails, the result is false, too.
func (s *hostedRoom) wasRemoved(ctx context.Context) bool {
	e, err := s.node.lease.get(ctx, rooms+s.record.Room)
	if err != nil {
		return errors.Is(err, ErrMissing)
	}
	switch r, _ := decode[RoomRecord](e.Value); {
	case r.Life != s.life && e.Revision > s.revision:
		s.cancel()
	case e.Revision > s.revision: // a write whose answer was lost
		s.node.mutex.Lock()
		s.record, s.revision = r, e.Revision
		s.node.mutex.Unlock()
	}
	return false
}
