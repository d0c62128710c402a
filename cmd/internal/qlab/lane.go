package qlab

import (
	"net/netip"

	"voicepool/cmd/internal/osc"
	"voicepool/cue"
)

const (
	maxLanes  = 256     // senders of UDP whose packets are carried out at once
	maxQueued = 256     // packets of one of them that wait
	maxBytes  = 4 << 20 // of all packets that wait; decoded they take some four times that
)

// lane is what a sender of UDP has sent and what is not carried out yet: a room that is stuck keeps up
// those who play on it, and nobody else. It has a goroutine while something waits.
type lane struct {
	waits []waiting
}

// waiting is what a packet of so many bytes has.
type waiting struct {
	messages []*cue.Message
	bytes    int
}

// queue has the messages of a packet carried out behind those of its sender before it. Too many are
// dropped and counted.
func (s *Server) queue(from netip.AddrPort, packet waiting) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	l := s.lanes[from]
	switch {
	case s.queued+packet.bytes > maxBytes:
		s.counters.Slow.Add(1)
		return
	case l == nil && len(s.lanes) >= maxLanes:
		s.counters.Refused.Add(1)
		return
	case l == nil:
		l = &lane{waits: []waiting{packet}}
		s.lanes[from] = l
		s.all.Go(func() { s.drain(from, l) })
	case len(l.waits) >= maxQueued:
		s.counters.Slow.Add(1)
		return
	default:
		l.waits = append(l.waits, packet)
	}
	s.queued += packet.bytes
}

// drain carries out what waits in a lane, until nothing does.
func (s *Server) drain(from netip.AddrPort, l *lane) {
	for {
		s.mutex.Lock()
		if len(l.waits) == 0 {
			delete(s.lanes, from)
			s.mutex.Unlock()
			return
		}
		packet := l.waits[0]
		l.waits = l.waits[1:]
		s.queued -= packet.bytes
		s.mutex.Unlock()
		c := s.peer(from)
		c.budget = osc.MaxPacket
		for _, m := range packet.messages {
			c.handle(m)
		}
	}
}
