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

// current returns the id of the current life of the node: its uninterrupted run with a lease. A node gets a new life
// whenever it joins or has lost its lease; rooms of an older life must end.
func (l *lease) current() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.life
}

// hasMargin reports whether the lease stays valid for more than a quarter of its length from now. Only then may the
// node take or change rooms.
func (l *lease) hasMargin() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	o := &l.node.options
	return l.revision != 0 && l.until-o.Now() > o.Timing.Lease/4
}

// record returns the record of the node with its present life, state and number of renewals. The caller holds l.mutex.
func (l *lease) record() NodeRecord {
	o := &l.node.options
	return NodeRecord{Node: o.Name, Life: l.life, Address: o.Address, State: l.state, MaxRooms: o.MaxRooms, Beat: l.renewals}
}

// acquire begins a life, a run of the node with a lease: it writes the node's record if the key is free, or holds the
// record of this life or of an ended life. Otherwise another process may use the name, and it returns errNameInUse.
// Other errors come from the bucket.
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

// get returns the entry of key from the bucket, as Bucket.Get, but waits at most for the interval of a renewal.
func (l *lease) get(ctx context.Context, key string) (Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, l.node.options.Timing.Renew)
	defer cancel()
	return l.node.options.Bucket.Get(ctx, key)
}

// write stores the node's record within two intervals of renewal and, on success, extends the lease with
// Options.Extend; the new lease counts from the moment before the record was sent. expected is the expected revision of
// the stored record. If that is outdated, the error is ErrConflict, and the lease is unchanged.
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

// renew renews the lease periodically until ctx ends. If other nodes have marked this node as gone, it acquires a new
// lease as soon as the rooms of the old one are closed. It runs on its own goroutine.
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

// resolveConflict handles a conflict at the node's record. If the stored record is a renewal of this lease whose answer
// was lost, the node continues. Otherwise the lease is lost: resolveConflict stops the output, gives the node a new
// life without a lease, cancels all hosted rooms and reports it with Log. If the record cannot be read, it has no
// effect.
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

// continueLife reports whether this life, the node's run with its lease, continues, given the record r in entry e of
// the bucket. If r belongs to this life, continueLife adopts the revision of e; a stale entry is ignored. If the life
// has ended, it stops the output and gives the node a new life without a lease.
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

// setState sets the state of the node to the argument; the next renewal writes it to the node's record.
func (l *lease) setState(state NodeState) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.state = state
}

// recordReport processes e, the node's own record as reported by the watch: it notes which renewals have been reported,
// and compares the clocks of the bucket and this machine by the time of e.
func (l *lease) recordReport(e *Entry) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.reportedRevision, l.created = e.Revision, e.Created
	if l.reportedRevision >= l.revision {
		l.unreportedSince = time.Time{}
	}
	l.compareClocks()
}

// compareClocks sets l.skew, the bucket's clock minus this machine's clock, if both the answer to the last renewal and
// the report of the watch about it have arrived. It keeps an earlier value that is more accurate. The caller holds
// l.mutex.
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

// watchIsLate reports whether NATS confirmed a renewal more than the duration limit ago that the watch has not reported
// yet.
func (l *lease) watchIsLate(limit time.Duration) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return !l.unreportedSince.IsZero() && time.Since(l.unreportedSince) > limit
}

// end stops the output of the node with Options.Extend, permanently; later answers of NATS do not start it again. It
// does not write to the bucket; release does.
func (l *lease) end() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.stopped = true
	l.node.options.Extend(0)
}

// release gives up the lease: it writes the state Gone into the node's record, so that other nodes take the rooms at
// once. Without a lease it has no effect. Errors are ignored, because the lease then expires.
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
