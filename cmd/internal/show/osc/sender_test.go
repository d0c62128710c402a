package osc

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cue"
)

// told records the callbacks of a Sender.
type told struct {
	sync.Mutex
	sent   []string
	failed []string
}

func (t *told) options() Options {
	return Options{
		Sent:   func(m *cue.Message, _ int64) { t.Lock(); t.sent = append(t.sent, m.String()); t.Unlock() },
		Failed: func(err error) { t.Lock(); t.failed = append(t.failed, err.Error()); t.Unlock() },
	}
}

func sheetOf(t *testing.T, to ...string) *cue.Sheet {
	t.Helper()
	text := "cues:\n"
	for _, one := range to {
		text += "  - {at: 0, osc: {to: '" + one + "', address: /a}}\n"
	}
	s, err := cue.Parse("s", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func loopback(t *testing.T) (*net.UDPConn, string) {
	t.Helper()
	l, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return l, l.LocalAddr().String()
}

// patience is the time limit of waits in tests. It only ends a test that hangs: a busy machine can stall a test for a
// minute.
const patience = 5 * time.Minute

// until waits for a condition.
func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: never", what)
		}
	}
}

// TestSender checks that messages arrive in order, although another destination is dead and a third
// has an unknown name. Each failure is reported once, and Send never blocks.
func TestSender(t *testing.T) {
	l, to := loopback(t)
	defer l.Close()
	gone, dead := loopback(t)
	gone.Close()
	var said told
	o := said.options()
	o.closeTimeout = 100 * time.Millisecond
	hangs := make(chan struct{})
	o.dial = func(ctx context.Context, to string) (net.Conn, error) {
		switch {
		case strings.HasPrefix(to, "slow"):
			close(hangs)
			<-ctx.Done()
			return nil, ctx.Err()
		case strings.HasPrefix(to, "unknown"):
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "unknown"}}
		}
		return new(net.Dialer).DialContext(ctx, "udp", to)
	}
	s := New(sheetOf(t, to, dead, "unknown:1", "slow:1"), o)
	<-hangs
	want := &cue.Message{To: to, Address: "/n", Args: []any{int32(1), "two", float32(3), true}}
	packet := make([]byte, 2000)
	for range 5 {
		for _, d := range []string{dead, "unknown:1", "slow:1"} {
			s.Send(&cue.Message{To: d, Address: "/x"}, 1)
		}
		s.Send(want, 7)
		l.SetReadDeadline(time.Now().Add(patience))
		n, err := l.Read(packet)
		if err != nil || !bytes.Equal(packet[:n], Append(nil, want)) {
			t.Fatalf("%x, %v", packet[:n], err)
		}
	}
	until(t, "the closed port is reported", func() bool {
		said.Lock()
		defer said.Unlock()
		return strings.Contains(strings.Join(said.failed, "\n"), "connection refused")
	})
	s.Close()
	count := map[string]int{}
	for _, line := range said.sent {
		count[line]++
	}
	if count["osc /n to "+to] != 5 || count["osc /x to unknown:1"] > 0 || count["osc /x to slow:1"] > 0 {
		t.Errorf("told of %v", count)
	}
	failed := strings.Join(said.failed, "\n")
	for _, once := range []string{
		"osc to " + dead + ": connection refused; the show continues, and its exit code will be 1",
		"osc to unknown:1: no host has this name: no such host; the show continues, and its exit code will be 1",
		"osc to slow:1: ",
	} {
		if strings.Count(failed, once) != 1 {
			t.Errorf("%q is told %d times:\n%s", once, strings.Count(failed, once), failed)
		}
	}
}

// TestSenderReaches checks that even a single message to a closed port is reported, and that a destination
// switched on later gets later messages.
func TestSenderReaches(t *testing.T) {
	gone, to := loopback(t)
	gone.Close()
	failed := make(chan error, 9)
	s := New(&cue.Sheet{}, Options{Failed: func(err error) { failed <- err }})
	s.Send(&cue.Message{To: to, Address: "/1"}, 1)
	if err := <-failed; err.Error() != "osc to "+to+": connection refused; the show continues, and its exit code will be 1" {
		t.Error(err)
	}
	address, err := net.ResolveUDPAddr("udp", to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUDP("udp", address)
	if err != nil {
		t.Skip("somebody else has the port now")
	}
	defer l.Close()
	s.Send(&cue.Message{To: to, Address: "/2"}, 2)
	packet := make([]byte, 100)
	l.SetReadDeadline(time.Now().Add(patience))
	if n, err := l.Read(packet); err != nil || string(packet[:n]) != "/2\x00\x00,\x00\x00\x00" {
		t.Errorf("%q, %v", packet[:n], err)
	}
	s.Close()
	if len(failed) > 0 {
		t.Errorf("again: %v", <-failed)
	}
}

// TestSenderIsLate checks that messages that waited too long are dropped, and that a full queue is
// reported.
func TestSenderIsLate(t *testing.T) { synctest.Test(t, testSenderIsLate) } // a stall makes no message late

func testSenderIsLate(t *testing.T) {
	var said told
	o := said.options()
	free := make(chan struct{})
	near, far := net.Pipe()
	o.dial = func(context.Context, string) (net.Conn, error) { <-free; return near, nil }
	s := New(sheetOf(t, "h:1"), o)
	d := s.destinations["h:1"]
	d.queue <- packet{&cue.Message{To: "h:1", Address: "/old"}, 1, []byte("old"), time.Now().Add(-2 * maxAge)}
	for i := range maxQueued {
		if i == maxQueued-1 {
			s.Send(&cue.Message{To: "h:1", Address: "/one/too/many"}, 2)
		} else {
			s.Send(&cue.Message{To: "h:1", Address: "/a"}, 2)
		}
	}
	close(free)
	go func() {
		for {
			if _, err := far.Read(make([]byte, 100)); err != nil {
				return
			}
		}
	}()
	s.Close()
	far.Close()
	if len(said.sent) != maxQueued-1 || len(said.failed) != 2 || !strings.Contains(said.failed[0], "256 messages") || !strings.Contains(said.failed[1], "than a second") {
		t.Errorf("%d were sent; %q", len(said.sent), said.failed)
	}
	if err := cause(errors.New("x")); err.Error() != "x" {
		t.Error(err)
	}
}
