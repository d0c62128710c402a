package qlab

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/show/osc"
	"voicepool/cue"
)

// stuck is a room whose plays block and report that they do.
type stuck struct {
	*fake
	waits, goes chan struct{}
}

func (s stuck) Play(o room.PlayRequest) (room.PlayResult, error) {
	close(s.waits)
	<-s.goes
	return s.fake.Play(o)
}

// TestStuck checks that a blocked room delays only the senders that play on it. Their later messages wait in
// order, up to a limit.
func TestStuck(t *testing.T) {
	bad, good := stuck{newFake(t, sheet), make(chan struct{}), make(chan struct{})}, newFake(t, sheet)
	o := one(good)
	o.Rooms = func(name string) Room {
		if name == "bad" {
			return bad
		}
		return good
	}
	s, n, _ := onNetwork(t, o)
	send := func(from, address string, args ...any) {
		n.in <- datagram{at: net.UDPAddrFromAddrPort(netip.MustParseAddrPort(from)), data: osc.Append(nil, &cue.Message{Address: address, Args: args})}
	}
	const a, b = "127.0.0.1:2001", "127.0.0.1:2002"
	send(a, "/voicepool/bad/play", "coin", "id", "x")
	<-bad.waits // so it has left the queue
	for range maxQueued + 10 {
		send(a, "/voicepool/main/next")
	}
	send(b, "/go")
	eventually(t, "another sender waits", func() bool { return good.take() == "fire 1" })
	if n := s.counters.Slow.Load(); n != 10 {
		t.Errorf("%d packets are dropped, want 10", n)
	}
	if asked := bad.take(); asked != "" {
		t.Errorf("it has been asked for %q", asked)
	}
	close(bad.goes)
	eventually(t, "it does not go on", func() bool {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		return len(s.senderQueues) == 0
	})
	if asked := bad.take(); !strings.HasPrefix(asked, "play coin") {
		t.Errorf("it has been asked for %q", asked)
	}
}
