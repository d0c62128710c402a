package placement

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"voicepool/internal/words"
)

// hostedRoom is a room on this node, from its taking or preparation until it is closed. Its methods run on its own
// goroutine, unless a comment names another, and the fields belong to that goroutine, except cancel and the channels.
// record, revision and leaving are written under the node's mutex.
type hostedRoom struct {
	node   *Node
	life   string // the life that took it
	cancel context.CancelFunc

	opened   chan struct{} // closed when the room is audible or has failed
	openErr  error         // why it has failed; valid after opened is closed
	removed  chan struct{} // closed when the hosted room has been removed
	removals chan *removal // received while the room is audible

	record   RoomRecord
	revision uint64
	leaving  bool   // moving to another node
	tenant   Tenant // nil: not open

	stateRevision    uint64 // revision of its state; 0: no state
	savedFingerprint string
	stateSaved       bool // still is the saved value
	tooLargeReported bool // Log has reported that the state is too large
}

// end ends the room on this node: it closes the open room, removes s from the node, and ends the context of s. A
// waiting Place returns an error. It is the last call of the goroutine of s.
func (s *hostedRoom) end() {
	s.finishOpening(errors.New("the room has moved or ended"))
	s.cancel()
	if s.tenant != nil {
		s.tenant.Close()
	}
	defer close(s.removed)
	n := s.node
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.hosted[s.record.Room] == s {
		delete(n.hosted, s.record.Room)
	}
}

// finishOpening ends the wait of Node.Place for this room. err is nil if the room is audible, and otherwise the reason
// why it is not. Only the first call has an effect.
func (s *hostedRoom) finishOpening(err error) {
	select {
	case <-s.opened:
	default:
		s.openErr = err
		close(s.opened)
	}
}

// isCurrent reports whether the room was taken in the present run of the node. After a known loss of the lease the
// result is false, and the node must not play the room. A lease that has expired without notice does not change the
// result.
func (s *hostedRoom) isCurrent() bool { return s.node.lease.current() == s.life }

// write stores record as the record of the room in the bucket, unless the stored record has changed since s.revision.
// On success it sets s.record and s.revision, and returns true twice. If the stored record has changed, done is false
// and sure is true: the record is certainly not stored. After another error done and sure are false, because the record
// may have been stored.
func (s *hostedRoom) write(ctx context.Context, record RoomRecord) (done, sure bool) {
	revision, err := s.putRecord(ctx, rooms+record.Room, &record, s.revision)
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

// putRecord stores record as JSON under key in the bucket and returns the new revision. The parameter expected is the
// revision that the stored value must have; 0 means that the key must not exist. Otherwise the error is ErrConflict. It
// takes at most the length of a lease.
func (s *hostedRoom) putRecord(ctx context.Context, key string, record any, expected uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.node.options.Timing.Lease)
	defer cancel()
	return s.node.options.Bucket.Put(ctx, key, encode(record), expected)
}

// takeOver makes this node the owner of a room without an owner. Then it plays the room and returns when the room ends
// or leaves this node. It returns at once if another node is faster or the write fails. It also returns at once if the
// last owner may still play the room; backsOff then delays the next attempt.
func (s *hostedRoom) takeOver(ctx context.Context) {
	if !s.node.lifeEnded(ctx, &s.record) {
		s.node.recordFailure(s.record.Room)
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

// reclaim plays a room that this node owns according to its copy of the bucket. That copy may be stale, so reclaim
// first writes the record of the room again. This ends a handover that was begun. If that fails, it returns at once.
// Otherwise it returns when the room has ended or has left this node.
func (s *hostedRoom) reclaim(ctx context.Context) {
	r := s.record
	r.Next, r.State, r.Ready = "", 0, false
	if done, _ := s.write(ctx, r); done {
		s.resume(ctx)
	}
}

// resume plays a room that this node owns, from the room's last saved state. It returns when the room ends or leaves
// this node. If the state cannot be read or the room cannot be opened, it returns at once. A waiting Place then gets
// the error.
func (s *hostedRoom) resume(ctx context.Context) {
	state, err := s.fetchState(ctx)
	if err != nil {
		s.finishOpening(err)
		return // it will be tried again
	}
	if s.open(ctx, &state) {
		s.play(ctx)
	}
}

// open opens the room from the given state, still silent, and stores it in s.tenant. The result is true on success.
// After a failure a waiting Place gets the error. Then giveUp changes the record, so that another node may take the
// room, unless ctx or the present run of the node has ended.
func (s *hostedRoom) open(ctx context.Context, state *stateRecord) bool {
	opening := Opening{Room: s.record.Room, Sheet: s.record.Sheet, File: s.record.File, State: state.State}
	if state.State != nil {
		opening.Skew = state.Skew - s.node.lease.clockSkew()
	}
	t, err := s.node.options.Open(ctx, opening)
	if err == nil {
		s.tenant = t
		s.node.mutex.Lock()
		delete(s.node.failures, s.record.Room)
		s.node.mutex.Unlock()
		return true
	}
	s.finishOpening(err)
	if ctx.Err() == nil && s.isCurrent() {
		s.giveUp(ctx, err)
	}
	return false
}

// giveUp handles err, the reason why this node could not open the room, and reports it to the operator. If err is a
// Refusal, it is stored in the record of the room, and the node does not try again while it keeps its lease. Another
// error is not stored, and the node waits before the next attempt. In both cases a handover to this node ends. If this
// node owns the room, the room has no owner afterwards. A failed write of the record is ignored.
//
// After a Refusal of a room that Place places, this node stays the owner in the record until Place removes the room, so
// that other nodes do not take it.
func (s *hostedRoom) giveUp(ctx context.Context, err error) {
	o := &s.node.options
	s.node.recordFailure(s.record.Room)
	r := s.record
	_, permanent := errors.AsType[Refusal](err)
	if permanent {
		r.Refused = maps.Clone(r.Refused)
		if r.Refused == nil {
			r.Refused = map[string]string{}
		}
		r.Refused[s.life] = o.Name + ": " + words.Plain(err)
	}
	o.Log(fmt.Sprintf("the room %s cannot be played here: %s", r.Room, words.Plain(err)))
	if r.Life == s.life {
		if permanent && s.node.isPlacing(r.Room) {
			return
		}
		r.Node, r.Life = "", ""
	}
	r.Next, r.State, r.Ready = "", 0, false
	s.write(ctx, r)
}

// fetchState returns the saved state of the room for a new owner. Before that it writes the state back, marked with the
// number of this owner. If that succeeds, the state is the latest, and the previous owner can no longer write one. It
// also sets s.stateRevision, which the next save needs. If no state is saved, the result is empty without an error.
func (s *hostedRoom) fetchState(ctx context.Context) (stateRecord, error) {
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
		revision, err := s.putRecord(ctx, key, &state, e.Revision)
		if err == nil {
			s.stateRevision = revision
			return state, nil
		}
		if !errors.Is(err, ErrConflict) {
			return stateRecord{}, err
		}
		if !pause(ctx, o.Timing.Poll) {
			break
		}
	}
	return stateRecord{}, errors.New("another node keeps writing its saved state")
}

// play makes the open room audible and keeps it playing on this node. It saves the state periodically, and handles
// requests to move or remove the room. It returns when the room ends, is removed or has moved. It also returns when ctx
// ends or the node closes, and at once if the node has lost its lease.
func (s *hostedRoom) play(ctx context.Context) {
	if !s.enter() {
		return
	}
	n, o := s.node, &s.node.options
	entered, next := o.Now(), o.Now()
	for ctx.Err() == nil {
		if r, known := n.seen.room(s.record.Room); known && r.revision > s.revision {
			s.adoptSeen() // ends this loop if another node owns the room
		}
		if n.lease.hasMargin() { // otherwise a write might be lost
			if o.Now() >= next {
				s.save(ctx)
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
		case <-n.closing:
			s.tenant.Leave(n.fade)
			s.save(ctx)
			return
		case r := <-s.removals:
			if s.remove(ctx, r) {
				return
			}
		default:
			pause(ctx, o.Timing.Poll)
		}
	}
}

// enter makes the open room audible, ends the wait of Node.Place and returns true. After a handover the room fades in
// over 300 ms. A room that was taken before, also by this node, fades in over 10 ms. A new room does not fade in. If
// the node has lost its lease since it took the room, enter has no effect and returns false.
func (s *hostedRoom) enter() bool {
	if !s.isCurrent() {
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
	s.finishOpening(nil)
	return true
}

// save writes the sheet and the state of the room into the bucket, if they have changed since the last call. A change
// of the playback time alone does not count. If the sheet cannot be written, the state is not written either. If
// another node has taken the room, save cancels s, which ends play. After another error the next call tries again.
func (s *hostedRoom) save(ctx context.Context) {
	if sheet, file := s.tenant.Sheet(ctx); sheet != "" && (sheet != s.record.Sheet || file != s.record.File) {
		r := s.record
		r.Sheet, r.File, r.Refused = sheet, file, nil
		if done, _ := s.write(ctx, r); !done {
			s.adoptSeen()
			return
		}
	}
	text, still := s.tenant.State()
	if s.stateSaved && still == s.savedFingerprint {
		return
	}
	state := stateRecord{s.record.Epoch, s.node.lease.clockSkew(), text}
	revision, err := s.putRecord(ctx, states+s.record.Room, &state, s.stateRevision)
	switch {
	case err == nil:
		s.stateRevision, s.savedFingerprint, s.stateSaved = revision, still, true
	case errors.Is(err, ErrConflict): // a write whose answer was lost, or another node's
		if e, err := s.node.lease.get(ctx, states+s.record.Room); errors.Is(err, ErrMissing) {
			s.stateRevision = 0
		} else if was, ok := decode[stateRecord](e.Value); err == nil && ok && was.Epoch > s.record.Epoch {
			s.cancel() // another node has taken the room
		} else if err == nil && ok && was.Epoch == s.record.Epoch {
			s.stateRevision = max(s.stateRevision, e.Revision)
		}
	default:
		if errors.Is(err, ErrTooLarge) && !s.tooLargeReported {
			s.tooLargeReported = true
			s.node.options.Log(fmt.Sprintf("the state of the room %s is no longer saved: it has %d bytes, and %v", s.record.Room, len(text), err))
		}
		s.stateSaved = false
	}
}
