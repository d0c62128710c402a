package service_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// pipes is a listener with unbuffered connections, so that a write blocks until it is read.
type pipes struct {
	conns chan net.Conn
	ended chan struct{}
	end   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.end.Do(func() { close(p.ended) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// piped starts a server on pipes.
func piped(t *testing.T, h http.Handler) *pipes {
	p := &pipes{conns: make(chan net.Conn), ended: make(chan struct{})}
	web := &http.Server{Handler: h}
	var served sync.WaitGroup
	served.Go(func() { _ = web.Serve(p) })
	t.Cleanup(func() {
		web.Close()
		served.Wait()
	})
	return p
}

// dial requests a path without reading the answer.
func (p *pipes) dial(t *testing.T, path string) net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	t.Cleanup(func() { ours.Close() })
	if _, err := io.WriteString(ours, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return ours
}

// dropped returns how many readers of a kind were dropped.
func (s *stage) dropped(kind string) int {
	n := -1
	for line := range strings.Lines(string(s.ask("GET /metrics", "").body)) {
		if at, found := strings.CutPrefix(line, `voicepool_readers_dropped_total{kind="`+kind+`"} `); found {
			_, _ = fmt.Sscan(at, &n)
		}
	}
	return n
}

// TestUnread checks that a client that does not read an answer is dropped and counted. A slow
// reader gets the whole answer.
func TestUnread(t *testing.T) {
	s := open(t)
	for range 40 {
		s.ask("POST /v1/rooms/main/batch", `{"commands":[`+strings.Repeat(`{"do":"play","with":{"sound":"bell"}},`, 99)+`{"do":"play","with":{"sound":"bell"}}]}`).is(t, 200)
	}
	s.Hurry(300 * time.Millisecond)
	p := piped(t, s)
	for i, path := range []string{"/v1/rooms/main/report", "/v1/rooms/main/timeline.html", "/v1/rooms/main/events?last=4000", "/metrics", "/openapi.json"} {
		p.dial(t, path)
		for end := time.Now().Add(patience); s.dropped("answers") <= i; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: its reader is not dropped", path)
			}
		}
	}
	if n := s.dropped("answers"); n != 5 {
		t.Errorf("%d are counted, want 5", n)
	}
	slow := p.dial(t, "/v1/rooms/main/report")
	begun, total, part := time.Now(), 0, make([]byte, 1<<15)
	for {
		n, err := slow.Read(part)
		if total += n; err != nil || strings.HasSuffix(string(part[:n]), "\r\n0\r\n\r\n") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if whole := len(s.ask("GET /v1/rooms/main/report", "").body); total < whole || time.Since(begun) < 600*time.Millisecond {
		t.Errorf("a slow reader gets %d bytes of %d in %v", total, whole, time.Since(begun))
	}
}
