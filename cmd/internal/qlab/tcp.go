package qlab

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"voicepool/cmd/internal/osc"
)

// unsent is how many updates may wait for a connection.
const unsent = 256

// connection is one of TCP.
type connection struct {
	server  *Server
	conn    net.Conn
	updates chan []byte
	ended   chan struct{}
	once    sync.Once
	writing sync.Mutex
}

// accept takes connections.
func (s *Server) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files, say
			if s.pause(tick) {
				return
			}
			continue
		}
		s.greet(conn)
	}
}

// greet begins to serve a connection, unless there are too many.
func (s *Server) greet(conn net.Conn) {
	c := &client{server: s, known: true}
	c.conn = &connection{server: s, conn: conn, updates: make(chan []byte, unsent), ended: make(chan struct{})}
	if at, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		c.from = plain(at.AddrPort())
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	select {
	case <-s.ended:
		conn.Close()
		return
	default:
	}
	if len(s.conns) >= maxConns {
		s.counters.Refused.Add(1)
		conn.Close()
		return
	}
	s.conns[c] = true
	s.counters.Clients.Add(1)
	s.all.Go(func() { c.conn.tell() })
	s.all.Go(func() {
		c.listen()
		c.end()
		s.forget(c)
		s.counters.Clients.Add(-1)
	})
}

// forget drops a client that has gone.
func (s *Server) forget(c *client) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.conns, c)
	for w := range s.watches {
		if w.client == c {
			delete(s.watches, w)
		}
	}
}

// listen reads messages until the connection ends. Somebody who says nothing that is allowed, or who
// does not end a frame, is dropped; somebody else may be silent for as long as he likes.
func (c *client) listen() {
	s, conn := c.server, c.conn.conn
	conn.SetReadDeadline(time.Now().Add(s.prove))
	var frames osc.Frames
	piece := make([]byte, 4096)
	waits := false // for the end of a frame
	for {
		n, err := conn.Read(piece)
		whole := false
		bad := frames.Feed(piece[:n], func(frame []byte) {
			whole = true
			s.read(c, frame)
		})
		if bad > 0 {
			why := "a frame is not SLIP, or too long"
			s.counters.Fault.Store(&why)
			s.counters.Malformed.Add(int64(bad))
		}
		switch pending := frames.Pending(); {
		case !c.proven: // the time runs on
		case pending && (!waits || whole):
			waits = true
			conn.SetReadDeadline(time.Now().Add(s.finish))
		case !pending:
			waits = false
			conn.SetReadDeadline(time.Time{})
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			s.counters.Slow.Add(1)
		}
		if err != nil {
			return
		}
	}
}

// write sends a packet. A connection that does not take it in time ends.
func (c *connection) write(packet []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	patience := c.server.finish
	select {
	case <-c.server.ended:
		patience = goodbye
	default:
	}
	c.conn.SetWriteDeadline(time.Now().Add(patience))
	if _, err := c.conn.Write(osc.AppendFrame(nil, packet)); err != nil {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.server.counters.Slow.Add(1)
		}
		c.conn.Close()
		c.end()
	}
}

// later sends an update behind others. Where too many wait, the connection ends.
func (c *connection) later(packet []byte) {
	select {
	case c.updates <- packet:
	default:
		c.server.counters.Slow.Add(1)
		c.conn.Close()
		c.end()
	}
}

// tell sends updates until the connection ends, and closes it behind the last.
func (c *connection) tell() {
	defer c.conn.Close()
	for {
		select {
		case packet := <-c.updates:
			c.write(packet)
			continue
		case <-c.ended:
		}
		for {
			select {
			case packet := <-c.updates:
				c.write(packet)
				continue
			default:
			}
			return
		}
	}
}

// end ends the connection, behind the updates that wait. Any goroutine.
func (c *connection) end() { c.once.Do(func() { close(c.ended) }) }

// plain returns an address as IPv4 where it is one.
func plain(at netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
