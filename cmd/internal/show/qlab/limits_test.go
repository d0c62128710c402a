package qlab

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/cmd/internal/show/osc"
	"voicepool/cue"
	"voicepool/internal/leak"
)

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(bound); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// network is a UDP socket under the control of a test.
type network struct {
	net.PacketConn
	in     chan datagram
	server *Server

	mutex sync.Mutex
	out   []datagram
}

type datagram struct {
	at   net.Addr
	data []byte
	done chan bool // receives a value once all earlier packets are processed; at is nil then
}

func (n *network) ReadFrom(b []byte) (int, net.Addr, error) {
	for d := range n.in {
		if d.at != nil { // otherwise wait until all queued messages are processed
			return copy(b, d.data), d.at, nil
		}
		for waits := 1; waits > 0; time.Sleep(10 * time.Microsecond) {
			n.server.mutex.Lock()
			waits = len(n.server.senderQueues)
			n.server.mutex.Unlock()
		}
		d.done <- true
	}
	return 0, nil, net.ErrClosed
}

// wait waits until all earlier packets have been processed.
func (n *network) wait() {
	done := make(chan bool, 1)
	n.in <- datagram{done: done}
	<-done
}

func (n *network) WriteTo(b []byte, to net.Addr) (int, error) {
	n.mutex.Lock()
	n.out = append(n.out, datagram{at: to, data: bytes.Clone(b)})
	n.mutex.Unlock()
	return len(b), nil
}

func (n *network) Close() error {
	close(n.in)
	return nil
}

// sent returns the size in bytes and the destinations of the packets since the last call.
func (n *network) sent() (size int, to []string) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for _, d := range n.out {
		size += len(d.data)
		to = append(to, d.at.String())
	}
	n.out = nil
	return size, to
}

// onNetwork returns a server on a network, and a function that delivers a packet to it.
func onNetwork(t *testing.T, o Options) (*Server, *network, func(from, address string, args ...any)) {
	t.Helper()
	s, n := New(o), &network{in: make(chan datagram)}
	n.server = s
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(tcp, n); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, n, func(from, address string, args ...any) {
		t.Helper()
		packet := osc.Append(nil, &cue.Message{Address: address, Args: args})
		n.in <- datagram{at: net.UDPAddrFromAddrPort(netip.MustParseAddrPort(from)), data: packet}
		n.wait()
	}
}

// TestForged checks that another machine gets answers only after its own /connect, and only at its port 53001.
// Its orders are executed without one.
func TestForged(t *testing.T) {
	const there = "203.0.113.5:4000"
	f := newFake(t, sheet)
	s, n, say := onNetwork(t, one(f))
	say(there, "/cueLists")
	say(there, "/updates", int32(1))
	if size, _ := n.sent(); size > 0 || s.counters.Unanswered.Load() != 2 || s.isSubscribed(s.peers[netip.MustParseAddrPort(there)], "main") {
		t.Errorf("%d bytes go to who did not connect", size)
	}
	say(there, "/go")
	if asked := f.take(); asked != "fire 1" {
		t.Errorf("GO from there asks for %q", asked)
	}
	say(there, "/connect")
	say(there, "/cueLists")
	if _, to := n.sent(); len(to) != 2 || to[0] != "203.0.113.5:53001" {
		t.Errorf("answers go to %v", to)
	}
	say("203.0.113.5:4001", "/cueLists")
	say("203.0.113.6:4000", "/cueLists")
	if _, to := n.sent(); len(to) > 0 {
		t.Errorf("the connect of one has others answered: %v", to)
	}
	say("127.0.0.1:4000", "/version")
	say("[::ffff:127.0.0.1]:4000", "/version")
	if _, to := n.sent(); len(to) != 2 || to[0] != "127.0.0.1:53001" || to[1] != to[0] {
		t.Errorf("this machine is answered at %v", to)
	}
}

// TestForgedPasscode checks that in a server with passcodes another machine without one gets no answers.
func TestForgedPasscode(t *testing.T) {
	o := one(newFake(t, sheet))
	o.Check = func(passcode string, _ []string, _ netip.Addr) Role {
		return map[string]Role{"1234": Operate}[passcode]
	}
	s, n, say := onNetwork(t, o)
	const there = "203.0.113.5:4000"
	for _, args := range [][]any{nil, {"guess"}, {int32(1)}} {
		say(there, "/connect", args...)
		say(there, "/version")
	}
	if size, _ := n.sent(); size > 0 || len(s.peers) > 0 {
		t.Errorf("%d bytes, %d are kept", size, len(s.peers))
	}
	say(there, "/connect", int32(1234))
	if _, to := n.sent(); len(to) != 1 {
		t.Error("who has the passcode is not answered")
	}
}

// TestBudget checks that the answers to one packet are limited to 64 KiB, whatever the number of its messages.
func TestBudget(t *testing.T) {
	s, n, _ := onNetwork(t, one(newFake(t, sheet)))
	one := osc.Append(nil, &cue.Message{Address: "/cueLists"})
	elements := make([][]byte, osc.MaxMessages)
	for i := range elements {
		elements[i] = one
	}
	n.in <- datagram{at: net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:9")), data: osc.AppendBundle(nil, elements...)}
	n.wait()
	size, to := n.sent()
	if size > osc.MaxPacket || len(to) == 0 || s.counters.Unanswered.Load()+int64(len(to)) != osc.MaxMessages {
		t.Errorf("%d bytes in %d answers", size, len(to))
	}
}

// TestTooLong checks that an answer too long for a packet becomes a clear error, and that it is sent over TCP.
func TestTooLong(t *testing.T) {
	text := "list:\n"
	for i := range 200 {
		text += fmt.Sprintf("  - {cue: %d, name: %s, play: coin}\n", i, strings.Repeat("x", 300))
	}
	r, s := overUDP(t, one(newFake(t, text)))
	if a := r.ask("/cueLists"); a.Status != "error" || !strings.Contains(fmt.Sprint(a.Data), "use TCP") {
		t.Errorf("%.200v", a)
	}
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(bound))
	if _, err := conn.Write(osc.AppendFrame(nil, osc.Append(nil, &cue.Message{Address: "/cueLists"}))); err != nil {
		t.Fatal(err)
	}
	stream := bufio.NewReader(conn)
	for range 2 { // the END byte before the answer, then the answer
		frame, err := stream.ReadBytes(0xC0)
		if err != nil || len(frame) > 1 && (len(frame) < maxDatagram || !bytes.Contains(frame, []byte(`"status":"ok"`))) {
			t.Errorf("%d bytes, %v", len(frame), err)
		}
	}
}

// TestReplyToSender checks that with the option the sending port is answered, too.
func TestReplyToSender(t *testing.T) {
	o := one(newFake(t, sheet))
	o.ReplyToSender = true
	_, n, say := onNetwork(t, o)
	say("127.0.0.1:4000", "/version")
	say("127.0.0.1:53001", "/version")
	if _, to := n.sent(); fmt.Sprint(to) != "[127.0.0.1:53001 127.0.0.1:4000 127.0.0.1:53001]" {
		t.Errorf("answers go to %v", to)
	}
}

// TestExpires checks that a UDP sender and its updates expire 61 s after its last message.
func TestExpires(t *testing.T) {
	var mutex sync.Mutex
	now := time.Now()
	later := func(d time.Duration) { mutex.Lock(); now = now.Add(d); mutex.Unlock() }
	r, s := overUDP(t, one(newFake(t, sheet)), func(s *Server) {
		s.now = func() time.Time { mutex.Lock(); defer mutex.Unlock(); return now }
	})
	r.ask("/connect")
	r.ask("/updates", int32(1))
	for range 3 {
		later(peerTimeout - time.Second)
		if a := r.ask("/thump"); a.Status != "ok" {
			t.Errorf("%v", a)
		}
	}
	if a := r.ask("/updates"); a.Data != true {
		t.Errorf("who sends messages is forgotten: %v", a)
	}
	later(peerTimeout)
	eventually(t, "who is silent is told of changes", func() bool {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		return len(s.subscriptions) == 0 && len(s.peers) == 0 && !s.polling
	})
	if a := r.ask("/updates"); a.Data != false || s.counters.Clients.Load() != 0 {
		t.Errorf("%v", a)
	}
}

// TestPeers checks the limit on the number of senders.
func TestPeers(t *testing.T) {
	s, n, say := onNetwork(t, one(newFake(t, sheet)))
	for i := range maxPeers + 10 {
		say(fmt.Sprintf("127.0.0.1:%d", 2000+i), "/connect")
	}
	if _, to := n.sent(); len(to) != maxPeers+10 || len(s.peers) != maxPeers || s.counters.Refused.Load() != 10 {
		t.Errorf("%d are kept, %d refused", len(s.peers), s.counters.Refused.Load())
	}
}

// TestMalformed checks that ten thousand broken packets and frames are counted without other effects.
func TestMalformed(t *testing.T) {
	defer leak.Check(t)
	const many = 10_000
	t.Run("udp", func(t *testing.T) {
		f := newFake(t, sheet)
		s, n, say := onNetwork(t, one(f))
		here := net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:9"))
		for i := range many {
			n.in <- datagram{at: here, data: broken(i)}
		}
		say("127.0.0.1:9", "/thump")
		if _, to := n.sent(); len(to) != 1 || s.counters.Malformed.Load() != many || f.take() != "" || len(s.peers) > 0 {
			t.Errorf("%d answers, %d are malformed", len(to), s.counters.Malformed.Load())
		}
	})
	t.Run("tcp", func(t *testing.T) {
		f := newFake(t, sheet)
		s := serve(t, one(f))
		r := overTCP(t, s)
		for i := range many {
			r.send(broken(i))
		}
		if a := r.ask("/thump"); a.Status != "ok" || s.counters.Malformed.Load() != many || f.take() != "" {
			t.Errorf("%v; %d are malformed", a, s.counters.Malformed.Load())
		}
	})
}

// broken returns an invalid packet.
func broken(i int) []byte {
	good := osc.Append(nil, &cue.Message{Address: "/go", Args: []any{"1", int32(i)}})
	switch i % 5 {
	case 0:
		return good[:1+i%(len(good)-1)&^3+1] // incomplete words
	case 1:
		good[0] = 'x'
	case 2:
		good[len("/go\x00,")] = '[' // an unclosed array
	case 3:
		return append(good, 0, 0, 0, byte(i))
	case 4:
		return append([]byte("#bundle\x00\x00\x00\x00\x00\x00\x00\x00\x01\x7f\xff\xff\xff"), good...)
	}
	return good
}

// TestLongAddress checks that an address is rejected if its answer would be twice as long.
func TestLongAddress(t *testing.T) {
	s := serve(t, one(newFake(t, sheet)))
	r := overTCP(t, s)
	r.say("/" + strings.Repeat("x", maxAddress))
	if a := r.ask("/" + strings.Repeat("x", maxAddress-1)); a.Status != "error" || s.counters.Malformed.Load() != 1 {
		t.Error(a.Status)
	}
}
