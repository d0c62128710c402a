package service

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
)

const (
	heartbeat     = 15 * time.Second // the interval of comments in an idle event stream
	writeTimeout  = 10 * time.Second // time limit for a reader to accept one write
	maxLastEvents = 10_000           // maximum events in one answer
)

// appendEvent appends e as a JSON object to the slice b and returns the longer slice. The object is the event as in
// reports, with the additional fields number and text.
func appendEvent(b []byte, e *room.NumberedEvent) []byte {
	sentence, _ := json.Marshal(e.Text) // marshaling a string cannot fail
	text := e.Event.AppendJSON(b)
	text = append(text[:len(text)-1], `,"number":`...)
	text = append(strconv.AppendInt(text, e.Number, 10), `,"text":`...)
	return append(append(text, sentence...), '}')
}

// eventList is a list of events.
type eventList struct {
	Events []json.RawMessage `json:"events"`
}

// events streams the events of the room as server-sent events, from the event that firstEvent returns, until the client
// disconnects, is too slow, or the room ends. With the query parameter last=N, N from 1 to 10,000, it answers with
// the last N events as JSON instead. A returned error precedes the answer.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	h, err := s.entry(r.PathValue("room"))
	if err != nil {
		return err
	}
	query := r.URL.Query()
	if text := query.Get("last"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLastEvents {
			return problemjson.New(http.StatusBadRequest, "last: want a whole number from 1 to %d", maxLastEvents).WithField("last").WithLimit(maxLastEvents)
		}
		return writeLastEvents(w, h.room, n)
	}
	from, err := firstEvent(r, h)
	if err != nil {
		return err
	}
	return s.stream(w, r, func(ctx context.Context, out *http.ResponseController) error {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
		return s.streamEvents(ctx, w, out, h.runID, h.room.Watch(from))
	})
}

// firstEvent returns the number of the first event to stream: the number after the header Last-Event-ID, or else the
// query parameter from, at least 1. Without both it returns 0, the next event. An unreadable number is a problem with
// status 400; a dropped event, or a from beyond the next event, is a 404. A future number in the header gives 0.
func firstEvent(r *http.Request, h *roomEntry) (int64, error) {
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		return h.eventAfter(id)
	}
	text := r.URL.Query().Get("from")
	if text == "" {
		return 0, nil
	}
	from, err := parseEventNumber("from", text)
	if err != nil {
		return 0, err
	}
	from = max(from, 1)
	if next := h.room.LastEvent() + 1; from > next {
		return 0, problemjson.New(http.StatusNotFound, "from: there is no event %d yet; the next is %d", from, next).WithField("from")
	}
	return from, h.checkStored("from", from)
}

// eventAfter returns the number of the event that follows the event called id in a stream: the room's runID and a
// number, such as "k3v9x2ab-17", or only "17". An id with another runID belongs to an earlier run of the room and gives
// the first stored event. A number beyond the last event gives 0, the next event. An unreadable id is a problem with
// status 400, a dropped event a 404.
func (h *roomEntry) eventAfter(id string) (int64, error) {
	const name = "Last-Event-ID"
	text := id
	if runID, number, whole := strings.Cut(id, "-"); whole && runID != "" {
		if text = number; runID != h.runID {
			_, first := h.room.Events(1, 1)
			_, err := parseEventNumber(name, text)
			return first, err
		}
	}
	number, err := parseEventNumber(name, text)
	if err != nil || number > h.room.LastEvent() {
		return 0, err
	}
	return number + 1, h.checkStored(name, number+1)
}

// parseEventNumber parses the number of an event, from 0 to 2^53. Other texts are a problem with status 400 that blames
// name, a header or query parameter.
func parseEventNumber(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<53 {
		return 0, problemjson.New(http.StatusBadRequest, "%s: want the number of an event", name).WithField(name)
	}
	return n, nil
}

// checkStored returns a problem with status 404 if the room no longer stores the event called number, otherwise nil,
// also for a future number. name is the header or query parameter that the problem blames.
func (h *roomEntry) checkStored(name string, number int64) error {
	if _, first := h.room.Events(number, 1); number < first {
		return problemjson.New(http.StatusNotFound, "%s: the event %d is no longer kept; the first kept event is %d", name, number, first).WithField(name)
	}
	return nil
}

// writeLastEvents answers with the latest n events of r as JSON, oldest first, or with fewer if fewer are stored.
func writeLastEvents(w http.ResponseWriter, r *room.Room, n int) error {
	all, _ := r.Events(max(r.LastEvent()-int64(n)+1, 1), n)
	out := eventList{[]json.RawMessage{}}
	for i := range all {
		out.Events = append(out.Events, appendEvent(nil, &all[i]))
	}
	return write(w, http.StatusOK, &out)
}

// stream runs do, which writes an answer without a fixed end to w, and returns the error of do. The context of do
// ends with the request and with the server; the controller of do belongs to w. Before, stream removes the read
// deadline and marks w as a stream. If the limit of sockets and streams is reached or the server is closing, stream
// returns a problem and does not run do.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, do func(context.Context, *http.ResponseController) error) error {
	done, err := s.countStream()
	if err != nil {
		return err
	}
	defer done()
	if t, ok := w.(*trackingWriter); ok {
		t.isStream = true
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // a connection without deadlines returns an error
	return do(ctx, out)
}

// countStream counts an open socket or stream until the caller calls done; Close waits for these calls. If the server
// is closing (503) or Limits.Sockets are open (429), countStream returns a problem, and done is nil.
func (s *Server) countStream() (done func(), err error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	most := int64(s.options.Limits.Sockets)
	switch {
	case s.closed:
		return nil, problemjson.New(http.StatusServiceUnavailable, "the server is ending")
	case s.open.Add(1) > most:
		s.open.Add(-1)
		return nil, problemjson.New(http.StatusTooManyRequests, "the limit of %d open sockets and streams is reached", most).WithLimit(most)
	}
	s.calls.Add(1)
	return func() {
		s.open.Add(-1)
		s.calls.Done()
	}, nil
}

// streamEvents writes the events from watcher to w as server-sent events until the room ends, ctx ends, a write fails
// or watcher is too slow. It first writes a comment line, and another after every 15 s without an event. The id of an
// event is runID, the id of this run of the room, a hyphen and the number. It always returns nil; a client that is too
// slow is counted in the metrics.
func (s *Server) streamEvents(ctx context.Context, w http.ResponseWriter, out *http.ResponseController, runID string, watcher *room.Watcher) error {
	b := []byte(": events\n\n")
	for {
		if _, err := w.Write(b); err != nil {
			s.metrics.countDropped("events", ctx)
			return nil
		}
		if err := out.Flush(); err != nil {
			s.metrics.countDropped("events", ctx)
			return nil
		}
		b = b[:0]
		soon, cancel := context.WithTimeout(ctx, heartbeat)
		all, err := watcher.Next(soon)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, context.DeadlineExceeded):
			b = append(b, ":\n\n"...)
			continue
		case errors.Is(err, room.ErrSlow):
			s.metrics.countDropped("events", ctx)
			return nil
		case err != nil: // the room has ended
			return nil
		}
		for i := range all {
			b = append(append(append(b, "id: "...), runID...), '-')
			b = append(strconv.AppendInt(b, all[i].Number, 10), "\nevent: "...)
			b = append(append(b, all[i].Kind.String()...), "\ndata: "...)
			b = append(appendEvent(b, &all[i]), "\n\n"...)
		}
	}
}
