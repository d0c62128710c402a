// Package subject lets any program with a client of NATS play on the rooms of this node: over NATS, MQTT or
// NATS's WebSocket. A room takes on its subject the orders that a WebSocket of the service takes, and
// answers with the same replies. It publishes its events on another.
//
//	s := subject.New(conn, hall, say)
//	defer s.Close()
//	err := s.Begin("main") // this node plays the room
//	s.End("main")          // and does not any more
//
// Who may play is a matter of NATS's permissions: whoever may publish to a room's subject may do what an
// operator may.
package subject

import (
	"errors"
	"sync"
	"sync/atomic"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/service"
)

// Rooms are those that this node answers for. All methods may be called by any goroutine.
type Rooms struct {
	hall *service.Server
	wire wire
	say  func(string)
	deaf atomic.Bool // events cannot be published

	mutex  sync.Mutex
	lines  map[string]*line
	busy   map[string]chan struct{} // rooms that begin or end; closed when that is done
	closed bool
}

// New returns the rooms of a hall on a connection; there is none yet. say is told what people should know, a
// line each; nil: nobody is.
func New(conn *cluster.Conn, hall *service.Server, say func(string)) *Rooms {
	return open(&natsWire{conn.NC}, hall, say)
}

func open(w wire, hall *service.Server, say func(string)) *Rooms {
	if say == nil {
		say = func(string) {}
	}
	return &Rooms{hall: hall, wire: w, say: say, lines: map[string]*line{}, busy: map[string]chan struct{}{}}
}

var errClosed = errors.New("the connection to NATS is closed")

// Begin has a room of the hall answer. For one that answers already it does nothing, unless that has ended
// and another room has its name. The connection may be lost: then the room answers when it is back.
func (s *Rooms) Begin(room string) error {
	if err := cluster.CheckName(room); err != nil {
		return err
	}
	defer s.hold(room)()
	if l := s.line(room); l != nil {
		if !l.over.Load() {
			return nil
		}
		s.put(room, nil)
		l.end()
	}
	l, err := s.begin(room)
	if err != nil {
		return err
	}
	if !s.put(room, l) {
		l.end()
		return errClosed
	}
	return nil
}

// End has a room answer no longer. It returns when NATS sends no further order here, or is lost, and those
// that came before are answered.
func (s *Rooms) End(room string) {
	defer s.hold(room)()
	if l := s.line(room); l != nil {
		s.put(room, nil)
		l.end()
	}
}

// Close ends all rooms. The connection stays open.
func (s *Rooms) Close() {
	s.mutex.Lock()
	s.closed = true
	names := map[string]bool{}
	for name := range s.lines {
		names[name] = true
	}
	for name := range s.busy {
		names[name] = true
	}
	s.mutex.Unlock()
	var all sync.WaitGroup
	for name := range names {
		all.Go(func() { s.End(name) })
	}
	all.Wait()
}

// hold keeps other calls from a room until release.
func (s *Rooms) hold(room string) (release func()) {
	done := make(chan struct{})
	s.mutex.Lock()
	for s.busy[room] != nil {
		other := s.busy[room]
		s.mutex.Unlock()
		<-other
		s.mutex.Lock()
	}
	s.busy[room] = done
	s.mutex.Unlock()
	return func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		delete(s.busy, room)
		close(done)
	}
}

func (s *Rooms) line(room string) *line {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.lines[room]
}

// put notes the line of a room; nil: it has none any more. It returns false where all have been closed.
func (s *Rooms) put(room string, l *line) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if l == nil {
		delete(s.lines, room)
		return true
	}
	if !s.closed {
		s.lines[room] = l
	}
	return !s.closed
}
