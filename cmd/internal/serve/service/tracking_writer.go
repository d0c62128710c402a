package service

import (
	"errors"
	"net/http"
	"os"
	"time"
)

// trackingWriter is a ResponseWriter that records the status and limits slow readers: each piece of an answer
// must be accepted within timeout.
type trackingWriter struct {
	http.ResponseWriter
	out         *http.ResponseController
	timeout     time.Duration
	status      int       // 0: not answered yet
	deadlineSet time.Time // the last time the deadline was set
	slow        bool      // the reader was too slow
	isStream    bool      // it is a stream, which counts its slow readers itself
}

// writeSize is the number of bytes that a reader must accept within timeout.
const writeSize = 64 << 10

// extendDeadline sets the write deadline of the connection to timeout from now, unless it did so within the last tenth
// of timeout.
func (t *trackingWriter) extendDeadline() {
	if now := time.Now(); now.Sub(t.deadlineSet) > t.timeout/10 {
		t.deadlineSet = now
		_ = t.out.SetWriteDeadline(now.Add(t.timeout)) // a test recorder has no deadlines
	}
}

// WriteHeader records status if it is the first, renews the write deadline and passes status on.
func (t *trackingWriter) WriteHeader(status int) {
	if t.status == 0 {
		t.status = status
	}
	t.extendDeadline()
	t.ResponseWriter.WriteHeader(status)
}

// Write passes b on in pieces of at most 64 KiB, each with its own deadline. If the client misses a deadline, Write
// returns the error and sets t.slow. Without an earlier WriteHeader it records the status 200.
func (t *trackingWriter) Write(b []byte) (n int, err error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	for {
		t.extendDeadline()
		one, err := t.ResponseWriter.Write(b[n : n+min(len(b)-n, writeSize)])
		n += one
		t.slow = t.slow || errors.Is(err, os.ErrDeadlineExceeded)
		if err != nil || n == len(b) {
			return n, err
		}
	}
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (t *trackingWriter) Unwrap() http.ResponseWriter { return t.ResponseWriter }
