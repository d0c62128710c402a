// Package problemjson describes why the service rejects a call, as problem JSON (RFC 9457).
//
//	problemjson.New(http.StatusBadRequest, "gain: 40 is above 24 dB").WithField("gain").Write(w)
package problemjson

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

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
}

// New returns a problem with the HTTP status status and a Detail formatted as by fmt.Sprintf. Title is the text of the
// status; WithField, WithNearest, WithReason and WithLimit set further fields.
func New(status int, format string, values ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, values...)}
}

// WithField sets the field of the call to blame, such as "gain", in p itself, and returns p.
func (p *Problem) WithField(field string) *Problem {
	p.Field = field
	return p
}

// WithNearest sets Nearest to name, the nearest known name, adds "did you mean" with name to Detail, and returns p.
// With "" it does not change p.
func (p *Problem) WithNearest(name string) *Problem {
	if name != "" {
		p.Nearest = name
		p.Detail += fmt.Sprintf("; did you mean %q?", name)
	}
	return p
}

// WithReason sets the reason, a word or two for programs, and returns p.
func (p *Problem) WithReason(reason string) *Problem {
	p.Reason = reason
	return p
}

// WithLimit sets the limit that was exceeded, and returns p. It does not change Detail.
func (p *Problem) WithLimit(limit int64) *Problem {
	p.Limit = limit
	return p
}

// Error returns Detail.
func (p *Problem) Error() string { return p.Detail }

// Write answers a call with the problem as problem JSON, which must not be cached. With status 429 or 503 it adds the
// header Retry-After: 1. A problem that cannot be encoded becomes a general one with status 500, also in p.Status.
func (p *Problem) Write(w http.ResponseWriter) {
	text, err := json.Marshal(p)
	if err != nil { // an event that cannot be encoded
		text = []byte(`{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"something went wrong"}`)
		p.Status = http.StatusInternalServerError
	}
	h := w.Header()
	h.Set("Content-Type", Type)
	h.Set("Content-Length", strconv.Itoa(len(text)+1))
	h.Set("Cache-Control", "no-store")
	if p.Status == http.StatusTooManyRequests || p.Status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(text, '\n')) // an error means that the client has gone
}
