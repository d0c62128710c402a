package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
)

// showReply is a reply to a message.
type showReply struct {
	Ref    json.RawMessage
	Status int
	Body   struct{ Detail string }
}

// answer carries out a message, and checks the reply against the API description.
func (s *stage) answer(ctx context.Context, message string) (r showReply) {
	s.t.Helper()
	text := s.Answer(ctx, "main", []byte(message))
	valid(s.t, "Reply", text)
	if err := json.Unmarshal(text, &r); err != nil {
		s.t.Error(err)
	}
	return r
}

// TestAnswer checks that messages of other protocols get the replies of the WebSocket.
func TestAnswer(t *testing.T) {
	s := open(t, func(o *service.Options) { o.Limits.BodyBytes = 200 })
	for _, c := range []struct {
		message string
		status  int
		ref     string
		detail  string
	}{
		{`{"ref":1,"do":"play","with":{"sound":"bell"}}`, 201, "1", ""},
		{`{"ref":"a","do":"state"}`, 200, `"a"`, ""},
		{`{"ref":2,"do":"ply"}`, 400, "2", `unknown order "ply"; did you mean "play"?`},
		{`{"ref":3,"do":"go","to":1}`, 400, "3", `unknown field "to"; did you mean "do"?`},
		{`{"ref":4,"do":"go"`, 400, "4", "the JSON cannot be read: it ends too early"},
		{"{\"ref\":5,\"do\":\"\xff\"}", 400, "", "the JSON cannot be read: it is not valid UTF-8"},
		{``, 400, "", "do: is missing"},
		{`{"ref":6,"do":"go","key":"` + strings.Repeat("k", 200) + `"}`, 413, "6", "the message is longer than 200 bytes"},
	} {
		r := s.answer(t.Context(), c.message)
		if r.Status != c.status || string(r.Ref) != c.ref || r.Body.Detail != c.detail {
			t.Errorf("%q: %d %s %q, want %d %s %q", c.message, r.Status, r.Ref, r.Body.Detail, c.status, c.ref, c.detail)
		}
	}
	var r showReply
	if err := json.Unmarshal(s.Refuse([]byte(`{"ref":7,"do":"panic"}`), problemjson.New(429, "too many")), &r); err != nil || r.Status != 429 || string(r.Ref) != "7" {
		t.Errorf("a refused message: %+v, %v", r, err)
	}
	quiet := open(t, func(o *service.Options) { o.Opening = true })
	if r := quiet.answer(t.Context(), `{"do":"state"}`); r.Status != http.StatusServiceUnavailable {
		t.Errorf("while rooms are opened: %+v", r)
	}
}

// TestTrust checks that a trusted caller has exactly the given role, although Options.Allow rejects
// everyone.
func TestTrust(t *testing.T) {
	denied := problemjson.New(http.StatusUnauthorized, "a token is needed")
	s := open(t, func(o *service.Options) {
		o.Allow = func(context.Context, service.Role, string) error { return denied }
	})
	for _, c := range []struct {
		name         string
		ctx          context.Context
		panic, state int
	}{
		{"nobody", t.Context(), 401, 401},
		{"public", service.Trust(t.Context(), service.Public), 403, 403},
		{"read", service.Trust(t.Context(), service.Read), 403, 200},
		{"operate", service.Trust(t.Context(), service.Operate), 200, 200},
	} {
		if r := s.answer(c.ctx, `{"do":"panic"}`); r.Status != c.panic {
			t.Errorf("%s panics: %+v, want %d", c.name, r, c.panic)
		}
		if r := s.answer(c.ctx, `{"do":"state"}`); r.Status != c.state {
			t.Errorf("%s asks for the state: %d, want %d", c.name, r.Status, c.state)
		}
	}
}

// TestBarred checks that a barred room rejects orders with the reason on each protocol, and still
// answers reads.
func TestBarred(t *testing.T) {
	var barred error
	s := open(t, func(o *service.Options) {
		o.CheckOperable = func(room string) error {
			if room != "main" {
				t.Errorf("the room %q is asked for", room)
			}
			return barred
		}
	})
	if r := s.answer(t.Context(), `{"do":"go"}`); r.Status != http.StatusOK {
		t.Errorf("a GO before: %+v", r)
	}
	barred = problemjson.New(http.StatusServiceUnavailable, "the room is silent")
	if r := s.answer(t.Context(), `{"do":"go","key":"k"}`); r.Status != 503 || r.Body.Detail != "the room is silent" {
		t.Errorf("a GO: %+v", r)
	}
	if got := s.ask("POST /v1/rooms/main/play", `{"sound":"bell"}`); got.status != 503 {
		t.Errorf("a play over HTTP: %d", got.status)
	}
	if r := s.answer(t.Context(), `{"do":"state"}`); r.Status != http.StatusOK {
		t.Errorf("the state: %+v", r)
	}
	barred = nil
	if r := s.answer(t.Context(), `{"do":"panic","key":"k"}`); r.Status != http.StatusOK {
		t.Errorf("the same key afterwards: %+v", r)
	}
}

// TestFault checks that a panic in an order is answered, and that the server survives it.
func TestFault(t *testing.T) {
	var told []string
	s := open(t, func(o *service.Options) {
		o.CheckOperable = func(string) error { panic("a fault") }
		o.Log = func(line string) { told = append(told, line) }
	})
	if r := s.answer(t.Context(), `{"ref":1,"do":"go"}`); r.Status != http.StatusInternalServerError || string(r.Ref) != "1" {
		t.Errorf("a fault: %+v", r)
	}
	if len(told) != 1 || !strings.Contains(told[0], "a fault of the program") {
		t.Errorf("told: %q", told)
	}
}

// TestFollow checks that a Follower returns numbered events with the room's runID, and the end of
// the room.
func TestFollow(t *testing.T) {
	s := open(t)
	s.answer(t.Context(), `{"do":"play","with":{"sound":"bell"}}`)
	f, err := s.Follow("main")
	if err != nil {
		t.Fatal(err)
	}
	s.answer(t.Context(), `{"do":"play","with":{"sound":"coin"}}`)
	messages, missed, err := f.Next(t.Context())
	var m struct {
		Type   string
		Number int64
		Life   string
		Event  struct{ Kind, Sound string }
	}
	if err != nil || missed != 0 || json.Unmarshal(messages[0], &m) != nil {
		t.Fatal(messages, missed, err)
	}
	if m.Type != "event" || m.Number < 2 || len(m.Life) != 8 || m.Event.Kind != "started" || m.Event.Sound != "coin" {
		t.Errorf("the event is %+v", m)
	}
	s.Room("main").Close(0)
	for err == nil {
		_, _, err = f.Next(t.Context())
	}
	if !errors.Is(err, io.EOF) {
		t.Errorf("the end is %v", err)
	}
	if _, err := s.Follow("mian"); err == nil {
		t.Error("a room that is not there can be followed")
	}
}

// TestFollowLate checks that a slow Follower continues with the next event and returns the number
// of missed events.
func TestFollowLate(t *testing.T) {
	s := open(t)
	f, err := s.Follow("main")
	if err != nil {
		t.Fatal(err)
	}
	message := `{"do":"batch","with":{"commands":[` + strings.Repeat(`{"do":"play","with":{"sound":"bell"}},`, 499) + `{"do":"play","with":{"sound":"bell"}}]}}`
	if r := s.answer(t.Context(), message); r.Status != http.StatusOK {
		t.Fatal(r)
	}
	batch := slices.Repeat([]room.Step{{Play: &room.PlayRequest{Sound: "bell"}}}, 500)
	for s.Room("main").LastEvent() < room.MinStoredEvents*6/5 { // of the room itself, because messages take longer
		if _, _, err := s.Room("main").Batch(room.Moment{}, batch); err != nil {
			t.Fatal(err)
		}
	}
	last := s.Room("main").LastEvent()
	came := make(chan error, 1)
	go func() {
		_, missed, err := f.Next(t.Context())
		if err == nil && missed < last {
			err = fmt.Errorf("%d were missed of %d", missed, last)
		}
		came <- err
	}()
	for {
		select {
		case err := <-came:
			if err != nil {
				t.Error(err)
			}
			return
		default:
			s.answer(t.Context(), `{"do":"play","with":{"sound":"bell"}}`)
		}
	}
}
