package webauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Denied is the error of a request that the guard rejects.
type Denied struct {
	Status     int           // HTTP status
	Detail     string        // one sentence
	Limit      int           // the exceeded limit, explained in Detail; 0: not a limit
	RetryAfter time.Duration // time until a retry may succeed; 0: unknown
}

// denied returns a *Denied with an HTTP status. Its Detail is formatted from format and args as by fmt.Sprintf.
func denied(status int, format string, args ...any) *Denied {
	return &Denied{Status: status, Detail: fmt.Sprintf(format, args...)}
}

// Error returns Detail.
func (d *Denied) Error() string { return d.Detail }

// Seconds returns RetryAfter rounded up to whole seconds, for the header Retry-After. 0 means unknown.
func (d *Denied) Seconds() int { return int(math.Ceil(d.RetryAfter.Seconds())) }

// problem returns d as problem JSON (RFC 9457), with a line feed at the end.
func (d *Denied) problem() []byte {
	text, _ := json.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
		Limit  int    `json:"limit,omitempty"`
	}{"about:blank", http.StatusText(d.Status), d.Status, d.Detail, d.Limit})
	return append(text, '\n')
}

// scheme is the WWW-Authenticate header of a 401.
const scheme = `Bearer realm="voicepool"`

// Write answers an HTTP request with the error err as problem JSON (RFC 9457). If err is or wraps a *Denied, the answer
// has its status and text. A 401 also gets the header WWW-Authenticate, and a known RetryAfter the header Retry-After.
// Any other error becomes a 500 without details.
func Write(w http.ResponseWriter, err error) {
	d, ok := errors.AsType[*Denied](err)
	if !ok {
		d = &Denied{Status: 500, Detail: "something went wrong"}
	}
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-store")
	if d.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", scheme)
	}
	if d.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(d.Seconds()))
	}
	w.WriteHeader(d.Status)
	w.Write(d.problem())
}
