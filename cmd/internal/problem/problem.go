// Package problem is how the service says that it does not carry out a call: RFC 9457.
//
//	problem.New(http.StatusBadRequest, "gain: 40 is above 24 dB").Of("gain").Write(w)
package problem

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"voicepool/cue/report"
)

// Type is the media type of a problem.
const Type = "application/problem+json"

// Problem is why a call was not carried out. It is an error, whose text is the detail.
type Problem struct {
	Type    string        `json:"type"`
	Title   string        `json:"title"` // of the status
	Status  int           `json:"status"`
	Detail  string        `json:"detail"`            // one sentence
	Field   string        `json:"field,omitempty"`   // of the call, that it is about
	Nearest string        `json:"nearest,omitempty"` // the nearest name of what is not there
	Reason  string        `json:"reason,omitempty"`  // of a refusal, in a word or two; of a start that was refused the mixer's
	Limit   int64         `json:"limit,omitempty"`   // that was passed
	Event   *report.Event `json:"event,omitempty"`   // of a start that was refused
}

// New returns a problem of a status, with a sentence.
func New(status int, format string, values ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, values...)}
}

// Of returns the problem with the field that it is about.
func (p *Problem) Of(field string) *Problem {
	p.Field = field
	return p
}

// Near returns the problem with the nearest name, which its sentence asks for too.
func (p *Problem) Near(name string) *Problem {
	if name != "" {
		p.Nearest = name
		p.Detail += fmt.Sprintf("; did you mean %q?", name)
	}
	return p
}

// For returns the problem with its reason.
func (p *Problem) For(reason string) *Problem {
	p.Reason = reason
	return p
}

// Over returns the problem with the limit that was passed.
func (p *Problem) Over(limit int64) *Problem {
	p.Limit = limit
	return p
}

// Error returns the sentence.
func (p *Problem) Error() string { return p.Detail }

// Write answers a call with the problem. An answer of 429 or 503 asks for a second of patience.
func (p *Problem) Write(w http.ResponseWriter) {
	text, err := json.Marshal(p)
	if err != nil { // an event that cannot be spelled
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
	_, _ = w.Write(append(text, '\n')) // who has gone needs no answer
}
