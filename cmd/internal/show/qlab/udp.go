package qlab

import (
	"bytes"
	"errors"
	"net"
	"net/netip"

	"voicepool/cmd/internal/show/osc"
)

// maxDatagram is the largest UDP payload in bytes.
const maxDatagram = 65507

// receive reads UDP packets until the socket is closed. The messages of a sender act in order of arrival;
// invalid packets are counted and dropped.
func (s *Server) receive(conn net.PacketConn) {
	packet := make([]byte, osc.MaxPacket+1)
	for {
		n, from, err := conn.ReadFrom(packet)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		at, ok := from.(*net.UDPAddr)
		if err != nil || !ok { // some systems report an undeliverable answer here
			if s.pause(pollInterval) {
				return
			}
			continue
		}
		if all, ok := s.decode(bytes.Clone(packet[:n])); ok {
			s.queue(plain(at.AddrPort()), queuedPacket{all, n})
		}
	}
}

// peer returns the client of an address, and notes that it has sent a packet. For an unknown or expired
// address it returns a new client, which is not registered yet.
func (s *Server) peer(from netip.AddrPort) *client {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	c := s.peers[from]
	if c != nil && s.now().Sub(c.seen) >= peerTimeout {
		s.drop(c)
		c = nil
	}
	if c == nil {
		c = &client{server: s, from: from, mayAnswer: from.Addr().IsLoopback()}
	}
	c.seen = s.now()
	return c
}

// keep registers a UDP sender until it expires, so that peer returns the same client. It reports whether
// there is room. For TCP it returns true.
func (s *Server) keep(c *client) bool {
	if c.conn != nil {
		return true
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.peers[c.from] == nil && len(s.peers) >= maxPeers {
		s.expire()
		if len(s.peers) >= maxPeers {
			s.counters.Refused.Add(1)
			return false
		}
	}
	if s.peers[c.from] == nil {
		s.counters.Clients.Add(1)
	}
	s.peers[c.from] = c
	return true
}

// expire removes the UDP senders that have sent no packet for 61 s. The caller holds the mutex.
func (s *Server) expire() {
	for _, c := range s.peers {
		if s.now().Sub(c.seen) >= peerTimeout {
			s.drop(c)
		}
	}
}

// drop removes a UDP sender and its subscriptions. It ignores an unregistered client. The caller holds the mutex.
func (s *Server) drop(c *client) {
	if s.peers[c.from] != c {
		return
	}
	delete(s.peers, c.from)
	s.counters.Clients.Add(-1)
	for w := range s.subscriptions {
		if w.client == c {
			delete(s.subscriptions, w)
		}
	}
}

// send sends a packet to the reply port of the machine to, and with ReplyToSender also to the port of to.
// Lost packets are not sent again. Any goroutine.
func (s *Server) send(to netip.AddrPort, packet []byte) {
	ports := []uint16{uint16(s.options.ReplyPort)}
	if s.options.ReplyToSender && to.Port() != ports[0] {
		ports = append(ports, to.Port())
	}
	for _, port := range ports {
		if _, err := s.udp.WriteTo(packet, net.UDPAddrFromAddrPort(netip.AddrPortFrom(to.Addr(), port))); err != nil {
			s.counters.Unanswered.Add(1)
		}
	}
}
