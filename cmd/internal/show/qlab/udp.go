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

// receive reads UDP packets from conn and queues their OSC messages, separately for each sender. Invalid packets are
// counted and dropped. receive returns when conn or the server is closed.
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
			s.queue(unmapped(at.AddrPort()), queuedPacket{all, n})
		}
	}
}

// peer returns the client for the UDP address from, and records that it has sent a packet now. If that client has sent
// no packet for 61 s before, it is removed first. For an unknown or removed address the result is a new client. A new
// client is not kept for the next call unless register is called.
func (s *Server) peer(from netip.AddrPort) *client {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	c := s.peers[from]
	if c != nil && s.now().Sub(c.seen) >= peerTimeout {
		s.removePeer(c)
		c = nil
	}
	if c == nil {
		c = &client{server: s, from: from, mayAnswer: from.Addr().IsLoopback()}
	}
	c.seen = s.now()
	return c
}

// register stores the UDP client c in the server, so that peer finds it until it expires. The result is true if c is
// stored now. If 256 clients are stored, register first removes expired ones; if all are active, it returns false. A
// TCP client needs no registration, so the result is true.
func (s *Server) register(c *client) bool {
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

// expire removes the UDP clients that have sent no packet for 61 s. Their subscriptions to updates end, too. The caller
// holds s.mutex.
func (s *Server) expire() {
	for _, c := range s.peers {
		if s.now().Sub(c.seen) >= peerTimeout {
			s.removePeer(c)
		}
	}
}

// removePeer removes the UDP client c from the server and ends its subscriptions to updates. If c is not registered, it
// has no effect. The caller holds s.mutex.
func (s *Server) removePeer(c *client) {
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

// send sends packet over UDP to the machine of the address to. The port is Options.ReplyPort, not the port in to. With
// Options.ReplyToSender the packet is sent to both ports. A lost packet is not sent again; an error is only counted.
// The server must have a UDP socket. Any goroutine.
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
