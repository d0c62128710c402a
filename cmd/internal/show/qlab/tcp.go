package qlab

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"voicepool/cmd/internal/show/osc"
)

// maxUnsent is the largest number of updates queued for a connection.
const maxUnsent = 256

// connection is a TCP connection. Answers are written by the goroutine that reads the messages, updates by another.
type connection struct {
	server  *Server
	conn    net.Conn
	updates chan []byte
	ended   chan struct{}
	once    sync.Once
	writing sync.Mutex
}

// accept serves each TCP connection of l in its own goroutines, until l or the server is closed. After a failure, such
// as too many open files, it waits 50 ms.
func (s *Server) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files
			if s.pause(pollInterval) {
				return
			}
			continue
		}
		s.serveConn(conn)
	}
}

// serveConn registers the TCP connection conn as a client and starts the two goroutines that serve it. If maxConns
// are open already or the server is closed, it closes conn.
func (s *Server) serveConn(conn net.Conn) {
	c := &client{server: s, mayAnswer: true}
	c.conn = &connection{server: s, conn: conn, updates: make(chan []byte, maxUnsent), ended: make(chan struct{})}
	if at, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		c.from = unmapped(at.AddrPort())
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
	s.all.Go(func() { c.conn.sendUpdates() })
	s.all.Go(func() {
		c.listen()
		c.end()
		s.removeConn(c)
		s.counters.Clients.Add(-1)
	})
}

// removeConn removes the TCP client c, whose connection has ended, and its subscriptions.
func (s *Server) removeConn(c *client) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.conns, c)
	for w := range s.subscriptions {
		if w.client == c {
			delete(s.subscriptions, w)
		}
	}
}

// listen reads frames from the TCP connection of c and carries out their messages until the connection ends. It returns
// if a minute has passed without a permitted message, or if a frame is unfinished for 10 s; the caller then closes the
// connection. Other connections may be silent indefinitely.
func (c *client) listen() {
	s, conn := c.server, c.conn.conn
	conn.SetReadDeadline(time.Now().Add(s.loginTimeout))
	var frames osc.Frames
	piece := make([]byte, 4096)
	waiting := false // for the end of a frame
	for {
		n, err := conn.Read(piece)
		whole := false
		bad := frames.Feed(piece[:n], func(frame []byte) {
			whole = true
			s.read(c, frame)
		})
		if bad > 0 {
			why := "a frame is not valid SLIP, or too long"
			s.counters.Fault.Store(&why)
			s.counters.Malformed.Add(int64(bad))
		}
		switch pending := frames.Pending(); {
		case !c.authenticated: // the deadline for the first permitted message stays
		case pending && (!waiting || whole):
			waiting = true
			conn.SetReadDeadline(time.Now().Add(s.frameTimeout))
		case !pending:
			waiting = false
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

// write sends packet as a SLIP frame and waits until it is written. If that fails or takes longer than 10 s (200 ms
// when the server closes), it closes the connection. Any goroutine.
func (c *connection) write(packet []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	patience := c.server.frameTimeout
	select {
	case <-c.server.ended:
		patience = closeTimeout
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

// enqueue queues packet, an update, for sendUpdates without blocking. If maxUnsent updates are queued already, it drops
// packet and closes the connection. Any goroutine.
func (c *connection) enqueue(packet []byte) {
	select {
	case c.updates <- packet:
	default:
		c.server.counters.Slow.Add(1)
		c.conn.Close()
		c.end()
	}
}

// sendUpdates writes queued updates until end is called, then the updates that are still queued, and closes the
// connection. It runs on its own goroutine.
func (c *connection) sendUpdates() {
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

// end makes sendUpdates close the connection after the queued updates. It may be called repeatedly. Any goroutine.
func (c *connection) end() { c.once.Do(func() { close(c.ended) }) }

// unmapped returns at with an IPv4-mapped IPv6 address as IPv4, so that addresses of the same sender compare equal.
// Other addresses are unchanged.
func unmapped(at netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
