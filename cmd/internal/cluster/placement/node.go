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

// Timing is how leases go. It is the same on all nodes of a cluster.
type Timing struct {
	Lease  time.Duration // that a node plays on after the last renewal that succeeded
	Renew  time.Duration // between renewals
	Margin time.Duration // that others wait longer: clocks may go that much unequally in a Lease
	Look   time.Duration // between looks at what is to be taken
	Queue  time.Duration // that a node waits for one that comes before it in the order of a room
	Forget time.Duration // after which the record of a node that is gone goes, too
}

// Standard is the timing of the program.
var Standard = Timing{Lease: 3500 * time.Millisecond, Renew: 700 * time.Millisecond, Margin: 250 * time.Millisecond, Look: 50 * time.Millisecond, Queue: time.Second, Forget: 10 * time.Minute}

// Tenant is a room that this node has opened. All methods may be called by any goroutine.
type Tenant interface {
	// State returns how it stands, as JSON, for another node to go on from. still is the same as long as
	// nothing has changed but the time.
	State() (state []byte, still string)

	// Sheet returns the bundle of its sheet and sounds, as they are now, and the File that goes with it; empty:
	// it cannot be told now.
	Sheet(context.Context) (sheet, file string)

	Enter(fade time.Duration) // it is heard from here on, while the node may be; also after a Leave
	Leave(fade time.Duration) // it is heard no more after the fade. It does not wait
	Close()                   // ends it: nothing of it is heard from the moment of the call
	Done() <-chan struct{}    // closed when it has ended, by itself or by a call
}

// Refusal is the error of a room that a node cannot open now or later, such as one with a faulty sheet.
type Refusal struct{ Err error }

// Error says what is wrong.
func (r Refusal) Error() string { return r.Err.Error() }

// Unwrap returns what is wrong.
func (r Refusal) Unwrap() error { return r.Err }

// Opening is what a room is opened from.
type Opening struct {
	Room, Sheet, File string
	State             []byte        // how it stood; nil: it begins
	Skew              time.Duration // to add to the times in State, so that they are this machine's
}

// Options say what a node is.
type Options struct {
	Name    string
	Address string
	Most    int // rooms
	Timing  Timing
	Bucket  Bucket
	Now     func() time.Duration // the clock of leases, which never stands still
	Extend  func(time.Duration)  // told until when this node may be heard, by that clock; 0: not any more

	// Open opens a room, which is not heard yet. It may take its time. The error says why this node cannot; one
	// that is no Refusal is tried again.
	Open func(context.Context, Opening) (Tenant, error)

	Say func(string) // told what people should know, a line each; any goroutine
}

// Node is this node of a cluster.
type Node struct {
	options  Options
	lease    lease
	seen     view
	watching watching
	life     context.Context // of its goroutines
	cancel   context.CancelFunc
	group    sync.WaitGroup

	mutex   sync.Mutex
	seats   map[string]*seat
	removed map[string]uint64 // revisions of rooms that were removed here, which a watch may still tell of
	closed  bool

	failures map[string]failure // of rooms that could not be opened
	unfenced error              // why the record of this node's last life could not be marked as gone; nil: it can
	moves    chan struct{}      // has one for each room that moves

	ending chan struct{} // closed by Close
	fade   time.Duration // of that
}

// mostMoves is how many rooms a node that is drained hands over at once.
const mostMoves = 4

// Fade is how long a room fades that moves from node to node.
const Fade = 300 * time.Millisecond

// Join has a node begin. It waits until it has a lease: where another process of this name has one that
// goes on, that is an error; where it does not, until that is over.
func Join(ctx context.Context, o Options) (*Node, error) {
	o.Timing = cmp.Or(o.Timing, Standard)
	n := &Node{options: o, seats: map[string]*seat{}, removed: map[string]uint64{}, failures: map[string]failure{}, moves: make(chan struct{}, mostMoves), ending: make(chan struct{})}
	n.lease = lease{node: n, life: newLife()}
	n.seen.now = o.Now
	n.life, n.cancel = context.WithCancel(context.WithoutCancel(ctx))
	n.group.Go(func() { n.watch(n.life) })
	n.group.Go(func() { n.reconcile(n.life) })
	if err := n.enrol(ctx); err != nil {
		n.cancel()
		n.group.Wait()
		return nil, err
	}
	n.group.Go(func() { n.lease.keep(n.life) })
	return n, nil
}

func newLife() string { return rand.Text()[:12] }

// enrol waits for the first lease.
func (n *Node) enrol(ctx context.Context) error {
	o := &n.options
	began, told := o.Now(), ""
	able := began // since when nothing keeps this node from ending the record of another life
	for {
		err := n.lease.take(ctx)
		if err == nil || ctx.Err() != nil {
			return cmp.Or(ctx.Err(), err)
		}
		if errors.Is(err, errNamesake) {
			// Whether the other node runs shows only where this one sees its record and may write it.
			why := cmp.Or(n.Watching(), n.fenced())
			if why != nil {
				able = o.Now()
			}
			if o.Now()-able > 2*(o.Timing.Lease+o.Timing.Margin) {
				return fmt.Errorf("--node: another node is called %s, and runs; choose another name", o.Name)
			}
			err = cmp.Or(why, err)
		}
		if told != err.Error() && o.Now()-began > o.Timing.Lease {
			told = err.Error()
			o.Say("waiting for the lease of this node: " + told)
		}
		if !pause(ctx, o.Timing.Look) {
			return ctx.Err()
		}
	}
}

// fenced returns why the record of this node's last life cannot be marked as gone; nil: it can, as far as is known.
func (n *Node) fenced() error {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return n.unfenced
}

// pause waits for a time, and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// Name returns what the node is called.
func (n *Node) Name() string { return n.options.Name }

// Elsewhere returns the node that plays a room, if another does, as far as is known here.
func (n *Node) Elsewhere(room string) (node, address string, known bool) {
	r, known := n.seen.room(room)
	if !known || r.record.Life == n.lease.current() {
		return "", "", false
	}
	owner, alive := n.seen.alive(r.record.Life)
	return r.record.Node, owner.record.Address, alive
}

// Orphan reports whether nobody plays a room that is placed, and why the node that tried last cannot.
func (n *Node) Orphan(room string) (why string, orphan bool) {
	r, known := n.seen.room(room)
	if !known {
		return "", false
	}
	if _, alive := n.seen.alive(r.record.Life); alive {
		return "", r.record.Life == n.lease.current() // which is opening it
	}
	return r.record.why(), true
}

// Moving reports whether a room of this node is on its way to another.
func (n *Node) Moving(room string) bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	s := n.seats[room]
	return s != nil && s.leaving
}

// Close has the node leave: others go on with its rooms at once. It returns when nothing is heard any more,
// within the fade and parting.
func (n *Node) Close(fade time.Duration) {
	n.mutex.Lock()
	again := n.closed
	n.closed, n.fade = true, fade
	n.mutex.Unlock()
	if again {
		return
	}
	close(n.ending)
	ctx, cancel := context.WithTimeout(context.Background(), fade+parting)
	defer cancel()
	if n.sits() {
		pause(ctx, fade) // meanwhile rooms write down how they stood
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
	case <-ctx.Done(): // what does not end is heard no more
	}
}

// parting is how long NATS may take at the end of a node.
const parting = 250 * time.Millisecond

// sits reports whether rooms are open here.
func (n *Node) sits() bool {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return len(n.seats) > 0
}
