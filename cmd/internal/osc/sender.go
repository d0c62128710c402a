package osc

import (
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
	// queued is how many messages to one destination wait at most.
	queued = 256

	// stale is how long a message may wait: a light that comes later is worse than none.
	stale = time.Second

	// patience is how long the look for a host may take, again how long after a failure a message
	// has it looked for once more, and ends how long messages are waited for at the end.
	patience = 5 * time.Second
	again    = 5 * time.Second
	ends     = time.Second

	// answers is how long after the last message its refusal is waited for, and a write may take.
	answers = 20 * time.Millisecond
)

// Options say who is told of what.
type Options struct {
	Sent   func(m *cue.Message, frame int64) // a message went out; any goroutine; nil: nobody
	Failed func(error)                       // once for each thing that keeps a destination from being reached; any goroutine

	dial func(ctx context.Context, to string) (net.Conn, error) // in place of UDP, in tests
}

// Sender sends the messages of a show. Each destination has a goroutine of its own, so that one whose
// name cannot be found holds up no other, and never the show.
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
	told  map[string]bool // failures

	// Of its goroutine.
	conn   net.Conn
	looked time.Time
	refuse sync.WaitGroup // what reads its answers
}

type packet struct {
	message *cue.Message
	frame   int64
	bytes   []byte
	since   time.Time
}

// New returns a sender that has begun to look for the hosts that a sheet names.
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
			s.desk(m.To)
		}
	}
	return s
}

// desk returns a destination.
func (s *Sender) desk(to string) *desk {
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

// Send sends a message and returns at once. It is for cue.Options.Send.
func (s *Sender) Send(m *cue.Message, frame int64) {
	d := s.desk(m.To)
	s.waiting.Add(1)
	select {
	case d.queue <- packet{m, frame, Append(nil, m), time.Now()}:
	default:
		s.waiting.Add(-1)
		d.fail(fmt.Errorf("more than %d messages wait; the rest is left out", queued))
	}
}

// Close sends what waits, for a second at most. Nothing is to be sent after. Closing twice is
// harmless.
func (s *Sender) Close() {
	s.close.Do(func() {
		defer s.cancel()
		defer time.AfterFunc(ends, s.cancel).Stop()
		if s.waiting.Load() == 0 {
			s.cancel() // a look for a host
		}
		s.mutex.Lock()
		for _, d := range s.desks {
			close(d.queue)
		}
		s.mutex.Unlock()
		s.all.Wait()
	})
}

// run sends what is queued.
func (d *desk) run() {
	d.look()
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

// send sends a message, if it can.
func (d *desk) send(p *packet) {
	switch {
	case d.ctx.Err() != nil:
		return
	case time.Since(p.since) > stale:
		d.fail(errors.New("messages waited for more than a second; they are left out"))
		return
	case d.conn == nil && time.Since(d.looked) >= again:
		d.look()
	}
	if d.conn == nil {
		return
	}
	err := d.write(p.bytes)
	if err != nil {
		err = d.write(p.bytes) // the first one may have had the refusal of the message before
	}
	if err != nil {
		d.fail(err)
	} else if d.options.Sent != nil {
		d.options.Sent(p.message, p.frame)
	}
}

// look finds the host.
func (d *desk) look() {
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

func (d *desk) write(packet []byte) error {
	d.conn.SetWriteDeadline(time.Now().Add(answers))
	_, err := d.conn.Write(packet)
	return err
}

// listen learns that nobody takes the messages: the system says so to who reads. What a desk answers
// is passed over.
func (d *desk) listen(conn net.Conn) {
	answer := make([]byte, 1<<16)
	for {
		_, err := conn.Read(answer)
		if errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
		if err != nil {
			d.fail(err)
			time.Sleep(answers) // what fails for good does so at once
		}
	}
}

// fail tells of a failure, if it is a new one.
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

// cause returns an error without the names of sockets.
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
