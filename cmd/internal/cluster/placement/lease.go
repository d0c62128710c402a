package placement

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errNamesake says that the record of the node is another's, which may live.
var errNamesake = errors.New("another node of this name may still play")

// lease is the record of the node, which is renewed.
type lease struct {
	node *Node

	mutex    sync.Mutex
	life     string
	revision uint64 // of the record; 0: there is none of this life
	beat     int64
	stand    Stand
	until    time.Duration // of the clock
	skew     time.Duration // how much the clock of the bucket is ahead of this machine's
	sent     time.Time     // when the last renewal was sent, and when its answer came
	answered time.Time
	told     uint64 // the last revision that a watch has told of, and when that was, by the clock of the bucket
	created  time.Time
	took     time.Duration // that the answer took by which the clocks were compared, and when
	compared time.Time
	ended    bool      // nothing of this node is heard any more
	untold   time.Time // since when a renewal is answered that no watch tells of; zero: each is told
}

// current returns the life that the node is in.
func (l *lease) current() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.life
}

// holds reports whether rooms may be taken: the lease goes on for a while.
func (l *lease) holds() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	o := &l.node.options
	return l.revision != 0 && l.until-o.Now() > o.Timing.Lease/4
}

// record returns the record of the node, as it is now. The mutex is held.
func (l *lease) record() NodeRecord {
	o := &l.node.options
	return NodeRecord{Node: o.Name, Life: l.life, Address: o.Address, Stand: l.stand, Most: o.Most, Beat: l.beat}
}

// take begins a life: it writes a record where there is none, or one of a life that is over.
func (l *lease) take(ctx context.Context) error {
	o := &l.node.options
	key := nodes + o.Name
	old, err := l.get(ctx, key)
	switch {
	case errors.Is(err, ErrMissing):
	case err != nil:
		return err
	default:
		r, ok := decode[NodeRecord](old.Value)
		if ok && r.Stand != Gone && r.Life != l.current() { // else it is this life's: an answer was lost
			return errNamesake // which is marked as gone when it stands still
		}
	}
	return l.write(ctx, old.Revision)
}

// get is Bucket.Get within the time of a renewal.
func (l *lease) get(ctx context.Context, key string) (Entry, error) {
	ctx, cancel := context.WithTimeout(ctx, l.node.options.Timing.Renew)
	defer cancel()
	return l.node.options.Bucket.Get(ctx, key)
}

// write writes the record behind a revision, and extends the lease where that succeeds. What it counts
// from is the moment before it was sent.
func (l *lease) write(ctx context.Context, behind uint64) error {
	o := &l.node.options
	l.mutex.Lock()
	l.beat++
	record := l.record()
	l.mutex.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 2*o.Timing.Renew)
	defer cancel()
	sent, began := time.Now(), o.Now()
	revision, err := o.Bucket.Put(ctx, nodes+o.Name, encode(record), behind)
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.revision, l.until = revision, began+o.Timing.Lease
	l.sent, l.answered = sent, time.Now()
	if l.told < revision && l.untold.IsZero() {
		l.untold = l.answered
	}
	l.compare()
	if !l.ended { // else the answer comes after the end of the node
		o.Extend(l.until)
	}
	return nil
}

// keep renews the lease until ctx ends.
func (l *lease) keep(ctx context.Context) {
	o := &l.node.options
	wait := o.Timing.Renew
	for pause(ctx, wait) {
		l.mutex.Lock()
		revision := l.revision
		l.mutex.Unlock()
		var err error
		switch {
		case revision == 0 && l.node.hasOldSeats(): // what it plays may not be heard in another life
			wait = o.Timing.Look
			continue
		case revision == 0:
			err = l.take(ctx)
		default:
			err = l.write(ctx, revision)
		}
		if errors.Is(err, ErrConflict) {
			l.adopt(ctx)
		}
		wait = o.Timing.Renew
		if err != nil {
			wait = o.Timing.Look
		}
	}
}

// adopt looks at what is there instead of what was to be renewed. A renewal of this life whose answer was lost is
// gone on from. Everything else ends this life.
func (l *lease) adopt(ctx context.Context) {
	o := &l.node.options
	e, err := l.get(ctx, nodes+o.Name)
	if err != nil && !errors.Is(err, ErrMissing) {
		return
	}
	r, _ := decode[NodeRecord](e.Value)
	if l.renewed(&e, &r) {
		return
	}
	l.node.drop() // without the mutex: seats ask for the life
	o.Say("this node was taken for dead, since nobody heard from it: its rooms are others' now, and it begins anew")
}

// renewed goes on from a record as it is there, or ends this life: then it returns false.
func (l *lease) renewed(e *Entry, r *NodeRecord) bool {
	o := &l.node.options
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch {
	case r.Life == l.life && r.Stand != Gone:
		l.revision = max(l.revision, e.Revision) // an old read has a lower one
		return true
	case e.Revision < l.revision && o.Now() < l.until+o.Timing.Lease: // an old read
		return true
	}
	o.Extend(0)
	l.life, l.revision, l.until = newLife(), 0, 0
	return false
}

// ahead returns how much the clock of the bucket is ahead of this machine's.
func (l *lease) ahead() time.Duration {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.skew
}

// stood changes what the node does, at once where NATS answers.
func (l *lease) stood(stand Stand) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.stand = stand
}

// seen takes the record as the bucket has it: its time tells how the clocks differ.
func (l *lease) seen(e *Entry) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.told, l.created = e.Revision, e.Created
	if l.told >= l.revision {
		l.untold = time.Time{}
	}
	l.compare()
}

// compare compares the clocks, once both the answer to a renewal and what a watch tells of it are there.
// The mutex is held.
func (l *lease) compare() {
	if l.told != l.revision || l.revision == 0 || l.created.IsZero() {
		return
	}
	// The error is half of what the answer took at most: a slow one tells less than a quick one of before. Clocks
	// drift apart by a few ms a minute.
	took := l.answered.Sub(l.sent)
	if took > l.took+l.answered.Sub(l.compared)/1000 && !l.compared.IsZero() {
		return
	}
	l.skew, l.took, l.compared = l.created.Sub(l.sent.Add(took/2).Round(0)), took, l.answered
}

// deaf reports whether no watch has told of a renewal for so long.
func (l *lease) deaf(long time.Duration) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return !l.untold.IsZero() && time.Since(l.untold) > long
}

// end has nothing of the node be heard any more, whatever is answered later.
func (l *lease) end() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.ended = true
	l.node.options.Extend(0)
}

// release gives the lease back.
func (l *lease) release(ctx context.Context) {
	l.stood(Gone)
	l.mutex.Lock()
	revision, record := l.revision, l.record()
	l.revision, l.until = 0, 0
	l.mutex.Unlock()
	if revision == 0 {
		return
	}
	_, err := l.node.options.Bucket.Put(ctx, nodes+record.Node, encode(record), revision)
	if errors.Is(err, ErrConflict) { // a renewal was on its way
		if e, err := l.get(ctx, nodes+record.Node); err == nil {
			if r, _ := decode[NodeRecord](e.Value); r.Life == record.Life {
				_, _ = l.node.options.Bucket.Put(ctx, nodes+record.Node, encode(record), e.Revision) // else it runs out
			}
		}
	}
}
