package placement

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"voicepool/internal/words"
)

// seat is a room on this node, from when it is taken or prepared until it is closed. All but quit and
// the channels is its own goroutine's, which writes record, revision and leaving under the node's mutex.
type seat struct {
	node *Node
	life string // in which it was taken
	quit context.CancelFunc

	opened chan struct{} // closed when it is heard, or never will be
	failed error         // why it is not; read after opened is closed
	over   chan struct{} // closed when it is closed, and has left the seat to others
	asks   chan *removal // taken while it is heard

	record   RoomRecord
	revision uint64
	leaving  bool   // it is on its way to another node
	tenant   Tenant // nil: it is not open

	behind  uint64 // revision of its state; 0: there is none
	still   string
	written bool // still is what is written
	large   bool // it was said that how it stands is too large
}

// end closes the room, and leaves the seat to others.
func (s *seat) end() {
	s.settle(errors.New("the room has moved, or has ended"))
	s.quit()
	if s.tenant != nil {
		s.tenant.Close()
	}
	defer close(s.over)
	n := s.node
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.seats[s.record.Room] == s {
		delete(n.seats, s.record.Room)
	}
}

// settle says that the room is open, or why it is not.
func (s *seat) settle(err error) {
	select {
	case <-s.opened:
	default:
		s.failed = err
		close(s.opened)
	}
}

// mine reports whether the room is this node's, in this life, as far as is known.
func (s *seat) mine() bool { return s.node.lease.current() == s.life }

// write writes the record of the room. It reports whether it is what it was to become: sure is false where
// nobody knows.
func (s *seat) write(ctx context.Context, record RoomRecord) (done, sure bool) {
	revision, err := s.put(ctx, rooms+record.Room, &record, s.revision)
	switch {
	case err == nil:
		s.node.mutex.Lock()
		s.record, s.revision = record, revision
		s.node.mutex.Unlock()
		return true, true
	case errors.Is(err, ErrConflict):
		return false, true
	}
	return false, false
}

// put is Bucket.Put of a record within the time of a lease.
func (s *seat) put(ctx context.Context, key string, record any, behind uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.node.options.Timing.Lease)
	defer cancel()
	return s.node.options.Bucket.Put(ctx, key, encode(record), behind)
}

// take takes a room that nobody plays, and plays it.
func (s *seat) take(ctx context.Context) {
	if !s.node.over(ctx, &s.record) {
		s.node.fail(s.record.Room)
		return
	}
	r := s.record
	r.Node, r.Life, r.Epoch, r.Since = s.node.options.Name, s.life, r.Epoch+1, time.Now()
	r.From, r.Next, r.State, r.Ready = "", "", 0, false
	r.Refused = maps.Clone(r.Refused)
	maps.DeleteFunc(r.Refused, func(life, _ string) bool { _, alive := s.node.seen.alive(life); return !alive })
	switch done, sure := s.write(ctx, r); {
	case done:
		s.resume(ctx)
	case sure: // the record is newer than what this node has seen
		s.node.refresh(ctx, r.Room)
	}
}

// regain plays a room that is this node's as far as has been seen, which may be old: writing its record
// anew proves it.
func (s *seat) regain(ctx context.Context) {
	r := s.record
	r.Next, r.State, r.Ready = "", 0, false
	if done, _ := s.write(ctx, r); done {
		s.resume(ctx)
	}
}

// resume plays a room that is this node's.
func (s *seat) resume(ctx context.Context) {
	state, err := s.recall(ctx)
	if err != nil {
		s.settle(err)
		return // it is tried again
	}
	if s.open(ctx, &state) {
		s.play(ctx)
	}
}

// open opens the room from how it stood. Where this node cannot, others may.
func (s *seat) open(ctx context.Context, state *stateRecord) bool {
	opening := Opening{Room: s.record.Room, Sheet: s.record.Sheet, File: s.record.File, State: state.State}
	if state.State != nil {
		opening.Skew = state.Skew - s.node.lease.ahead()
	}
	t, err := s.node.options.Open(ctx, opening)
	if err == nil {
		s.tenant = t
		s.node.mutex.Lock()
		delete(s.node.failures, s.record.Room)
		s.node.mutex.Unlock()
		return true
	}
	s.settle(err)
	if ctx.Err() == nil && s.mine() {
		s.giveUp(ctx, err)
	}
	return false
}

// giveUp gives a room back that this node cannot play: for good, where the error is a Refusal, else for a
// while.
func (s *seat) giveUp(ctx context.Context, err error) {
	o := &s.node.options
	s.node.fail(s.record.Room)
	r := s.record
	if _, lasts := errors.AsType[Refusal](err); lasts {
		r.Refused = maps.Clone(r.Refused)
		if r.Refused == nil {
			r.Refused = map[string]string{}
		}
		r.Refused[s.life] = o.Name + ": " + words.Plain(err)
	}
	o.Say(fmt.Sprintf("the room %s cannot be played here: %s", r.Room, words.Plain(err)))
	if r.Life == s.life {
		r.Node, r.Life = "", ""
	}
	r.Next, r.State, r.Ready = "", 0, false
	s.write(ctx, r)
}

// recall returns how the room stood. Its writing it anew, at the revision that was read, proves that this
// was the last, and that who played it before writes no more.
func (s *seat) recall(ctx context.Context) (stateRecord, error) {
	o, key := &s.node.options, states+s.record.Room
	for range 100 {
		e, err := s.node.lease.get(ctx, key)
		if errors.Is(err, ErrMissing) {
			return stateRecord{}, nil
		}
		if err != nil {
			return stateRecord{}, err
		}
		state, ok := decode[stateRecord](e.Value)
		if !ok {
			return stateRecord{}, errors.New("how it stood cannot be read")
		}
		state.Epoch = s.record.Epoch
		revision, err := s.put(ctx, key, &state, e.Revision)
		if err == nil {
			s.behind = revision
			return state, nil
		}
		if !errors.Is(err, ErrConflict) {
			return stateRecord{}, err
		}
		if !pause(ctx, o.Timing.Look) {
			break
		}
	}
	return stateRecord{}, errors.New("how it stood is written by another all the time")
}

// play has the room be heard, and writes down how it stands, until it is to end.
func (s *seat) play(ctx context.Context) {
	if !s.enter() {
		return
	}
	n, o := s.node, &s.node.options
	entered, next := o.Now(), o.Now()
	for ctx.Err() == nil {
		if r, known := n.seen.room(s.record.Room); known && r.revision > s.revision {
			s.reread() // which ends this where it is another's
		}
		if n.lease.holds() { // else what is written might not count
			if o.Now() >= next {
				s.note(ctx)
				next = o.Now() + o.Timing.Renew
			}
			settled := o.Now()-entered > 2*Fade // else three would be heard for a moment
			if settled && n.draining() && s.move(ctx) {
				return
			}
		}
		select {
		case <-s.tenant.Done():
			return
		case <-n.ending:
			s.tenant.Leave(n.fade)
			s.note(ctx)
			return
		case r := <-s.asks:
			if s.remove(ctx, r) {
				return
			}
		default:
			pause(ctx, o.Timing.Look)
		}
	}
}

// enter has the room be heard.
func (s *seat) enter() bool {
	if !s.mine() {
		return false
	}
	fade := time.Duration(0)
	switch {
	case s.record.From != "":
		fade = Fade
	case s.record.Epoch > 1:
		fade = 10 * time.Millisecond
	}
	s.tenant.Enter(fade)
	s.settle(nil)
	return true
}

// note writes down how the room stands, if that is another than what is written.
func (s *seat) note(ctx context.Context) {
	if sheet, file := s.tenant.Sheet(ctx); sheet != "" && (sheet != s.record.Sheet || file != s.record.File) {
		r := s.record
		r.Sheet, r.File, r.Refused = sheet, file, nil
		if done, _ := s.write(ctx, r); !done {
			s.reread()
			return
		}
	}
	text, still := s.tenant.State()
	if s.written && still == s.still {
		return
	}
	state := stateRecord{s.record.Epoch, s.node.lease.ahead(), text}
	revision, err := s.put(ctx, states+s.record.Room, &state, s.behind)
	switch {
	case err == nil:
		s.behind, s.still, s.written = revision, still, true
	case errors.Is(err, ErrConflict): // a write whose answer was lost, or another's
		if e, err := s.node.lease.get(ctx, states+s.record.Room); errors.Is(err, ErrMissing) {
			s.behind = 0
		} else if was, ok := decode[stateRecord](e.Value); err == nil && ok && was.Epoch > s.record.Epoch {
			s.quit() // another has taken the room
		} else if err == nil && ok && was.Epoch == s.record.Epoch {
			s.behind = max(s.behind, e.Revision)
		}
	default:
		if errors.Is(err, ErrTooLarge) && !s.large {
			s.large = true
			s.node.options.Say(fmt.Sprintf("how the room %s stands is not written any more: it has %d bytes, and %v", s.record.Room, len(text), err))
		}
		s.written = false
	}
}
