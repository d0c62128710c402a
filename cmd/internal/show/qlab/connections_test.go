package qlab

import (
	"bytes"
	"fmt"
	"net"
	"strings"
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

// TestSlowFrames checks that a connection with an unfinished frame is closed, even if bytes arrive. A silent
// connection stays open.
func TestSlowFrames(t *testing.T) {
	s := serve(t, one(newFake(t, sheet)), func(s *Server) { s.frameTimeout = 50 * time.Millisecond })
	silent, slow := overTCP(t, s), overTCP(t, s)
	silent.ask("/thump")
	slow.ask("/thump")
	go func() {
		for {
			if _, err := slow.out.Write([]byte("x")); err != nil {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	slow.ends("a frame never ends")
	if a := silent.ask("/thump"); a.Data != "thump" || s.counters.Slow.Load() != 1 {
		t.Errorf("%v; %d were slow", a, s.counters.Slow.Load())
	}
}

// TestStrangers checks that a connection without an accepted passcode is closed, whatever it sends.
func TestStrangers(t *testing.T) {
	s := serve(t, guarded(newFake(t, sheet)), func(s *Server) { s.loginTimeout = 200 * time.Millisecond })
	friend := trusted(t, s)
	stranger, guesser, mute := overTCP(t, s), overTCP(t, s), overTCP(t, s)
	stranger.tries("/version")
	guesser.tries("/connect", "4321")
	stranger.ends("a stranger stays")
	guesser.ends("who has a wrong passcode stays")
	mute.ends("a mute one stays")
	if a := friend.ask("/thump"); a.Status != "ok" {
		t.Errorf("who has the passcode: %v", a)
	}
}

// trusted returns a remote that has sent the passcode in time, however slow the machine is.
func trusted(t *testing.T, s *Server) *remote {
	t.Helper()
	for end := time.Now().Add(bound); time.Now().Before(end); {
		r := overTCP(t, s)
		r.tries("/connect", "1234")
		select {
		case <-r.replies:
			return r
		case <-r.closed:
		case <-time.After(bound):
		}
	}
	t.Fatal("the passcode does not help")
	return nil
}

// tries sends a message to a server that may have ended the connection.
func (r *remote) tries(address string, args ...any) {
	_, _ = r.out.Write(osc.AppendFrame(nil, osc.Append(nil, &cue.Message{Address: address, Args: args})))
}

// TestSlowReaders checks that a client that does not read is disconnected while other clients are answered.
func TestSlowReaders(t *testing.T) {
	var long strings.Builder
	long.WriteString("list:\n")
	for i := range 500 {
		fmt.Fprintf(&long, "  - {cue: %d, name: %s, play: coin}\n", i, strings.Repeat("x", 1000))
	}
	s := serve(t, one(newFake(t, long.String())), func(s *Server) { s.frameTimeout = 300 * time.Millisecond })
	conn, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	ask := osc.AppendFrame(nil, osc.Append(nil, &cue.Message{Address: "/cueLists"}))
	conn.SetWriteDeadline(time.Now().Add(bound))
	if _, err := conn.Write(bytes.Repeat(ask, 12)); err != nil {
		t.Fatal(err)
	}
	overTCP(t, s).ask("/version")
	eventually(t, "a slow reader stays", func() bool { return s.counters.Slow.Load() == 1 && s.counters.Clients.Load() == 1 })
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
