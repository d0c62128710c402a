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

// New returns a Rooms, which can make the rooms of server available on NATS over the connection conn. The method Begin
// does that for one room. The function log receives messages for the operator and may be nil. Rooms does not close
// conn.
func New(conn *cluster.Conn, server *service.Server, log func(string)) *Rooms {
	return open(&natsTransport{conn.NC}, server, log)
}

// open returns a Rooms for the rooms of server like New. It uses the transport w in place of a NATS connection, for
// tests. log may be nil.
func open(w transport, server *service.Server, log func(string)) *Rooms {
	if log == nil {
		log = func(string) {}
	}
	return &Rooms{server: server, transport: w, log: log, drainTimeout: drainTimeout, links: map[string]*roomLink{}, busy: map[string]chan struct{}{}}
}

var errClosed = errors.New("the connection to NATS is closed")

// Begin makes the room called room available on NATS. If it is available already, Begin has no effect. If the earlier
// room of this name has ended, Begin connects the new one. While the connection to NATS is lost, the subscription waits
// until it is restored. An invalid name, an unknown room, a refused subscription and a call after Close are errors.
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

// End makes the room called room unavailable on NATS. It returns when all received orders have been answered. Orders
// that still wait after 500 ms are rejected. If the room is not available, End has no effect.
func (s *Rooms) End(room string) {
	defer s.lock(room)()
	if l := s.link(room); l != nil {
		s.put(room, nil)
		l.end()
	}
}

// Close makes all rooms unavailable on NATS and waits until their orders are answered, as End does. Afterwards Begin
// fails. The connection to NATS stays open.
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

// lock keeps other goroutines from Begin and End of the room called room until the caller calls unlock. While another
// goroutine has locked the room, it waits. The caller must not hold s.mutex.
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

// link returns the connection of the room called room with NATS. If the room is not connected, the result is nil.
func (s *Rooms) link(room string) *roomLink {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.links[room]
}

// put stores l as the connection of the room called room with NATS, and returns true. If l is nil, it removes the
// stored connection. After Close it does not store l and returns false. A replaced connection is not ended.
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
