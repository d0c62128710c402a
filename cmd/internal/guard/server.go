package guard

import (
	"io"
	"log"
	"net/http"
	"time"
)

const (
	mostHeader  = 16 << 10 // bytes
	headerTime  = 5 * time.Second
	idleTime    = 2 * time.Minute
	answerTime  = 10 * time.Second // until a handler writes, which may set a deadline of its own
	bodyTime    = 10 * time.Second // and a second more for each bodySpeed bytes
	bodySpeed   = 16 << 10
	bodyBetween = 64 << 10 // bytes between two looks at the clock
)

// Server returns a server of HTTP/1.1 that waits for nobody: headers of at most 16 KiB within 5 s, idle
// connections of 2 minutes, answers that are taken within 10 s. A WebSocket needs 1.1, and 2 has floods of its own.
func (g *Guard) Server(h http.Handler) *http.Server {
	s := &http.Server{
		Handler: h, MaxHeaderBytes: mostHeader, ReadHeaderTimeout: headerTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		Protocols: new(http.Protocols),
		ErrorLog:  log.New(io.Discard, "", 0), // it quotes what clients send
	}
	s.Protocols.SetHTTP1(true)
	return s
}

// bounded returns a request whose body has to arrive in time.
func bounded(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &body{ReadCloser: r.Body, conn: http.NewResponseController(w), begin: time.Now()}
	}
	return r
}

// body is a body that must arrive at some least speed.
type body struct {
	io.ReadCloser
	conn  *http.ResponseController
	begin time.Time
	count int64
	next  int64 // the count at which the deadline moves
	ended bool
}

// Read is the body's.
func (b *body) Read(p []byte) (int, error) {
	if b.count >= b.next && !b.ended {
		b.next = b.count + bodyBetween
		slack := time.Duration(b.next/bodySpeed) * time.Second
		_ = b.conn.SetReadDeadline(b.begin.Add(bodyTime + slack)) // an error says that there is no connection
	}
	n, err := b.ReadCloser.Read(p)
	b.count += int64(n)
	if err != nil {
		_ = b.conn.SetWriteDeadline(time.Now().Add(answerTime)) // for the answer, however long the body took
	}
	if err == io.EOF && !b.ended {
		// The connection is read on, to see whether the client goes away.
		b.ended = true
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}
