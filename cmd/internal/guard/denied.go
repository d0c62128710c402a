package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// Denied says why something may not be done.
type Denied struct {
	Status int           // of HTTP
	Detail string        // one sentence
	Limit  int           // that is passed, which the sentence explains; 0: none
	After  time.Duration // when it may be tried again; 0: not said
}

func denied(status int, format string, args ...any) *Denied {
	return &Denied{Status: status, Detail: fmt.Sprintf(format, args...)}
}

// Error returns the sentence.
func (d *Denied) Error() string { return d.Detail }

// Seconds returns After in whole seconds, at least one where something is to be waited for.
func (d *Denied) Seconds() int { return int(math.Ceil(d.After.Seconds())) }

// problem returns what RFC 9457 says of it.
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

// scheme is how somebody says who asks.
const scheme = `Bearer realm="voicepool"`

// Write answers with an error of this package, as RFC 9457 has it.
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
	if d.After > 0 {
		h.Set("Retry-After", strconv.Itoa(d.Seconds()))
	}
	w.WriteHeader(d.Status)
	w.Write(d.problem())
}
