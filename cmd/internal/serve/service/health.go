package service

import (
	_ "embed" // the document
	"net/http"
	"strconv"
	"strings"
	"time"

	"voicepool/cmd/internal/serve/problemjson"
)

// stalledAfter is the delay after which a room counts as stalled.
const stalledAfter = 2 * time.Second

// health is the answer of /healthz and /readyz.
type health struct {
	Status string `json:"status"`
}

// healthy answers 200 as long as the process runs, as JSON. The field status is "opening" until FinishOpening is
// called, and then "ok".
func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) error {
	if s.opening.Load() {
		return write(w, http.StatusOK, &health{"opening"})
	}
	return write(w, http.StatusOK, &health{"ok"})
}

// ready answers 200 if the server can play: FinishOpening was called, Options.Ready returns nil, and no room is
// stalled. Otherwise ready returns an error. It is the error of Options.Ready, or has the HTTP status 503. For stalled
// rooms the error lists their names.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.opening.Load() {
		return openingProblem()
	}
	if s.options.Ready != nil {
		if err := s.options.Ready(); err != nil {
			return err
		}
	}
	if stalled := s.StalledRooms(); len(stalled) > 0 {
		return problemjson.New(http.StatusServiceUnavailable, "these rooms have stalled: %s", strings.Join(stalled, ", ")).WithField("room")
	}
	return write(w, http.StatusOK, &health{"ok"})
}

// FinishOpening ends the phase of Options.Opening: from now on the server answers all calls.
func (s *Server) FinishOpening() { s.opening.Store(false) }

// openingProblem returns the problem for a call before FinishOpening, with status 503.
func openingProblem() error {
	return problemjson.New(http.StatusServiceUnavailable, "the rooms are being opened; try again in a moment")
}

// StalledRooms returns the sorted names of the stalled rooms. A room is stalled if its mix is more than two seconds
// behind the clock. A room that has lost its sound card is not stalled for that reason, because it keeps time and
// streams over the network.
func (s *Server) StalledRooms() (names []string) {
	for _, r := range s.Rooms() {
		if b := r.Summary(); b.Behind > stalledAfter {
			names = append(names, r.Name())
		}
	}
	return names
}

//go:embed openapi.json
var openapi []byte

// document answers with the embedded file openapi.json, the description of all calls. It always returns nil.
func (s *Server) document(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(openapi)))
	_, _ = w.Write(openapi) // an error means that the client has gone
	return nil
}
