package service

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
)

// voiceExplanation explains why a voice plays, was stolen or was rejected.
type voiceExplanation struct {
	Voice uint64   `json:"voice"`
	Text  []string `json:"text"`
}

// explain answers with sentences about why a voice plays, was stolen or was rejected, as JSON. It returns a problem
// with status 400 for an invalid number, and an error that becomes a 404 for an unknown room or a voice whose start
// is no longer stored.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	h, err := s.entry(r.PathValue("room"))
	if err != nil {
		return err
	}
	number, err := strconv.ParseUint(r.PathValue("voice"), 10, 64)
	if err != nil {
		return problemjson.New(http.StatusBadRequest, "voice: want the number of a start").WithField("voice")
	}
	text, err := h.room.Explain(number)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, &voiceExplanation{number, text})
}

// report answers with a report of the room so far, as JSON. If the client reads so slowly that the room drops events
// before they are written, report aborts the connection by a panic with http.ErrAbortHandler and counts the client as
// slow. Its only error is an unknown room.
func (s *Server) report(w http.ResponseWriter, r *http.Request) error {
	h, err := s.entry(r.PathValue("room"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if err := h.room.WriteReport(w); errors.Is(err, room.ErrSlow) {
		s.metrics.countDropped("answers", r.Context())
		panic(http.ErrAbortHandler) // aborts, so that a partial report is not mistaken for a whole one
	}
	return nil // an error means that the client has gone
}

// timeline answers with an HTML page that shows the voices of the last ten minutes. It is not cached and has its own
// Content-Security-Policy, which permits the page's inline script. A returned error precedes the answer.
func (s *Server) timeline(w http.ResponseWriter, r *http.Request) error {
	h, err := s.entry(r.PathValue("room"))
	if err != nil {
		return err
	}
	page, err := s.draw(r.Context(), h.room)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", room.TimelinePolicy()) // the guard's policy forbids the page's inline script
	w.Header().Set("Content-Length", strconv.Itoa(page.Len()))
	w.Header().Set("Cache-Control", "no-store")
	_, _ = page.WriteTo(w) // an error means that the client has gone
	return nil
}

// draw returns the HTML page of r.Timeline, and the error of r.Timeline. At most four pages of a server are drawn at
// a time; draw waits for its turn, or returns nil and the error of ctx if ctx ends first.
func (s *Server) draw(ctx context.Context, r *room.Room) (*bytes.Buffer, error) {
	select {
	case s.drawing <- struct{}{}:
		defer func() { <-s.drawing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	page := &bytes.Buffer{}
	return page, r.Timeline(page)
}
