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

// accept serves each TCP connection of the listener l, on goroutines of its own. It returns when l or the server is
// closed. After a failure, such as too many open files, it waits 50 ms and continues.
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

// serveConn registers the TCP connection conn as a client and starts the two goroutines that serve it. If 64
// connections are open already, or if the server is closed, it closes conn instead.
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

// removeConn removes the TCP client c, whose connection has ended, from the server. Its subscriptions to updates end,
// too.
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

// listen reads SLIP frames from the TCP connection of c and carries out their messages. It returns when the connection
// ends. It also returns if the client sends no permitted message within a minute, or if a frame is unfinished for 10 s.
// After a permitted message the client may be silent without a limit. The caller closes the connection.
func (c *client) listen() {
	s, conn := c.server, c.conn.conn
	conn.SetReadDeadline(time.Now().Add(loginTimeout))
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
			conn.SetReadDeadline(time.Now().Add(frameTimeout))
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

// write sends packet as a SLIP frame and waits until it is written. If that fails or takes longer than 10 s, it closes
// the connection. While the server closes, the limit is 200 ms. Any goroutine.
func (c *connection) write(packet []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	patience := frameTimeout
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

// enqueue hands packet, an update, to the goroutine of sendUpdates and returns at once. If 256 updates are queued
// already, it drops packet and closes the connection. Any goroutine.
func (c *connection) enqueue(packet []byte) {
	select {
	case c.updates <- packet:
	default:
		c.server.counters.Slow.Add(1)
		c.conn.Close()
		c.end()
	}
}

// sendUpdates is the goroutine that writes the updates for one connection. When the method end has been called, it
// writes the updates that are still queued, closes the connection and returns.
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

// end makes the connection close after its queued updates are written. It does not wait. It may be called repeatedly.
// Any goroutine.
func (c *connection) end() { c.once.Do(func() { close(c.ended) }) }

// unmapped converts an IPv4-mapped IPv6 address to IPv4, so that addresses of the same sender compare equal. It returns
// other addresses unchanged. The port stays the same.
func unmapped(at netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
