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

// appendEvent appends the event e as a JSON object to b and returns the extended slice. The object has the fields of an
// event in reports. It also has number, the event's number, and text, a sentence that describes the event.
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

// events streams the events of a room to the client as server-sent events. The stream begins with the event that
// firstEvent returns. It ends when the client disconnects or is too slow, or when the room or the server ends. With the
// query parameter last=N, events answers with the last N events as one JSON object instead. N is from 1 to 10,000; from
// and the header Last-Event-ID are then ignored. A returned error means that the answer has not begun.
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

// firstEvent returns the number of the first event to stream for the request r, or 0 for the next new event. The header
// Last-Event-ID has precedence: the stream then begins after that event. If the header names a future event, firstEvent
// returns 0. If it names an event of an earlier room with this name, firstEvent returns the first stored event.
// Otherwise the query parameter from is the first number, raised to 1 if it is 0. Without header and parameter,
// firstEvent returns 0.
//
// The errors have an HTTP status: 400 for an unreadable number, and 404 for an event that is no longer stored. A
// parameter from beyond the next event is a 404, too.
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

// eventAfter returns the number of the event that follows the event id. An id is the room's runID, a hyphen and a
// number, such as "k3v9x2ab-17", or only the number. runID is the random id of one run of the room. If id has another
// runID, it belongs to an earlier run, and eventAfter returns the first stored event. If the number is beyond the last
// event, eventAfter returns 0, which means the next event.
//
// An unreadable id is an error with the HTTP status 400. If the following event is no longer stored, the error is a
// 404.
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

// parseEventNumber parses text, the number of an event, from 0 to 2^53. Any other text is an error with the HTTP status
// 400. name is the header or query parameter that the error names.
func parseEventNumber(name, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<53 {
		return 0, problemjson.New(http.StatusBadRequest, "%s: want the number of an event", name).WithField(name)
	}
	return n, nil
}

// checkStored returns nil if the room still stores the event with this number, or if the number is in the future.
// Otherwise it returns an error with the HTTP status 404. name is the header or query parameter that the error names.
func (h *roomEntry) checkStored(name string, number int64) error {
	if _, first := h.room.Events(number, 1); number < first {
		return problemjson.New(http.StatusNotFound, "%s: the event %d is no longer kept; the first kept event is %d", name, number, first).WithField(name)
	}
	return nil
}

// writeLastEvents answers with the latest n events of r as JSON, the oldest first. If fewer events are stored, it
// answers with those. It returns an error only if an event cannot be encoded.
func writeLastEvents(w http.ResponseWriter, r *room.Room, n int) error {
	all, _ := r.Events(max(r.LastEvent()-int64(n)+1, 1), n)
	out := eventList{[]json.RawMessage{}}
	for i := range all {
		out.Events = append(out.Events, appendEvent(nil, &all[i]))
	}
	return write(w, http.StatusOK, &out)
}

// stream runs do, which writes an answer of unlimited length to w, and returns the error of do. The context that do
// receives ends with the request or with the server. The controller that do receives belongs to w and can flush it.
// Before do runs, stream removes the read deadline of the connection. If w is a *trackingWriter, stream also marks w as
// a stream, which counts its slow readers itself. If too many sockets and streams are open or the server is closing,
// stream returns an error with an HTTP status and does not run do.
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

// countStream counts a newly opened socket or stream. The caller must call done when the socket or stream has ended.
// Server.Close waits for that. If the server is closing (HTTP status 503) or Limits.Sockets are open already (429),
// countStream returns an error, and done is nil.
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

// streamEvents writes the events from watcher to w as server-sent events. It returns when the room or ctx ends, a write
// fails, or watcher was read too slowly. It first writes a comment line, and a further one after each 15 s without an
// event. The id of an event is runID, a hyphen and the event's number; runID is the random id of this run of the room.
// streamEvents always returns nil. It counts a client that is too slow in the metrics.
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
