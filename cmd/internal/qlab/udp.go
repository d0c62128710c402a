package qlab

import (
	"bytes"
	"errors"
	"net"
	"net/netip"

	"voicepool/cmd/internal/osc"
)

// maxDatagram is how long a packet of UDP may be.
const maxDatagram = 65507

// receive reads packets of UDP. Messages of a sender act in the order in which they come.
func (s *Server) receive(conn net.PacketConn) {
	packet := make([]byte, osc.MaxPacket+1)
	for {
		n, from, err := conn.ReadFrom(packet)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		at, ok := from.(*net.UDPAddr)
		if err != nil || !ok { // a system may tell here that an answer reached nobody
			if s.pause(tick) {
				return
			}
			continue
		}
		if all, ok := s.decode(bytes.Clone(packet[:n])); ok {
			s.queue(plain(at.AddrPort()), waiting{all, n})
		}
	}
}

// peer returns who sends from an address: one that is kept, or somebody new.
func (s *Server) peer(from netip.AddrPort) *client {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	c := s.peers[from]
	if c != nil && s.now().Sub(c.seen) >= expires {
		s.drop(c)
		c = nil
	}
	if c == nil {
		c = &client{server: s, from: from, known: from.Addr().IsLoopback()}
	}
	c.seen = s.now()
	return c
}

// keep has a sender of UDP be known from now on, until it is silent for too long. It reports whether
// there is room for it.
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

// expire drops the senders that have been silent for too long. Under the mutex.
func (s *Server) expire() {
	for _, c := range s.peers {
		if s.now().Sub(c.seen) >= expires {
			s.drop(c)
		}
	}
}

// drop forgets a sender of UDP. Under the mutex.
func (s *Server) drop(c *client) {
	if s.peers[c.from] != c {
		return
	}
	delete(s.peers, c.from)
	s.counters.Clients.Add(-1)
	for w := range s.watches {
		if w.client == c {
			delete(s.watches, w)
		}
	}
}

// send sends a packet to the port for answers of a machine, and to the one that asked where that is
// wanted. What does not arrive is lost, as it is with UDP. Any goroutine.
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
