package webauth

import (
	"io"
	"log"
	"net/http"
	"time"
)

const (
	maxHeader   = 16 << 10 // bytes
	headerTime  = 5 * time.Second
	idleTime    = 2 * time.Minute
	answerTime  = 10 * time.Second // until the handler writes, which may set its own deadline
	bodyTime    = 10 * time.Second // plus one second for each bodySpeed bytes
	bodySpeed   = 16 << 10
	bodyBetween = 64 << 10 // bytes between two updates of the deadline
)

// Server returns an HTTP/1.1 server for the handler h, which should come from Wrap. The server limits clients. Headers
// have at most 16 KiB and must arrive within 5 s. Idle connections are closed after 2 minutes. An answer must be
// written within 10 s, unless h sets another write deadline. The server does not support HTTP/2, which lacks
// WebSockets. It logs no errors, because they quote client data.
func (g *Guard) Server(h http.Handler) *http.Server {
	s := &http.Server{
		Handler: h, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		Protocols: new(http.Protocols),
		ErrorLog:  log.New(io.Discard, "", 0), // its messages quote client data
	}
	s.Protocols.SetHTTP1(true)
	return s
}

// limitBody limits the time for the body of r to arrive. Its first 64 KiB must arrive within 14 s from now. Each
// further 64 KiB add 4 s to that limit. limitBody replaces r.Body, if r has a body, and returns r. w is the response to
// r; limitBody needs it to set the deadlines of the connection.
func limitBody(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &body{ReadCloser: r.Body, conn: http.NewResponseController(w), startTime: time.Now()}
	}
	return r
}

// body is a request body that must arrive at a minimum speed.
type body struct {
	io.ReadCloser
	conn      *http.ResponseController
	startTime time.Time
	count     int64
	next      int64 // the count for the next update of the deadline
	ended     bool
}

// Read reads the request body into p. It moves the read deadline of the connection further after each 64 KiB. At the
// end of the body it removes the read deadline. At the end, and after an error, it sets the write deadline of the
// answer to 10 s from now.
func (b *body) Read(p []byte) (int, error) {
	if b.count >= b.next && !b.ended {
		b.next = b.count + bodyBetween
		slack := time.Duration(b.next/bodySpeed) * time.Second
		_ = b.conn.SetReadDeadline(b.startTime.Add(bodyTime + slack)) // fails if the connection is closed
	}
	n, err := b.ReadCloser.Read(p)
	b.count += int64(n)
	if err != nil {
		_ = b.conn.SetWriteDeadline(time.Now().Add(answerTime)) // for the answer, however long the body took
	}
	if err == io.EOF && !b.ended {
		// Without a deadline, the connection is read to notice when the client disconnects.
		b.ended = true
		_ = b.conn.SetReadDeadline(time.Time{})
	}
	return n, err
}
