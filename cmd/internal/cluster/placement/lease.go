package placement

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errNameInUse means that the record belongs to another node of this name, which may be alive.
var errNameInUse = errors.New("another node of this name may still play")

// lease maintains the record of this node in the bucket. While the lease is valid, the node may play. A life is the
// time of one uninterrupted lease. Safe for concurrent use.
type lease struct {
	node *Node

	mutex            sync.Mutex
	life             string
	revision         uint64 // of the record; 0: this life has no record
	renewals         int64
	state            NodeState
	until            time.Duration // end of the lease, by Options.Now
	skew             time.Duration // the clock of the bucket minus the clock of this machine
	sent             time.Time     // when the last renewal was sent and answered
	answered         time.Time
	reportedRevision uint64 // the last revision reported by a watch, and its time by the clock of the bucket
	created          time.Time
	roundTrip        time.Duration // round trip of the last comparison of clocks, and its time
	compared         time.Time
	stopped          bool      // the node has stopped playing
	unreportedSince  time.Time // when a renewal succeeded that the watch has not reported yet; zero: all are reported
}

// current returns the random id of the node's present run, which is called its life. A node gets a new id when it joins
// and when it has lost its lease. Rooms that were taken with an older id must end.
func (l *lease) current() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.life
}

// hasMargin reports whether the lease, the right to play, stays valid for more than a quarter of its length. Only then
// may the node take or change rooms.
func (l *lease) hasMargin() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	o := &l.node.options
	return l.revision != 0 && l.until-o.Now() > o.Timing.Lease/4
}

// record returns the node's record for the bucket: its name, address and state, the id of its present run, and the
// number of renewals. The caller holds l.mutex.
func (l *lease) record() NodeRecord {
	o := &l.node.options
	return NodeRecord{Node: o.Name, Life: l.life, Address: o.Address, State: l.state, MaxRooms: o.MaxRooms, Beat: l.renewals}
}

// acquire gets the first lease of a run of the node: it writes the node's record into the bucket. If the bucket has no
// record of this name, or only a record of this run, of an ended run or an unreadable one, the record is written.
// Otherwise another process may use the name, and the error is errNameInUse. Other errors are from the bucket.
func (l *lease) acquire(ctx context.Context) error {
	o := &l.node.options
	key := nodes + o.Name
	old, err := l.get(ctx, key)
	switch {
	case errors.Is(err, ErrMissing):
	case err != nil:
		return err
	default:
		r, ok := decode[NodeRecord](old.Value)
		if ok && r.State != Gone && r.Life != l.current() { // otherwise it is this life's, and an answer was lost
			return errNameInUse // which will be marked as gone if it does not change
		}
	}
	return l.write(ctx, old.Revision)
}

// get returns the entry of key from the bucket, like Bucket.Get. It waits at most for the interval between two
// renewals.
func (l *lease) get(ctx context.Context, key string) (Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, l.node.options.Timing.Renew)
	defer cancel()
	return l.node.options.Bucket.Get(ctx, key)
}

// write stores the node's record in the bucket, within two intervals of renewal. The parameter expected is the revision
// that the stored record must have. On success the lease is extended and passed to Options.Extend. It is counted from
// the moment before the record was sent. After the method end, Options.Extend is not called. If the revision is another
// one, the error is ErrConflict, and the lease is unchanged.
func (l *lease) write(ctx context.Context, expected uint64) error {
	o := &l.node.options
	l.mutex.Lock()
	l.renewals++
	record := l.record()
	l.mutex.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 2*o.Timing.Renew)
	defer cancel()
	sent, began := time.Now(), o.Now()
	revision, err := o.Bucket.Put(ctx, nodes+o.Name, encode(record), expected)
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.revision, l.until = revision, began+o.Timing.Lease
	l.sent, l.answered = sent, time.Now()
	if l.reportedRevision < revision && l.unreportedSince.IsZero() {
		l.unreportedSince = l.answered
	}
	l.compareClocks()
	if !l.stopped { // otherwise the answer arrived after the end of the node
		o.Extend(l.until)
	}
	return nil
}

// renew renews the lease periodically until ctx ends. If other nodes have marked this node as gone, it gets a new lease
// as soon as the rooms of the old one are closed. After an error it tries again soon. It runs on its own goroutine.
func (l *lease) renew(ctx context.Context) {
	o := &l.node.options
	wait := o.Timing.Renew
	for pause(ctx, wait) {
		l.mutex.Lock()
		revision := l.revision
		l.mutex.Unlock()
		var err error
		switch {
		case revision == 0 && l.node.hostsOldRooms(): // rooms of an old life must end before a new life begins
			wait = o.Timing.Poll
			continue
		case revision == 0:
			err = l.acquire(ctx)
		default:
			err = l.write(ctx, revision)
		}
		if errors.Is(err, ErrConflict) {
			l.resolveConflict(ctx)
		}
		wait = o.Timing.Renew
		if err != nil {
			wait = o.Timing.Poll
		}
	}
}

// resolveConflict handles a renewal that was refused because the stored record has changed. If that change is an
// earlier renewal of this node, whose answer was lost, the node continues. Otherwise the lease is lost. Then
// resolveConflict stops the output, makes all rooms on this node close, and reports that to the operator. If the record
// cannot be read, it has no effect. A missing record counts as changed by others, but only one lease time after the end
// of the lease.
func (l *lease) resolveConflict(ctx context.Context) {
	o := &l.node.options
	e, err := l.get(ctx, nodes+o.Name)
	if err != nil && !errors.Is(err, ErrMissing) {
		return
	}
	r, _ := decode[NodeRecord](e.Value)
	if l.continueLife(&e, &r) {
		return
	}
	l.node.closeHosted() // without the mutex, because hosted rooms call current
	o.Log("the lease of this node has expired: other nodes have taken its rooms, and it restarts without rooms")
}

// continueLife decides whether the node still has its lease, after it has read its record from the bucket. e is the
// entry that was read, and r the record in it. If r belongs to the present run of the node and is not marked as gone,
// the result is true, and a newer revision of e is adopted. An entry with an older revision than the last renewal
// counts as stale and gives true, too, until one lease time after the end of the lease.
//
// Otherwise the lease is lost: continueLife stops the output, gives the node a new id without a lease, and returns
// false.
func (l *lease) continueLife(e *Entry, r *NodeRecord) bool {
	o := &l.node.options
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case r.Life == l.life && r.State != Gone:
		l.revision = max(l.revision, e.Revision) // a stale read has a lower one
		return true
	case e.Revision < l.revision && o.Now() < l.until+o.Timing.Lease: // a stale read
		return true
	}
	o.Extend(0)
	l.life, l.revision, l.until = newLife(), 0, 0
	return false
}

// clockSkew returns the bucket's clock minus this machine's clock, as last measured, or 0 before the first measurement.
func (l *lease) clockSkew() time.Duration {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.skew
}

// setState sets the state of the node. The next renewal of the lease writes the state to the node's record, where other
// nodes see it.
func (l *lease) setState(state NodeState) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.state = state
}

// recordReport processes e, the node's own record as the watch has reported it. It notes which renewals the watch has
// reported. It also compares the bucket's clock with this machine's clock, by the time in e.
func (l *lease) recordReport(e *Entry) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.reportedRevision, l.created = e.Revision, e.Created
	if l.reportedRevision >= l.revision {
		l.unreportedSince = time.Time{}
	}
	l.compareClocks()
}

// compareClocks measures the bucket's clock minus this machine's clock, and stores it in l.skew. It needs the answer to
// the last renewal and the watch's report of it; without both it has no effect. An earlier, more accurate value is
// kept. The caller holds l.mutex.
func (l *lease) compareClocks() {
	if l.reportedRevision != l.revision || l.revision == 0 || l.created.IsZero() {
		return
	}
	// The error is at most half the round trip, so a slow answer is less accurate than an earlier quick one.
	// Clocks drift apart by a few ms a minute.
	roundTrip := l.answered.Sub(l.sent)
	if roundTrip > l.roundTrip+l.answered.Sub(l.compared)/1000 && !l.compared.IsZero() {
		return
	}
	l.skew, l.roundTrip, l.compared = l.created.Sub(l.sent.Add(roundTrip/2).Round(0)), roundTrip, l.answered
}

// watchIsLate reports whether the watch is late: NATS has confirmed a renewal of this node longer ago than the duration
// limit, but the watch has not reported it.
func (l *lease) watchIsLate(limit time.Duration) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return !l.unreportedSince.IsZero() && time.Since(l.unreportedSince) > limit
}

// end stops the output of the node for good: it calls Options.Extend with 0. After that, a late answer of NATS does not
// extend the output again. end does not write to the bucket; release does.
func (l *lease) end() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.stopped = true
	l.node.options.Extend(0)
}

// release gives up the lease: it writes into the node's record that the node is gone, so that other nodes take its
// rooms at once. Without a lease it does not write. Errors are ignored, because the lease then expires by itself.
func (l *lease) release(ctx context.Context) {
	l.setState(Gone)
	l.mutex.Lock()
	revision, record := l.revision, l.record()
	l.revision, l.until = 0, 0
	l.mutex.Unlock()
	if revision == 0 {
		return
	}
	_, err := l.node.options.Bucket.Put(ctx, nodes+record.Node, encode(record), revision)
	if errors.Is(err, ErrConflict) { // a renewal was in flight
		if e, err := l.get(ctx, nodes+record.Node); err == nil {
			if r, _ := decode[NodeRecord](e.Value); r.Life == record.Life {
				_, _ = l.node.options.Bucket.Put(ctx, nodes+record.Node, encode(record), e.Revision) // on an error the lease expires
			}
		}
	}
}
