package service

import (
	"bytes"
	"net/http"
	"strconv"

	"voicepool/cmd/internal/problem"
)

// reasons is the answer to why a voice sounds, was stolen or refused.
type reasons struct {
	Voice uint64   `json:"voice"`
	Text  []string `json:"text"`
}

// explain says why a voice sounds, was stolen or refused.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	h, err := s.house(r.PathValue("room"))
	if err != nil {
		return err
	}
	number, err := strconv.ParseUint(r.PathValue("voice"), 10, 64)
	if err != nil {
		return problem.New(http.StatusBadRequest, "voice: the number of a start is wanted").Of("voice")
	}
	text, err := h.room.Explain(number)
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, &reasons{number, text})
}

// report answers with what is known of the playing so far.
func (s *Server) report(w http.ResponseWriter, r *http.Request) error {
	h, err := s.house(r.PathValue("room"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = h.room.Report().WriteTo(w) // who has gone needs no answer
	return nil
}

// timeline answers with a page of the voices of the last minutes.
func (s *Server) timeline(w http.ResponseWriter, r *http.Request) error {
	h, err := s.house(r.PathValue("room"))
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := h.room.Timeline(&page); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(page.Len()))
	w.Header().Set("Cache-Control", "no-store")
	_, _ = page.WriteTo(w) // who has gone needs no answer
	return nil
}
