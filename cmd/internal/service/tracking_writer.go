package service

import (
	"errors"
	"net/http"
	"os"
	"time"
)

// trackingWriter is a ResponseWriter that records the status and limits slow readers: each piece of an answer
// must be accepted within patience.
type trackingWriter struct {
	http.ResponseWriter
	out      *http.ResponseController
	patience time.Duration
	status   int       // 0: not answered yet
	renewed  time.Time // the last time the deadline was set
	slow     bool      // the reader was too slow
	lasts    bool      // it is a stream, which counts its slow readers itself
}

// writeSize is the number of bytes that a reader must accept within patience.
const writeSize = 64 << 10

// renew sets the write deadline to now plus patience. It does so only if a tenth of patience has passed since
// the last renewal.
func (t *trackingWriter) renew() {
	if now := time.Now(); now.Sub(t.renewed) > t.patience/10 {
		t.renewed = now
		_ = t.out.SetWriteDeadline(now.Add(t.patience)) // a test recorder has no deadlines
	}
}

// WriteHeader records the status.
func (t *trackingWriter) WriteHeader(status int) {
	if t.status == 0 {
		t.status = status
	}
	t.renew()
	t.ResponseWriter.WriteHeader(status)
}

// Write writes b in pieces, each with its own deadline. A missed deadline is an error and marks the client as
// slow.
func (t *trackingWriter) Write(b []byte) (n int, err error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	for {
		t.renew()
		one, err := t.ResponseWriter.Write(b[n : n+min(len(b)-n, writeSize)])
		n += one
		t.slow = t.slow || errors.Is(err, os.ErrDeadlineExceeded)
		if err != nil || n == len(b) {
			return n, err
		}
	}
}

// Unwrap supports http.ResponseController.
func (t *trackingWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }
