// Package natsroom makes the rooms of this node available to any NATS client: over NATS, MQTT or
// NATS's WebSocket. A room has one subject for orders, with the orders and replies of the service's
// WebSocket, and one for its events.
//
//	s := natsroom.New(conn, server, log)
//	defer s.Close()
//	err := s.Begin("main") // this node plays the room
//	s.End("main")          // this node has stopped playing it
//
// NATS's permissions control access: a client that may publish to a room's subject has the role of
// an operator.
package natsroom

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/serve/service"
)

// Rooms connects the rooms of this node to NATS. All methods are safe for concurrent use.
type Rooms struct {
	server       *service.Server
	transport    transport
	log          func(string)
	publishFails atomic.Bool // events cannot be published

	mutex        sync.Mutex
	drainTimeout time.Duration // the constant drainTimeout; tests shorten it

	links  map[string]*roomLink
	busy   map[string]chan struct{} // rooms that begin or end; the channel is closed afterwards
	closed bool
}

// New returns a Rooms that can connect the rooms of server to NATS over conn; Begin connects a room. log receives log
// lines and may be nil. Rooms does not close conn.
func New(conn *cluster.Conn, server *service.Server, log func(string)) *Rooms {
	return open(&natsTransport{conn.NC}, server, log)
}

// open is New with the transport w instead of a connection, for tests.
func open(w transport, server *service.Server, log func(string)) *Rooms {
	if log == nil {
		log = func(string) {}
	}
	return &Rooms{server: server, transport: w, log: log, drainTimeout: drainTimeout, links: map[string]*roomLink{}, busy: map[string]chan struct{}{}}
}

var errClosed = errors.New("the connection to NATS is closed")

// Begin makes the room called room available on NATS. If it is available already, Begin has no effect, unless that room
// has ended and a new one has its name; then the new one becomes available. While the connection is lost, the
// subscription waits until it is restored. An invalid name, an unknown room and a call after Close are errors.
func (s *Rooms) Begin(room string) error {
	if err := cluster.CheckName(room); err != nil {
		return err
	}
	defer s.lock(room)()
	if l := s.link(room); l != nil {
		if !l.ended.Load() {
			return nil
		}
		s.put(room, nil)
		l.end()
	}
	l, err := s.connect(room)
	if err != nil {
		return err
	}
	if !s.put(room, l) {
		l.end()
		return errClosed
	}
	return nil
}

// End disconnects the room called room, if it is connected. It returns when all received orders have been answered;
// orders that wait for more than 500 ms are rejected.
func (s *Rooms) End(room string) {
	defer s.lock(room)()
	if l := s.link(room); l != nil {
		s.put(room, nil)
		l.end()
	}
}

// Close disconnects all rooms as End does, and waits for that. Begin then fails. The connection to NATS stays open.
func (s *Rooms) Close() {
	s.mutex.Lock()
	s.closed = true
	names := map[string]bool{}
	for name := range s.links {
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

// lock locks the room called room against Begin and End on other goroutines, and waits while another goroutine has
// locked it. The caller must call the returned unlock, and must not hold s.mutex.
func (s *Rooms) lock(room string) (unlock func()) {
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

// link returns the link of the room called room, or nil if the room is not connected.
func (s *Rooms) link(room string) *roomLink {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.links[room]
}

// put stores l as the link of the room called room and returns true; nil deletes the link. After Close it does not
// store l and returns false. It does not end a link that it replaces.
func (s *Rooms) put(room string, l *roomLink) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if l == nil {
		delete(s.links, room)
		return true
	}
	if !s.closed {
		s.links[room] = l
	}
	return !s.closed
}
