package placement

import (
	"context"
	"errors"
	"time"
)

// removal is a request to a hosted room to remove itself.
type removal struct {
	ctx    context.Context // of the caller
	fade   time.Duration
	answer chan error // has capacity 1
}

// requestRemoval requests that the goroutine of the hosted room removes the room, and waits for the answer. fade is
// the length of the fade-out. received is false if the hosted room ended before it received the request; err is then
// nil.
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

// remove fades the room out and removes it, and answers the request r. It returns true if the room was
// removed; otherwise the room becomes audible again. While the result is uncertain the room stays silent,
// because another node may have placed it again.
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
		pause(ctx, n.options.Timing.Look)
	}
	r.answer <- ctx.Err()
	return false
}

// wasRemoved reports whether the room has been removed from the bucket. If not, it adopts the current record, or
// quits if another node owns the room. It returns false if the read fails.
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
