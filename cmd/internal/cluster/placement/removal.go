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

// requestRemoval makes the goroutine of the hosted room remove the room, and waits for the answer. fade is the length
// of the fade-out. If the hosted room ends before it receives the request, received is false and err is nil. If ctx
// ends, received is true, err is the error of ctx, and the result is unknown.
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

// remove fades the room out, removes its record and state, closes the tenant and answers the request r. It returns true
// if the room was removed. If r.ctx ends before that is certain, the room becomes audible again as soon as it is
// certain that it still exists. Until then it stays silent, because another node may have placed it again.
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

// wasRemoved reads the record of the room and reports whether it has been removed from the bucket. If not, wasRemoved
// adopts the present record, or cancels the hosted room if another life owns the room. It returns false if the read
// fails.
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
