package osc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cue"
)

const (
	// maxQueued is the maximum number of messages that wait for one destination.
	maxQueued = 256

	// maxAge is the time that a message may wait. A late lighting cue is worse than a missing one.
	maxAge = time.Second

	// lookupTimeout is the time limit of a host lookup. retryInterval is the time from a failed lookup to the
	// next one. closeTimeout is the time that Close waits for messages.
	lookupTimeout = 5 * time.Second
	retryInterval = 5 * time.Second
	closeTimeout  = time.Second

	// writeTimeout is the time that errors are awaited after the last message, and the time limit of a write.
	writeTimeout = 20 * time.Millisecond
)

// Options are the callbacks of a Sender.
type Options struct {
	Sent   func(m *cue.Message, frame int64) // called for each message sent; safe for concurrent use; optional
	Failed func(error)                       // called once for each kind of failure per destination; safe for concurrent use

	dial         func(ctx context.Context, to string) (net.Conn, error) // replaces UDP in tests
	closeTimeout time.Duration                                          // replaces the constant closeTimeout in tests, if it is not 0
}

// Sender sends the messages of a show over UDP. Each destination has its own goroutine, so that a slow lookup delays
// neither other destinations nor the show.
type Sender struct {
	options Options
	ctx     context.Context
	cancel  context.CancelFunc
	all     sync.WaitGroup
	pending atomic.Int64 // messages
	close   sync.Once

	mutex        sync.Mutex
	destinations map[string]*destination
}

// destination is a host and port, with the queue and the connection to it.
type destination struct {
	*Sender
	to       string
	queue    chan packet
	mutex    sync.Mutex
	reported map[string]bool // reported failures

	// Used by its goroutine only.
	conn     net.Conn
	lookedUp time.Time
	reader   sync.WaitGroup // the goroutine that reads its answers
}

// packet is an encoded message in a queue. since is the time of Send, and frame the argument of Options.Sent.
type packet struct {
	message *cue.Message
	frame   int64
	bytes   []byte
	since   time.Time
}

// New returns a Sender. In the background it looks up the hosts of all messages in sheet, so that the first Send to
// them is fast. Other destinations are possible too. The caller must call Close.
func New(sheet *cue.Sheet, o Options) *Sender {
	if o.dial == nil {
		o.dial = func(ctx context.Context, to string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", to)
		}
	}
	s := &Sender{options: o, destinations: map[string]*destination{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for i := range sheet.Cues {
		if m, is := sheet.Cues[i].Action.(*cue.Message); is {
			s.destination(m.To)
		}
	}
	return s
}

// destination returns the destination for the address to, which has the form HOST:PORT. For a new address it creates
// the destination, stores it in s.destinations, and starts a goroutine that looks up the host and sends.
func (s *Sender) destination(to string) *destination {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	d := s.destinations[to]
	if d == nil {
		d = &destination{Sender: s, to: to, queue: make(chan packet, maxQueued), reported: map[string]bool{}}
		s.destinations[to] = d
		s.all.Go(d.run)
	}
	return d
}

// Send queues the message m for the destination m.To and returns at once. If 256 messages wait for that destination
// already, it drops m and reports a failure to Options.Failed. Options.Sent receives frame after m has been sent. Do
// not call Send after Close. Its type fits play.Options.Send.
func (s *Sender) Send(m *cue.Message, frame int64) {
	d := s.destination(m.To)
	s.pending.Add(1)
	select {
	case d.queue <- packet{m, frame, Append(nil, m), time.Now()}:
	default:
		s.pending.Add(-1)
		d.fail(fmt.Errorf("more than %d messages wait; the rest is left out", maxQueued))
	}
}

// Close sends the waiting messages for at most 1 s and drops the rest. Then it ends all goroutines of the Sender. Do
// not call Send afterwards. A second Close has no effect.
func (s *Sender) Close() {
	s.close.Do(func() {
		defer s.cancel()
		defer time.AfterFunc(cmp.Or(s.options.closeTimeout, closeTimeout), s.cancel).Stop()
		if s.pending.Load() == 0 {
			s.cancel() // cancels host lookups
		}
		s.mutex.Lock()
		for _, d := range s.destinations {
			close(d.queue)
		}
		s.mutex.Unlock()
		s.all.Wait()
	})
}

// run is the goroutine of one destination. It looks up the host and sends the queued messages until Close closes the
// queue. Then it waits 20 ms for errors of the last message and closes the connection.
func (d *destination) run() {
	d.connect()
	for p := range d.queue {
		d.send(&p)
		d.pending.Add(-1)
	}
	if d.conn != nil {
		d.conn.SetReadDeadline(time.Now().Add(writeTimeout))
		d.reader.Wait()
		d.conn.Close()
	}
}

// send sends the message p over UDP and then calls Options.Sent. A failed write is repeated once. If it fails again,
// Options.Failed receives the error.
//
// p is dropped in three cases: it has waited more than 1 s, which is passed to Options.Failed; the host is unknown; or
// the time limit of Close is over. If a lookup of the host failed at least 5 s ago, send repeats the lookup first.
func (d *destination) send(p *packet) {
	switch {
	case d.ctx.Err() != nil:
		return
	case time.Since(p.since) > maxAge:
		d.fail(errors.New("messages waited for more than a second; they are left out"))
		return
	case d.conn == nil && time.Since(d.lookedUp) >= retryInterval:
		d.connect()
	}
	if d.conn == nil {
		return
	}
	err := d.write(p.bytes)
	if err != nil {
		err = d.write(p.bytes) // the first error may belong to the previous message
	}
	if err != nil {
		d.fail(err)
	} else if d.options.Sent != nil {
		d.options.Sent(p.message, p.frame)
	}
}

// connect looks up the host within 5 s, opens the connection d.conn, and starts a goroutine that reads from it. It sets
// d.lookedUp to the present time. A failure is passed to Options.Failed, and d.conn stays nil.
func (d *destination) connect() {
	ctx, cancel := context.WithTimeout(d.ctx, lookupTimeout)
	defer cancel()
	conn, err := d.options.dial(ctx, d.to)
	d.lookedUp = time.Now()
	if err != nil {
		d.fail(err)
		return
	}
	d.conn = conn
	d.reader.Go(func() { d.listen(conn) })
}

// write sends the bytes of packet over d.conn, which must be open. It returns an error if that fails or takes more than
// 20 ms.
func (d *destination) write(packet []byte) error {
	d.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := d.conn.Write(packet)
	return err
}

// listen reads from conn to find errors: a closed port of the destination, for example, appears as a read error. Such
// errors are passed to Options.Failed. Answers are ignored. listen returns when the connection is closed or its read
// deadline is over.
func (d *destination) listen(conn net.Conn) {
	answer := make([]byte, 1<<16)
	for {
		_, err := conn.Read(answer)
		if errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			d.fail(err)
			time.Sleep(writeTimeout) // a permanent error returns at once
		}
	}
}

// fail passes the failure err to Options.Failed, together with the name of the destination. The same text is passed
// only once per destination.
func (d *destination) fail(err error) {
	text := cause(err).Error()
	d.mutex.Lock()
	known := d.reported[text]
	d.reported[text] = true
	d.mutex.Unlock()
	if !known && d.options.Failed != nil {
		d.options.Failed(fmt.Errorf("osc to %s: %s; the show continues, and its exit code will be 1", d.to, text))
	}
}

// cause returns the innermost error of a network error, because its text has no addresses and system calls. For a
// failed host lookup it returns an error with a message of its own. Other errors are returned unchanged.
func cause(err error) error {
	if at, ok := errors.AsType[*net.OpError](err); ok {
		err = at.Err
	}
	if at, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("no host has this name: " + at.Err)
	}
	if at, ok := errors.AsType[*os.SyscallError](err); ok {
		err = at.Err
	}
	return err
}
