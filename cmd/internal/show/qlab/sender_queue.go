package qlab

import (
	"net/netip"

	"voicepool/cmd/internal/show/osc"
	"voicepool/cue"
)

const (
	maxSenderQueues = 256     // UDP senders served in parallel
	maxQueued       = 256     // waiting packets per sender
	maxBytes        = 4 << 20 // bytes of all waiting packets; decoded they take about four times that
)

// senderQueue is the queue of a UDP sender. Senders have separate queues, so that a slow room only delays its own
// clients. A queue has a goroutine while packets are waiting.
type senderQueue struct {
	packets []queuedPacket
}

// queuedPacket is a decoded packet with its size in bytes.
type queuedPacket struct {
	messages []*cue.Message
	bytes    int
}

// queue adds packet to the queue of the UDP sender with the address from, and returns at once. If the sender has no
// queue, a new queue and a goroutine for it are started. A packet beyond the limits for queues, waiting packets or
// bytes is dropped and counted.
func (s *Server) queue(from netip.AddrPort, packet queuedPacket) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	l := s.senderQueues[from]
	switch {
	case s.queued+packet.bytes > maxBytes:
		s.counters.Slow.Add(1)
		return
	case l == nil && len(s.senderQueues) >= maxSenderQueues:
		s.counters.Refused.Add(1)
		return
	case l == nil:
		l = &senderQueue{packets: []queuedPacket{packet}}
		s.senderQueues[from] = l
		s.all.Go(func() { s.drain(from, l) })
	case len(l.packets) >= maxQueued:
		s.counters.Slow.Add(1)
		return
	default:
		l.packets = append(l.packets, packet)
	}
	s.queued += packet.bytes
}

// drain is the goroutine of one UDP sender. It carries out the packets in the sender's queue in order. The parameter
// from is the address of the sender, and l its queue. Each packet may cause at most osc.MaxPacket bytes of answers.
// When l is empty, drain removes the queue and returns.
func (s *Server) drain(from netip.AddrPort, l *senderQueue) {
	for {
		s.mutex.Lock()
		if len(l.packets) == 0 {
			delete(s.senderQueues, from)
			s.mutex.Unlock()
			return
		}
		packet := l.packets[0]
		l.packets = l.packets[1:]
		s.queued -= packet.bytes
		s.mutex.Unlock()
		c := s.peer(from)
		c.budget = osc.MaxPacket
		for _, m := range packet.messages {
			c.handle(m)
		}
	}
}
