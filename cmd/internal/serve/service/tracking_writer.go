package service

import (
	"cmp"
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

// extendDeadline moves the write deadline of the connection to t.timeout from now. It has no effect if it moved the
// deadline within the last tenth of t.timeout.
func (t *trackingWriter) extendDeadline() {
	if now := time.Now(); now.Sub(t.deadlineSet) > t.timeout/10 {
		t.deadlineSet = now
		_ = t.out.SetWriteDeadline(now.Add(t.timeout)) // a test recorder has no deadlines
	}
}

// WriteHeader passes status on to the underlying writer. It also extends the write deadline, and stores the first
// status in t.status.
func (t *trackingWriter) WriteHeader(status int) {
	t.status = cmp.Or(t.status, status)
	t.extendDeadline()
	t.ResponseWriter.WriteHeader(status)
}

// Write passes b on to the underlying writer in pieces of at most 64 KiB. Before each piece it extends the write
// deadline. If the client misses a deadline, Write sets t.slow and returns the error. It stores the status 200 in
// t.status if WriteHeader was not called before.
func (t *trackingWriter) Write(b []byte) (n int, err error) {
	t.status = cmp.Or(t.status, http.StatusOK)
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
