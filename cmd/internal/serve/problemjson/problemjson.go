// Package problemjson describes why the service rejects a call, as problem JSON (RFC 9457).
//
//	problemjson.New(http.StatusBadRequest, "gain: 40 is above 24 dB").WithField("gain").Write(w)
package problemjson

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"voicepool/cue/report"
)

// Type is the media type of a problem.
const Type = "application/problem+json"

// Problem is the reason why a call was rejected. It is an error whose text is Detail.
type Problem struct {
	Type    string        `json:"type"`
	Title   string        `json:"title"` // of the status
	Status  int           `json:"status"`
	Detail  string        `json:"detail"`            // one sentence
	Field   string        `json:"field,omitempty"`   // the field of the call with the fault
	Nearest string        `json:"nearest,omitempty"` // the nearest known name
	Reason  string        `json:"reason,omitempty"`  // of a refusal, in a word or two; for a rejected start, the mixer's reason
	Limit   int64         `json:"limit,omitempty"`   // the exceeded limit
	Event   *report.Event `json:"event,omitempty"`   // of a rejected start

	RetryAfter time.Duration `json:"-"` // time until a retry may succeed; 0: a second for the status 429 or 503
}

// New returns a problem with an HTTP status. Its Detail is formatted from format and values as by fmt.Sprintf, and its
// Title is the standard text of the status. WithField, WithNearest, WithReason and WithLimit set further fields.
func New(status int, format string, values ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, values...)}
}

// WithField sets p.Field to the name of the field of the call with the fault, such as "gain". It changes p itself and
// returns p.
func (p *Problem) WithField(field string) *Problem {
	p.Field = field
	return p
}

// WithNearest sets p.Nearest to name, the known name nearest to a misspelled one, and appends "did you mean" to
// p.Detail. It changes p itself and returns p. If name is "", p stays unchanged.
func (p *Problem) WithNearest(name string) *Problem {
	if name != "" {
		p.Nearest = name
		p.Detail += fmt.Sprintf("; did you mean %q?", name)
	}
	return p
}

// WithReason sets p.Reason, a word or two for programs. It changes p itself and returns p.
func (p *Problem) WithReason(reason string) *Problem {
	p.Reason = reason
	return p
}

// WithLimit sets p.Limit to the limit that was exceeded. It changes p itself, except p.Detail, and returns p.
func (p *Problem) WithLimit(limit int64) *Problem {
	p.Limit = limit
	return p
}

// WithRetry sets p.RetryAfter, the time until a retry may succeed. It changes p itself and returns p.
func (p *Problem) WithRetry(after time.Duration) *Problem {
	p.RetryAfter = after
	return p
}

// RetrySeconds returns the seconds until a retry may succeed, rounded up, for the header Retry-After; 0: unknown.
func (p *Problem) RetrySeconds() int {
	if p.RetryAfter == 0 && (p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable) {
		return 1
	}
	return int(math.Ceil(p.RetryAfter.Seconds()))
}

// JSON returns p as a line of problem JSON. If p cannot be encoded, it returns a general problem of status 500, and
// sets p.Status to 500.
func (p *Problem) JSON() []byte {
	text, err := json.Marshal(p)
	if err != nil { // an event that cannot be encoded
		text = []byte(`{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"something went wrong"}`)
		p.Status = http.StatusInternalServerError
	}
	return append(text, '\n')
}

// Error returns Detail.
func (p *Problem) Error() string { return p.Detail }

// Write answers an HTTP request with the JSON of p, which must not be cached. It adds the header Retry-After if
// RetrySeconds is not 0.
func (p *Problem) Write(w http.ResponseWriter) {
	text, h := p.JSON(), w.Header()
	h.Set("Content-Type", Type)
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Cache-Control", "no-store")
	if after := p.RetrySeconds(); after > 0 {
		h.Set("Retry-After", strconv.Itoa(after))
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(text) // an error means that the client has gone
}
