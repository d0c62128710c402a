package service

import (
	"errors"
	"net/http"
	"os"
	"time"
)

// told is a ResponseWriter that knows its status, and waits for no reader: each piece of an answer has
// to be taken within patience.
type told struct {
	http.ResponseWriter
	out      *http.ResponseController
	patience time.Duration
	status   int       // 0: nothing is answered yet
	renewed  time.Time // when the deadline was set last
	slow     bool      // the reader has taken too long
	lasts    bool      // it is a stream, which counts its slow readers itself
}

// piece is how many bytes have to be taken within patience.
const piece = 64 << 10

// renew gives the reader its time anew.
func (t *told) renew() {
	if now := time.Now(); now.Sub(t.renewed) > t.patience/10 {
		t.renewed = now
		_ = t.out.SetWriteDeadline(now.Add(t.patience)) // a recorder of tests has none
	}
}

// WriteHeader notes the status.
func (t *told) WriteHeader(status int) {
	if t.status == 0 {
		t.status = status
	}
	t.renew()
	t.ResponseWriter.WriteHeader(status)
}

// Write writes in pieces.
func (t *told) Write(b []byte) (n int, err error) {
	if t.status == 0 {
		t.status = http.StatusOK
	}
	for {
		t.renew()
		one, err := t.ResponseWriter.Write(b[n : n+min(len(b)-n, piece)])
		n += one
		t.slow = t.slow || errors.Is(err, os.ErrDeadlineExceeded)
		if err != nil || n == len(b) {
			return n, err
		}
	}
}

// Unwrap is for http.ResponseController.
func (t *told) Unwrap() http.ResponseWriter { return t.ResponseWriter }
