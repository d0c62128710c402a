package service_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/pipenet"
)

// inBubble runs a test in a synctest bubble, with an unstarted web server in memory for openOn.
func inBubble(t *testing.T, test func(t *testing.T, web *httptest.Server)) {
	synctest.Test(t, func(t *testing.T) {
		test(t, &httptest.Server{Listener: pipenet.New(), Config: &http.Server{}})
	})
}

// connect opens a connection to the server without a client.
func (s *stage) connect() net.Conn {
	s.t.Helper()
	var conn net.Conn
	var err error
	if n, memory := s.web.Listener.(*pipenet.Network); memory {
		conn, err = n.Dial(s.t.Context(), "", "")
	} else {
		conn, err = net.Dial("tcp", s.web.Listener.Addr().String())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// unread requests a path without reading the answer.
func (s *stage) unread(path string) net.Conn {
	s.t.Helper()
	conn := s.connect()
	if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		s.t.Fatal(err)
	}
	return conn
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
	inBubble(t, testUnread)
}

func testUnread(t *testing.T, web *httptest.Server) {
	s := openOn(t, web)
	for range 40 {
		s.ask("POST /v1/rooms/main/batch", `{"commands":[`+strings.Repeat(`{"do":"play","with":{"sound":"bell"}},`, 99)+`{"do":"play","with":{"sound":"bell"}}]}`).is(t, 200)
	}
	const limit = 300 * time.Millisecond
	s.SetWriteTimeout(limit)
	for i, path := range []string{"/v1/rooms/main/report", "/v1/rooms/main/timeline.html", "/v1/rooms/main/events?last=4000", "/metrics", "/openapi.json"} {
		s.unread(path)
		time.Sleep(limit - time.Millisecond)
		if n := s.dropped("answers"); n != i {
			t.Errorf("%s: %d are counted before the limit, want %d", path, n, i)
		}
		time.Sleep(2 * time.Millisecond)
		if n := s.dropped("answers"); n != i+1 {
			t.Errorf("%s: %d are counted after the limit, want %d", path, n, i+1)
		}
	}
	slow := s.unread("/v1/rooms/main/report")
	begun, total, part := time.Now(), 0, make([]byte, 1<<15)
	for {
		n, err := slow.Read(part)
		if total += n; err != nil || strings.HasSuffix(string(part[:n]), "\r\n0\r\n\r\n") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if whole := len(s.ask("GET /v1/rooms/main/report", "").body); total < whole || time.Since(begun) < 2*limit {
		t.Errorf("a slow reader gets %d bytes of %d in %v", total, whole, time.Since(begun))
	}
}
