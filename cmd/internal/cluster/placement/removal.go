package placement

import (
	"context"
	"errors"
	"time"
)

// removal asks a seat to end its room for good.
type removal struct {
	ctx    context.Context // of who asks
	fade   time.Duration
	answer chan error // has room for one
}

// ask asks for a removal, and waits for it. heard is false where the seat has ended before it heard of it.
func (s *seat) ask(ctx context.Context, fade time.Duration) (heard bool, err error) {
	r := &removal{ctx, fade, make(chan error, 1)}
	select {
	case s.asks <- r:
	case <-s.over:
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

// remove fades the room out, and removes it. It reports whether it is removed; else it is heard again. While
// nobody knows it is silent, for another node may have placed it anew.
func (s *seat) remove(ctx context.Context, r *removal) (gone bool) {
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
		} else if done, sure := s.write(ctx, s.record); done { // nobody waits any more, and no removal comes after this
			s.tenant.Enter(Fade)
			return false
		} else if sure {
			err = ErrConflict
		}
		if errors.Is(err, ErrConflict) {
			gone = s.missing(ctx)
		}
		if gone {
			n.drops(s.record.Room, s.revision)
			_ = n.forget(ctx, s.record.Room) // else it is when a room of this name is placed
			s.tenant.Close()
			r.answer <- nil
			return true
		}
		pause(ctx, n.options.Timing.Look)
	}
	r.answer <- ctx.Err()
	return false
}

// missing reports whether the room is not placed any more, and goes on from its record otherwise.
func (s *seat) missing(ctx context.Context) bool {
	e, err := s.node.lease.get(ctx, rooms+s.record.Room)
	if err != nil {
		return errors.Is(err, ErrMissing)
	}
	switch r, _ := decode[RoomRecord](e.Value); {
	case r.Life != s.life && e.Revision > s.revision:
		s.quit()
	case e.Revision > s.revision: // a write whose answer was lost
		s.node.mutex.Lock()
		s.record, s.revision = r, e.Revision
		s.node.mutex.Unlock()
	}
	return false
}
