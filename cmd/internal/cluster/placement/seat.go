package placement

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"voicepool/internal/words"
)

// seat is a room on this node, from its taking or preparation until it is closed. The fields belong to its
// goroutine, except quit and the channels. record, revision and leaving are written under the node's mutex.
type seat struct {
	node *Node
	life string // the life that took it
	quit context.CancelFunc

	opened chan struct{} // closed when the room is audible or has failed
	failed error         // why it has failed; valid after opened is closed
	over   chan struct{} // closed when the seat has been removed
	asks   chan *removal // received while the room is audible

	record   RoomRecord
	revision uint64
	leaving  bool   // moving to another node
	tenant   Tenant // nil: not open

	behind  uint64 // revision of its state; 0: no state
	still   string
	written bool // still is the saved value
	large   bool // Say has reported that the state is too large
}

// end closes the room and removes the seat.
func (s *seat) end() {
	s.settle(errors.New("the room has moved or ended"))
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

// settle ends the wait of Place: nil means that the room is open, otherwise err is the reason why it is not.
// Only the first call counts.
func (s *seat) settle(err error) {
	select {
	case <-s.opened:
	default:
		s.failed = err
		close(s.opened)
	}
}

// mine reports whether the seat belongs to the current life of this node.
func (s *seat) mine() bool { return s.node.lease.current() == s.life }

// write writes the record of the room and adopts it on success. done reports success. sure is false if the
// result is unknown; a conflict is a sure failure.
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

// put is Bucket.Put of a record with the timeout of a lease. behind is the expected revision, 0 for a new
// key. It returns the new revision.
func (s *seat) put(ctx context.Context, key string, record any, behind uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.node.options.Timing.Lease)
	defer cancel()
	return s.node.options.Bucket.Put(ctx, key, encode(record), behind)
}

// take takes a room without an owner and plays it until it ends or leaves. If another node is faster or the
// last owner may still play, it returns.
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
	case sure: // the view is stale
		s.node.refresh(ctx, r.Room)
	}
}

// regain plays a room that this node owns according to its view, which may be stale. It first rewrites the
// record to prove it, and returns if that fails.
func (s *seat) regain(ctx context.Context) {
	r := s.record
	r.Next, r.State, r.Ready = "", 0, false
	if done, _ := s.write(ctx, r); done {
		s.resume(ctx)
	}
}

// resume opens a room that this node owns from its last state, and plays it until it ends or leaves.
func (s *seat) resume(ctx context.Context) {
	state, err := s.recall(ctx)
	if err != nil {
		s.settle(err)
		return // it will be tried again
	}
	if s.open(ctx, &state) {
		s.play(ctx)
	}
}

// open opens the room from a state and reports success. After a failure it gives the room up, so that other
// nodes may take it.
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

// giveUp gives up a room that this node cannot play because of err: permanently after a Refusal, otherwise
// temporarily. It clears the owner in the record if that is this node.
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

// recall reads the state of the room and writes it back at the same revision. This proves that the state is
// the latest and that the previous owner can write no further state. A missing state is empty and not an
// error.
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
			return stateRecord{}, errors.New("its saved state cannot be read")
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
	return stateRecord{}, errors.New("another node keeps writing its saved state")
}

// play makes the room audible and saves its state periodically. It returns when the room ends, is removed or
// has moved.
func (s *seat) play(ctx context.Context) {
	if !s.enter() {
		return
	}
	n, o := s.node, &s.node.options
	entered, next := o.Now(), o.Now()
	for ctx.Err() == nil {
		if r, known := n.seen.room(s.record.Room); known && r.revision > s.revision {
			s.reread() // ends this loop if another node owns the room
		}
		if n.lease.holds() { // otherwise a write might be lost
			if o.Now() >= next {
				s.note(ctx)
				next = o.Now() + o.Timing.Renew
			}
			settled := o.Now()-entered > 2*Fade // otherwise three nodes would be audible for a moment
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

// enter makes the room audible, with a short fade if it was audible elsewhere before. It returns false if the
// life of the seat has ended.
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

// note saves the sheet and the state of the room if they have changed. If another node has taken the room, it
// quits.
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
	case errors.Is(err, ErrConflict): // a write whose answer was lost, or another node's
		if e, err := s.node.lease.get(ctx, states+s.record.Room); errors.Is(err, ErrMissing) {
			s.behind = 0
		} else if was, ok := decode[stateRecord](e.Value); err == nil && ok && was.Epoch > s.record.Epoch {
			s.quit() // another node has taken the room
		} else if err == nil && ok && was.Epoch == s.record.Epoch {
			s.behind = max(s.behind, e.Revision)
		}
	default:
		if errors.Is(err, ErrTooLarge) && !s.large {
			s.large = true
			s.node.options.Say(fmt.Sprintf("the state of the room %s is no longer saved: it has %d bytes, and %v", s.record.Room, len(text), err))
		}
		s.written = false
	}
}
