package placement

import (
	"context"
	"time"
)

// openTimeout is the maximum time for another node to open a room that is handed over to it.
const openTimeout = 20 * time.Second

// draining reports whether this node must give its rooms to other nodes, because Drain has requested that for its
// present run. It also sets the state of the node to Draining or Up, which the next renewal publishes.
func (n *Node) draining() bool {
	n.seen.mutex.Lock()
	requested := n.seen.drains[n.options.Name] == n.lease.current()
	n.seen.mutex.Unlock()
	if requested {
		n.lease.setState(Draining)
	} else {
		n.lease.setState(Up)
	}
	return requested
}

// move hands the room over to another node with a cross-fade. First the other node opens the room silently from the
// saved state, and reports that in the record of the room. Then this node makes the other the owner and fades out,
// while the other fades in.
//
// The result is true if the room has left this node. It is also true if NATS has not confirmed the new owner, because
// the other node may play already. The room stays if no node can take it, if four rooms are moving already, or if the
// handover fails.
func (s *hostedRoom) move(ctx context.Context) (left bool) {
	next := s.chooseNext()
	if next == "" {
		return false
	}
	select {
	case s.node.moves <- struct{}{}:
		defer func() { <-s.node.moves }()
	default:
		return false // too many moves at once
	}
	s.setLeaving(true) // requests wait from here on, so that the state does not change
	defer s.setLeaving(false)
	s.save(ctx)
	r := s.record
	r.Next, r.State, r.Ready = next, s.stateRevision, false
	if done, _ := s.write(ctx, r); !done {
		s.adoptSeen()
		return false
	}
	owner, ready := s.awaitReady(ctx, next)
	r = s.record
	r.Next, r.State, r.Ready = "", 0, false
	if ready {
		r.Node, r.Life, r.From = owner.record.Node, next, s.life
		r.Epoch, r.Since = r.Epoch+1, time.Now()
		s.tenant.Leave(Fade) // before the write, whose answer may be late or lost
	}
	done, sure := s.write(ctx, r)
	switch {
	case ready && (done || !sure): // the other node may be audible by now
		pause(ctx, Fade+s.node.options.Timing.Poll)
		return true
	case ready:
		s.tenant.Enter(Fade)
	}
	if !done {
		s.adoptSeen()
	}
	return false
}

// setLeaving marks the room as moving to another node if leaving is true. Otherwise it ends that mark. While the room
// is moving, Node.Moving returns true.
func (s *hostedRoom) setLeaving(leaving bool) {
	s.node.mutex.Lock()
	defer s.node.mutex.Unlock()
	s.leaving = leaving
}

// chooseNext chooses the other node that is best suited to take the room, by Node.candidates. The result is the id of
// that node's present run. If the other nodes cannot take the room, it is "".
func (s *hostedRoom) chooseNext() string {
	all, _, _ := s.node.seen.nodesNow()
	load := map[string]int{}
	for _, r := range s.node.seen.roomsNow() {
		load[r.record.Life]++
	}
	for _, life := range s.node.candidates(&s.record, all, load) {
		if life != s.life {
			return life
		}
	}
	return ""
}

// adoptSeen updates s.record and s.revision to the record that the watch has reported last, if that is newer. If the
// room was removed, or if another node owns it now, adoptSeen cancels s instead, which ends play. A missing record
// counts as removed only after the watch has reported the whole bucket.
func (s *hostedRoom) adoptSeen() {
	r, known := s.node.seen.room(s.record.Room)
	switch {
	case !known && s.node.seen.snapshotComplete(), known && r.record.Life != s.life && r.revision > s.revision:
		s.cancel() // another node has the room, or it was removed
	case r.revision > s.revision:
		s.node.mutex.Lock()
		s.record, s.revision = r.record, r.revision
		s.node.mutex.Unlock()
	}
}

// awaitReady waits until the node that takes over the room has opened it. The parameter next is the id of the present
// run of that node; a restarted node has another id. On success ready is true, and owner is that node.
//
// ready is false if that node refuses the room or ends, if this node's lease has too little time left, if ctx ends, or
// after 20 s. owner is then not meaningful. During the wait, s.record and s.revision are updated to newer records of
// the room.
func (s *hostedRoom) awaitReady(ctx context.Context, next string) (owner seenNode, ready bool) {
	o := &s.node.options
	for end := o.Now() + openTimeout; o.Now() < end && s.node.lease.hasMargin() && pause(ctx, o.Timing.Poll/5); {
		s.adoptSeen()
		owner, alive := s.node.seen.alive(next)
		switch {
		case !alive || s.record.Next != next: // the other node has gone or has refused
			return owner, false
		case s.record.Ready:
			return owner, true
		}
	}
	return owner, false
}

// prepare takes part in a handover: it opens a room that another node gives to this node, still silent, and reports
// that in the record of the room. When this node becomes the owner, prepare plays the room and returns when the room
// ends or leaves. It returns earlier if the handover fails, or if this node is not the owner 40 s after the report.
func (s *hostedRoom) prepare(ctx context.Context) {
	o := &s.node.options
	state, err := s.handedOverState(ctx)
	if err != nil || !s.open(ctx, &state) {
		return
	}
	r := s.record
	r.Ready = true
	if done, _ := s.write(ctx, r); !done {
		return
	}
	for end := o.Now() + 2*openTimeout; o.Now() < end && pause(ctx, o.Timing.Poll/10); {
		now, known := s.node.seen.room(s.record.Room)
		switch {
		case !known:
			return
		case now.record.Life == s.life:
			s.adoptSeen()
			s.play(ctx)
			return
		case now.record.Next != s.life:
			return
		}
	}
}

// handedOverState returns the saved state of a room that is handed over to this node. The record of the room has the
// revision of that state; an older answer of NATS is not accepted. It sets s.stateRevision for later saves. If the
// record refers to no state, or if the state is not valid JSON, the result is empty without an error. After 100 tries,
// or if ctx ends, the error is ErrMissing.
func (s *hostedRoom) handedOverState(ctx context.Context) (state stateRecord, err error) {
	o := &s.node.options
	if s.record.State == 0 {
		return state, nil
	}
	for range 100 {
		e, err := s.node.lease.get(ctx, states+s.record.Room)
		if err == nil && e.Revision == s.record.State { // otherwise the read is stale
			s.stateRevision = e.Revision
			state, _ = decode[stateRecord](e.Value)
			return state, nil
		}
		if !pause(ctx, o.Timing.Poll) {
			break
		}
	}
	return state, ErrMissing
}
