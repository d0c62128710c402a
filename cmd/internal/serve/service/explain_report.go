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

// explain answers with JSON: sentences that explain why a voice plays, was stolen or was rejected. The path of the
// request has the room and the number of the voice's start. An invalid number is an error with the HTTP status 400. An
// unknown room, and a voice whose start is no longer stored, are errors that become a 404.
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

// report answers with a report of the room so far, as JSON. It returns an error only for an unknown room. If the client
// reads so slowly that the room drops events before they are written, the report would be incomplete. Then report
// counts the client as slow and aborts the connection with a panic of http.ErrAbortHandler.
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

// timeline answers with an HTML page that shows the voices of the room in the last ten minutes, or in its last 20,000
// events if these are shorter. The headers forbid caching. They also set a Content-Security-Policy for this page, which
// permits its inline script. A returned error means that the answer has not begun.
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

// draw renders the timeline of r, an HTML page, and returns it in a buffer, with the error of r.Timeline. The server
// renders at most four pages at the same time, and draw waits for its turn. If ctx ends before that, draw returns nil
// and the error of ctx.
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
