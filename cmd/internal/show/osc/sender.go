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
	// queued is the maximum number of messages that wait for one destination.
	queued = 256

	// stale is the time that a message may wait. A late lighting cue is worse than a missing one.
	stale = time.Second

	// patience is the time limit of a host lookup. again is the time from a failed lookup to the
	// next one. ends is the time that Close waits for messages.
	patience = 5 * time.Second
	again    = 5 * time.Second
	ends     = time.Second

	// answers is the time that errors are awaited after the last message, and the time limit of a write.
	answers = 20 * time.Millisecond
)

// Options are the callbacks of a Sender.
type Options struct {
	Sent   func(m *cue.Message, frame int64) // called for each message sent; safe for concurrent use; optional
	Failed func(error)                       // called once for each kind of failure per destination; safe for concurrent use

	dial func(ctx context.Context, to string) (net.Conn, error) // replaces UDP in tests
	ends time.Duration                                          // replaces the constant ends in tests, if it is not 0
}

// Sender sends the messages of a show. Each destination has its own goroutine, so that a slow
// lookup delays neither other destinations nor the show.
type Sender struct {
	options Options
	ctx     context.Context
	cancel  context.CancelFunc
	all     sync.WaitGroup
	waiting atomic.Int64 // messages
	close   sync.Once

	mutex sync.Mutex
	desks map[string]*desk
}

// desk is a destination.
type desk struct {
	*Sender
	to    string
	queue chan packet
	mutex sync.Mutex
	told  map[string]bool // reported failures

	// Used by its goroutine only.
	conn   net.Conn
	looked time.Time
	refuse sync.WaitGroup // the goroutine that reads its answers
}

type packet struct {
	message *cue.Message
	frame   int64
	bytes   []byte
	since   time.Time
}

// New returns a Sender and starts to look up the hosts in the sheet's messages. The caller must call Close.
func New(sheet *cue.Sheet, o Options) *Sender {
	if o.dial == nil {
		o.dial = func(ctx context.Context, to string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", to)
		}
	}
	s := &Sender{options: o, desks: map[string]*desk{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for i := range sheet.Cues {
		if m := sheet.Cues[i].Message; m != nil {
			s.destination(m.To)
		}
	}
	return s
}

// destination returns the destination with an address HOST:PORT. A new one starts its goroutine.
func (s *Sender) destination(to string) *desk {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	d := s.desks[to]
	if d == nil {
		d = &desk{Sender: s, to: to, queue: make(chan packet, queued), told: map[string]bool{}}
		s.desks[to] = d
		s.all.Go(d.run)
	}
	return d
}

// Send queues a message for its destination and returns at once. If 256 messages already wait, it drops the message
// and reports a failure. frame is passed to Options.Sent. It is a cue.Options.Send.
func (s *Sender) Send(m *cue.Message, frame int64) {
	d := s.destination(m.To)
	s.waiting.Add(1)
	select {
	case d.queue <- packet{m, frame, Append(nil, m), time.Now()}:
	default:
		s.waiting.Add(-1)
		d.fail(fmt.Errorf("more than %d messages wait; the rest is left out", queued))
	}
}

// Close sends the waiting messages, for at most 1 s, and ends the goroutines. Do not call Send afterwards. A second
// Close has no effect.
func (s *Sender) Close() {
	s.close.Do(func() {
		defer s.cancel()
		defer time.AfterFunc(cmp.Or(s.options.ends, ends), s.cancel).Stop()
		if s.waiting.Load() == 0 {
			s.cancel() // cancels host lookups
		}
		s.mutex.Lock()
		for _, d := range s.desks {
			close(d.queue)
		}
		s.mutex.Unlock()
		s.all.Wait()
	})
}

// run looks up the host and sends the queued messages, until Close closes the queue. It runs on its own goroutine.
func (d *desk) run() {
	d.connect()
	for p := range d.queue {
		d.send(&p)
		d.waiting.Add(-1)
	}
	if d.conn != nil {
		d.conn.SetReadDeadline(time.Now().Add(answers))
		d.refuse.Wait()
		d.conn.Close()
	}
}

// send sends p. It drops p if it has waited more than 1 s, if the host is unknown, or if the time of Close is over.
// A failed lookup is repeated after 5 s.
func (d *desk) send(p *packet) {
	switch {
	case d.ctx.Err() != nil:
		return
	case time.Since(p.since) > stale:
		d.fail(errors.New("messages waited for more than a second; they are left out"))
		return
	case d.conn == nil && time.Since(d.looked) >= again:
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

// connect looks up the host, within 5 s, and opens the connection. It reports a failure, and d.conn then stays nil.
func (d *desk) connect() {
	ctx, cancel := context.WithTimeout(d.ctx, patience)
	defer cancel()
	conn, err := d.options.dial(ctx, d.to)
	d.looked = time.Now()
	if err != nil {
		d.fail(err)
		return
	}
	d.conn = conn
	d.refuse.Go(func() { d.listen(conn) })
}

// write writes packet to the connection, which must be open, within 20 ms.
func (d *desk) write(packet []byte) error {
	d.conn.SetWriteDeadline(time.Now().Add(answers))
	_, err := d.conn.Write(packet)
	return err
}

// listen reads and ignores answers until the connection is closed. It reports errors: a closed port appears as an
// error of a read.
func (d *desk) listen(conn net.Conn) {
	answer := make([]byte, 1<<16)
	for {
		_, err := conn.Read(answer)
		if errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			d.fail(err)
			time.Sleep(answers) // a permanent error returns at once
		}
	}
}

// fail passes a failure to Options.Failed. Each kind of failure is passed only once per destination.
func (d *desk) fail(err error) {
	text := cause(err).Error()
	d.mutex.Lock()
	told := d.told[text]
	d.told[text] = true
	d.mutex.Unlock()
	if !told && d.options.Failed != nil {
		d.options.Failed(fmt.Errorf("osc to %s: %s; the show continues, and its exit code will be 1", d.to, text))
	}
}

// cause returns the innermost error of a network error, without addresses. An unknown host has a message of its own.
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
