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

// queue appends packet to the queue of the UDP sender from, and starts a goroutine for a new queue. It does not wait. A
// packet beyond the limits of maxSenderQueues, maxQueued or maxBytes is dropped and counted.
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

// drain carries out the packets of l, the queue of the UDP sender from, in order until l is empty, and then removes the
// queue. Each packet gets a new budget for answers. It runs on its own goroutine.
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
