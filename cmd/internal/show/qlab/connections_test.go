package qlab

import (
	"net"
	"testing"
	"time"

	"voicepool/cmd/internal/show/osc"
	"voicepool/cue"
)

// ends waits until a remote's connection ends.
func (r *remote) ends(why string) {
	r.t.Helper()
	select {
	case <-r.closed:
	case <-time.After(bound):
		r.t.Fatal(why)
	}
}

// TestConnections checks that the 65th connection is rejected and that an ended one frees its place.
func TestConnections(t *testing.T) {
	s := serve(t, one(newFake(t, sheet)))
	var all []*remote
	for range maxConns {
		r := overTCP(t, s)
		r.ask("/version")
		all = append(all, r)
	}
	overTCP(t, s).ends("one too many is open")
	if s.counters.Refused.Load() != 1 || s.counters.Clients.Load() != maxConns {
		t.Errorf("%d are refused, %d connected", s.counters.Refused.Load(), s.counters.Clients.Load())
	}
	all[0].out.Close()
	eventually(t, "one that ended is still counted", func() bool { return s.counters.Clients.Load() < maxConns })
	overTCP(t, s).ask("/version")
}

// TestSlowFrames checks that a connection with an unfinished frame is closed after 10 s, even if bytes arrive. A
// silent connection stays open.
func TestSlowFrames(t *testing.T) { inBubble(t, one(newFake(t, sheet)), testSlowFrames) }

func testSlowFrames(t *testing.T, s *Server) {
	silent, slow := overTCP(t, s), overTCP(t, s)
	silent.ask("/thump")
	slow.ask("/thump")
	go func() {
		for {
			if _, err := slow.out.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	begun := time.Now()
	slow.ends("a frame never ends")
	if took := time.Since(begun); took != 10*time.Second {
		t.Errorf("the connection ends after %v, want 10s", took)
	}
	time.Sleep(time.Hour)
	if a := silent.ask("/thump"); a.Data != "thump" || s.counters.Slow.Load() != 1 {
		t.Errorf("%v; %d were slow", a, s.counters.Slow.Load())
	}
}

// TestStrangers checks that a connection without an accepted passcode is closed after a minute, whatever it sends.
func TestStrangers(t *testing.T) { inBubble(t, guarded(newFake(t, sheet)), testStrangers) }

func testStrangers(t *testing.T, s *Server) {
	begun, friend := time.Now(), overTCP(t, s)
	friend.ask("/connect", "1234")
	stranger, guesser, mute := overTCP(t, s), overTCP(t, s), overTCP(t, s)
	stranger.tries("/version")
	guesser.tries("/connect", "4321")
	stranger.ends("a stranger stays")
	guesser.ends("who has a wrong passcode stays")
	mute.ends("a mute one stays")
	if took := time.Since(begun); took != time.Minute {
		t.Errorf("the last stranger is gone after %v, want 1m0s", took)
	}
	if a := friend.ask("/thump"); a.Status != "ok" {
		t.Errorf("who has the passcode: %v", a)
	}
}

// tries sends a message to a server that may have ended the connection.
func (r *remote) tries(address string, args ...any) {
	_, _ = r.out.Write(osc.AppendFrame(nil, osc.Append(nil, &cue.Message{Address: address, Args: args})))
}

// TestSlowReaders checks that a client that does not read is disconnected after 10 s, while other clients are answered.
func TestSlowReaders(t *testing.T) { inBubble(t, one(newFake(t, sheet)), testSlowReaders) }

func testSlowReaders(t *testing.T, s *Server) {
	conn := dial(t, s) // without a buffer, so that the answer waits for a reader
	defer conn.Close()
	if _, err := conn.Write(osc.AppendFrame(nil, osc.Append(nil, &cue.Message{Address: "/cueLists"}))); err != nil {
		t.Fatal(err)
	}
	begun, other := time.Now(), overTCP(t, s)
	other.ask("/version")
	if took := time.Since(begun); took != 0 {
		t.Errorf("another client is answered after %v, want 0s", took)
	}
	time.Sleep(10*time.Second - time.Millisecond)
	if s.counters.Slow.Load() != 0 || s.counters.Clients.Load() != 2 {
		t.Error("the connection ends before 10 s")
	}
	time.Sleep(2 * time.Millisecond)
	if s.counters.Slow.Load() != 1 || s.counters.Clients.Load() != 1 {
		t.Error("a slow reader stays")
	}
	other.ask("/version")
}

// TestLateUpdates checks that a connection with too many waiting updates is closed without blocking.
func TestLateUpdates(t *testing.T) {
	s := New(one(newFake(t, sheet)))
	near, far := net.Pipe()
	defer far.Close()
	c := &connection{server: s, conn: near, updates: make(chan []byte, 2), ended: make(chan struct{})}
	for range 3 {
		c.enqueue([]byte("/a"))
	}
	if _, open := <-c.ended; open || s.counters.Slow.Load() != 1 {
		t.Error("it goes on")
	}
}
