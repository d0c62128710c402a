package placement

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Timing configures the leases. It must be equal on all nodes of a cluster.
type Timing struct {
	Lease  time.Duration // how long a node plays after sending its last successful renewal
	Renew  time.Duration // interval between renewals
	Margin time.Duration // additional wait of other nodes: the largest difference of two clocks during a Lease
	Poll   time.Duration // polling interval for rooms to take
	Queue  time.Duration // how long a node waits per predecessor in the order of a room
	Forget time.Duration // when the record of a node that is gone is deleted
}

// DefaultTiming is the timing of the voicepool program.
var DefaultTiming = Timing{Lease: 3500 * time.Millisecond, Renew: 700 * time.Millisecond, Margin: 250 * time.Millisecond, Poll: 50 * time.Millisecond, Queue: time.Second, Forget: 10 * time.Minute}

// Tenant is a room opened by this node. Its methods may be called by any goroutine.
type Tenant interface {
	// State returns the state of the room as JSON, for another node to resume from. still changes if anything
	// other than the playback time has changed.
	State() (state []byte, still string)

	// Sheet returns the bundle of the current sheet and sounds, and its File. It returns "" if that is not
	// available now.
	Sheet(context.Context) (sheet, file string)

	Enter(fade time.Duration) // fades in, if the node may play; also after a Leave
	Leave(fade time.Duration) // fades out; does not wait
	Close()                   // ends the room; it is silent from the moment of the call
	Done() <-chan struct{}    // closed when the room has ended, for any reason
}

// Refusal is a permanent error of opening a room on a node, such as a faulty sheet.
type Refusal struct{ Err error }

// Error returns the message of r.Err.
func (r Refusal) Error() string { return r.Err.Error() }

// Unwrap returns r.Err.
func (r Refusal) Unwrap() error { return r.Err }

// Opening is the input for opening a room.
type Opening struct {
	Room, Sheet, File string
	State             []byte        // state to resume; nil: a new room
	Skew              time.Duration // to add to the times in State, to convert them to this machine's clock
}

// Options configures a node.
type Options struct {
	Name     string
	Address  string
	MaxRooms int // largest number of rooms
	Timing   Timing
	Bucket   Bucket
	Now      func() time.Duration // the clock of leases; monotonic, also during sleep
	Extend   func(time.Duration)  // called with the end of the lease by that clock; 0: stop playing

	// Open opens a room silently. It may take long. If it fails with a Refusal, this node does not try again;
	// after other errors it does.
	Open func(context.Context, Opening) (Tenant, error)

	Log func(string) // called with lines for the operator; any goroutine
}

// Node is this node of a cluster. Its exported methods are safe for concurrent use.
type Node struct {
	options    Options
	lease      lease
	seen       view
	watchState watchState
	ctx        context.Context // context of its goroutines
	cancel     context.CancelFunc
	group      sync.WaitGroup

	mutex   sync.Mutex
	hosted  map[string]*hostedRoom
	removed map[string]uint64 // revisions of rooms that were removed here, which a watch may still report
	placing map[string]int    // number of calls of Place under way, by room
	closed  bool

	failures   map[string]failure // by room: failed attempts to open it
	fencingErr error              // why this node's previous record cannot be marked as gone; may be nil
	moves      chan struct{}      // semaphore of moving rooms

	closing chan struct{} // closed by Close
	fade    time.Duration // fade-out of Close
}

// maxMoves is the largest number of rooms that a draining node moves at once.
const maxMoves = 4

// Fade is the length of the cross-fade of a moving room.
const Fade = 300 * time.Millisecond

// Join makes this process a node of the cluster. It waits until the node has its lease, the right to play rooms, and
// returns the node. The node takes rooms in the background until Close. A zero o.Timing means DefaultTiming.
//
// If another running process has the same name, Join fails after about two lease times. If that process has died, Join
// waits until its lease has expired. The end of ctx ends the wait with an error, but does not stop a node that Join has
// returned.
func Join(ctx context.Context, o Options) (*Node, error) {
	o.Timing = cmp.Or(o.Timing, DefaultTiming)
	n := &Node{options: o, hosted: map[string]*hostedRoom{}, removed: map[string]uint64{}, placing: map[string]int{}, failures: map[string]failure{}, moves: make(chan struct{}, maxMoves), closing: make(chan struct{})}
	n.lease = lease{node: n, life: newLife()}
	n.seen.now = o.Now
	n.ctx, n.cancel = context.WithCancel(context.WithoutCancel(ctx))
	n.group.Go(func() { n.watch(n.ctx) })
	n.group.Go(func() { n.reconcile(n.ctx) })
	if err := n.waitForLease(ctx); err != nil {
		n.cancel()
		n.group.Wait()
		return nil, err
	}
	n.group.Go(func() { n.lease.renew(n.ctx) })
	return n, nil
}

// newLife returns a random id of 12 characters for one run of a node with a lease. Each call returns another id.
func newLife() string { return rand.Text()[:12] }

// waitForLease tries to get the first lease of this node until it succeeds or ctx ends. If a running node has the same
// name, it returns an error after about two lease times. If ctx ends, it returns the error of ctx. After one lease time
// it reports the reason of the wait to the operator.
func (n *Node) waitForLease(ctx context.Context) error {
	o := &n.options
	start, reported := o.Now(), ""
	able := start // since when the node is able to mark another life as gone
	for {
		err := n.lease.acquire(ctx)
		if err == nil || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), err)
		}
		if errors.Is(err, errNameInUse) {
			// Whether the other node is running can only be decided if this node sees its record and can
			// write it.
			why := cmp.Or(n.WatchError(), n.fencingError())
			if why != nil {
				able = o.Now()
			}
			if o.Now()-able > 2*(o.Timing.Lease+o.Timing.Margin) {
				return fmt.Errorf("--node: a running node already has the name %s; choose another name", o.Name)
			}
			err = cmp.Or(why, err)
		}
		if reported != err.Error() && o.Now()-start > o.Timing.Lease {
			reported = err.Error()
			o.Log("waiting for the lease of this node: " + reported)
		}
		if !pause(ctx, o.Timing.Poll) {
			return ctx.Err()
		}
	}
}

// fencingError returns the reason why the record of an earlier run of this node could not be marked as gone at the last
// attempt. If that has not failed, the result is nil.
func (n *Node) fencingError() error {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.fencingErr
}

// pause waits for the duration d or until ctx ends. The result is false if ctx has ended first, otherwise true.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Name returns the name of the node.
func (n *Node) Name() string { return n.options.Name }

// Elsewhere returns the name and the URL of the other node that plays the room called room. If this node plays the
// room, if the room is unknown, or if its node has ended, known is false. The answer is from this node's copy of the
// bucket and may be stale.
func (n *Node) Elsewhere(room string) (node, address string, known bool) {
	r, known := n.seen.room(room)
	if !known || r.record.Life == n.lease.current() {
		return "", "", false
	}
	owner, alive := n.seen.alive(r.record.Life)
	return r.record.Node, owner.record.Address, alive
}

// Orphan reports whether the cluster has a room of the given name that is not played by another node now. A room that
// this node owns counts as well, because this node is opening it. If the room has no live owner and a node has refused
// to play it, why is that reason, otherwise "". For an unknown room orphan is false.
func (n *Node) Orphan(room string) (why string, orphan bool) {
	r, known := n.seen.room(room)
	if !known {
		return "", false
	}
	if _, alive := n.seen.alive(r.record.Life); alive {
		return "", r.record.Life == n.lease.current() // this node is opening it
	}
	return r.record.why(), true
}

// Moving reports whether this node is handing the room called room over to another node. If the room is not on this
// node, the result is false.
func (n *Node) Moving(room string) bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	s := n.hosted[room]
	return s != nil && s.leaving
}

// Close makes the node leave the cluster. The parameter fade is the length of the fade-out of its rooms. The rooms save
// their state, and other nodes resume them at once, or after the end of the lease if NATS does not answer. Close
// returns when the node is silent, at the latest 250 ms after the fade. A second call returns at once.
func (n *Node) Close(fade time.Duration) {
	n.mutex.Lock()
	again := n.closed
	n.closed, n.fade = true, fade
	n.mutex.Unlock()
	if again {
		return
	}
	close(n.closing)
	ctx, cancel := context.WithTimeout(context.Background(), fade+closeTimeout)
	defer cancel()
	if n.hostsRooms() {
		pause(ctx, fade) // during the fade, rooms save their state
	}
	n.lease.end()
	n.cancel()
	n.lease.release(ctx)
	over := make(chan struct{})
	go func() {
		n.group.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-ctx.Done(): // rooms that have not ended are silent
	}
}

// closeTimeout is the time limit for NATS at the end of a node.
const closeTimeout = 250 * time.Millisecond

// hostsRooms reports whether this node has a room open or is opening one. Rooms that it took with an earlier lease
// count, too.
func (n *Node) hostsRooms() bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return len(n.hosted) > 0
}
