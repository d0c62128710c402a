package natsroom

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/service"
)

var errLong = nats.ErrMaxPayload

// TestOrders checks that orders get the replies of the WebSocket. The caller has the role of an
// operator, although Options.Allow rejects everyone.
func TestOrders(t *testing.T) {
	s := set(t, func(o *service.Options) {
		o.Limits.BodyBytes = 200
		o.Allow = func(context.Context, service.Role, string) error {
			return problemjson.New(http.StatusUnauthorized, "a token is needed")
		}
	})
	s.begin("main")
	for _, c := range []struct {
		message string
		status  int
		ref     string
		detail  string
	}{
		{`{"ref":1,"do":"play","with":{"sound":"bell"}}`, 201, "1", ""},
		{`{"ref":2,"do":"state"}`, 200, "2", ""},
		{`{"ref":3,"do":"play","with":{"sound":"bel"}}`, 404, "3", `there is no sound "bel"; did you mean "bell"?`},
		{`{"ref":4`, 400, "4", "the JSON cannot be read: it ends too early"},
		{"{\"do\":\"\xff\"}", 400, "", "the JSON cannot be read: it is not valid UTF-8"},
		{`{"ref":5,"do":"go","then":1}`, 400, "5", `unknown field "then"; did you mean "ref"?`},
		{`{"ref":6,"do":"go"` + strings.Repeat(" ", 200) + `}`, 413, "6", "the message is longer than 200 bytes"},
	} {
		r := s.ask(c.message)
		if r.Status != c.status || string(r.Ref) != c.ref || c.detail != r.Body.Detail {
			t.Errorf("%q: %d %s %q, want %d %s %q", c.message, r.Status, r.Ref, r.Body.Detail, c.status, c.ref, c.detail)
		}
	}
	s.wire.send("main", "", `{"do":"play","with":{"sound":"bell"}}`) // without a reply
	if r := s.ask(`{"do":"play","with":{"sound":"bell"}}`); r.Body.Voice != 3 {
		t.Errorf("behind an order without a reply, which began voice 2: %+v", r)
	}
	if taken, lost := s.counted("orders", "passed"), s.counted("orders", "dropped"); taken != "9" || lost != "0" {
		t.Errorf("%s orders passed and %s were dropped, want 9 and 0", taken, lost)
	}
}

// TestInOrder checks that orders are carried out in the order of their arrival.
func TestInOrder(t *testing.T) {
	s := set(t, nil)
	s.begin("main")
	for i := range 100 {
		s.wire.send("main", "_INBOX.a", fmt.Sprintf(`{"ref":%d,"do":"play","with":{"sound":"bell"}}`, i))
	}
	for i := range 100 {
		if r := parse(t, <-s.wire.came("_INBOX.a")); string(r.Ref) != fmt.Sprint(i) {
			t.Fatalf("the reply %d is of %s", i, r.Ref)
		}
	}
}

// TestReplies checks that replies go to inboxes only, and that a reply that is too long becomes an
// error.
func TestReplies(t *testing.T) {
	s := set(t, nil)
	s.begin("main")
	for _, subject := range []string{"$KV.voicepool_placement.room.main", "$JS.API.STREAM.DELETE.X", "voicepool.farm.jobs", "voicepool.room.main.event"} {
		s.wire.send("main", subject, `{"do":"state"}`)
		s.ask(`{"do":"state"}`)
		if n := len(s.wire.came(subject)); n != 0 {
			t.Errorf("%s got a reply", subject)
		}
	}
	s.wire.most = 400
	if r := s.ask(`{"ref":1,"do":"state"}`); r.Status != http.StatusRequestEntityTooLarge || string(r.Ref) != "1" || !strings.Contains(r.Body.Detail, "use HTTP") {
		t.Errorf("a state that is too long: %+v", r)
	}
}

// TestCrowd checks that orders above the limit are rejected at once, the others wait, and a panic
// does not end the room.
func TestCrowd(t *testing.T) {
	gate, entered := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s := set(t, func(o *service.Options) {
		o.CheckOperable = func(string) error {
			once.Do(func() { close(entered); <-gate; panic("a fault") })
			return nil
		}
	})
	s.begin("main")
	send := func(inbox string) { s.wire.send("main", inbox, `{"ref":1,"do":"panic"}`) }
	send("_INBOX.first")
	<-entered
	for range queueSize {
		send("_INBOX.waits")
	}
	send("_INBOX.late")
	if r := parse(t, <-s.wire.came("_INBOX.late")); r.Status != http.StatusTooManyRequests || r.Body.Limit != queueSize || string(r.Ref) != "1" {
		t.Errorf("one too many: %+v", r)
	}
	close(gate)
	if r := parse(t, <-s.wire.came("_INBOX.first")); r.Status != http.StatusInternalServerError {
		t.Errorf("a fault: %+v", r)
	}
	for range queueSize {
		if r := parse(t, <-s.wire.came("_INBOX.waits")); r.Status != http.StatusOK {
			t.Fatalf("one that waits: %+v", r)
		}
	}
	if lost := s.counted("orders", "dropped"); lost != "1" {
		t.Errorf("%s were dropped", lost)
	}
}

// TestEvents checks that events are published in the format of the WebSocket, and dropped and
// counted while NATS is lost.
func TestEvents(t *testing.T) {
	s := set(t, nil)
	s.begin("main", "main")
	type event struct {
		Type   string
		Number int64
		Life   string
		Event  struct{ Kind string }
	}
	next := func() (e event) {
		t.Helper()
		if err := json.Unmarshal(<-s.wire.came("voicepool.room.main.event"), &e); err != nil {
			t.Error(err)
		}
		return e
	}
	s.ask(`{"do":"play","with":{"sound":"bell"}}`)
	first := next()
	if first.Type != "event" || first.Number != 1 || first.Life == "" || first.Event.Kind != "started" {
		t.Errorf("the first event is %+v", first)
	}
	s.wire.fail(errors.New("lost"))
	s.wire.send("main", "", `{"do":"play","with":{"sound":"bell"}}`)
	s.wire.send("main", "", `{"do":"play","with":{"sound":"bell"}}`)
	until(t, "events are dropped", func() bool { return s.counted("events", "dropped") == "2" })
	s.wire.fail(nil)
	s.ask(`{"do":"play","with":{"sound":"bell"}}`)
	if e := next(); e.Number != 4 || e.Life != first.Life {
		t.Errorf("the event behind those that are lost is %+v", e)
	}
	if said := strings.Join(s.said.have(), "; "); said != "events of rooms are not published: lost; events of rooms are published again" {
		t.Errorf("told: %s", said)
	}
	s.hall.Room("main").Close(0)
	until(t, "the room has left", func() bool { return s.hall.Room("main") == nil })
	s.add("main")
	until(t, "the follower has seen the end", func() bool { return s.link("main").ended.Load() })
	s.begin("main")
	s.ask(`{"do":"play","with":{"sound":"bell"}}`)
	for e := next(); e.Life == first.Life; e = next() {
	}
}

// until waits for a condition. The limit only ends a test that hangs: a busy machine can stall a test for a minute.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for limit := time.Now().Add(5 * time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal(what + ": never")
		}
	}
}

// TestEnd checks that an ended room accepts no orders, and that waiting orders have been answered.
func TestEnd(t *testing.T) {
	gate, entered := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s := set(t, func(o *service.Options) {
		o.CheckOperable = func(string) error {
			once.Do(func() { close(entered); <-gate })
			return nil
		}
	})
	s.begin("main")
	for range 3 {
		s.wire.send("main", "_INBOX.a", `{"do":"panic"}`)
	}
	<-entered
	ended := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { s.End("main") })
	}
	go func() { all.Wait(); close(ended) }()
	until(t, "the room listens no more", func() bool { return !s.wire.listens("main") })
	select {
	case <-ended:
		t.Error("the end does not wait for an order")
	default:
	}
	close(gate)
	<-ended
	for range 3 {
		if r := parse(t, <-s.wire.came("_INBOX.a")); r.Status != http.StatusOK {
			t.Errorf("one that waited: %+v", r)
		}
	}
	s.begin("main")
	if r := s.ask(`{"do":"panic"}`); r.Status != http.StatusOK {
		t.Errorf("after another beginning: %+v", r)
	}
}

// TestLate checks that orders that wait too long at the end of a room are rejected.
func TestLate(t *testing.T) {
	gate, entered := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s := set(t, func(o *service.Options) {
		o.CheckOperable = func(string) error {
			once.Do(func() { close(entered); <-gate })
			return nil
		}
	})
	if s.drainTimeout != 500*time.Millisecond {
		t.Errorf("waiting orders have %v, want half a second", s.drainTimeout)
	}
	s.drainTimeout = 20 * time.Millisecond
	s.begin("main")
	s.wire.send("main", "_INBOX.a", `{"do":"panic"}`)
	s.wire.send("main", "_INBOX.a", `{"do":"panic"}`)
	<-entered
	late := s.link("main").ctx
	context.AfterFunc(late, func() { close(gate) })
	s.End("main")
	first, second := parse(t, <-s.wire.came("_INBOX.a")), parse(t, <-s.wire.came("_INBOX.a"))
	if first.Status != http.StatusOK || second.Status != http.StatusServiceUnavailable {
		t.Errorf("one that is carried out: %+v; one that waits: %+v", first, second)
	}
}

// TestRefusals checks the errors of Begin.
func TestRefusals(t *testing.T) {
	s := set(t, nil)
	for name, want := range map[string]string{
		"a.b":  `"a.b": a name on NATS is 1 to 64 of a-z, A-Z, 0-9, _ and -`,
		"*":    `"*": a name on NATS is 1 to 64 of a-z, A-Z, 0-9, _ and -`,
		"mian": `unknown room "mian"; did you mean "main"?`,
	} {
		if err := s.Begin(name); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	s.wire.fail(errors.New("no"))
	if err := s.Begin("main"); err == nil {
		t.Error("a room begins without a subscription")
	}
	s.wire.fail(nil)
	s.begin("main")
	s.End("mian")
	s.Close()
	if s.wire.listens("main") {
		t.Error("a room listens after the close")
	}
	if err := s.Begin("main"); !errors.Is(err, errClosed) || s.wire.listens("main") {
		t.Errorf("a room begins after the close: %v", err)
	}
	s.Close()
}

// TestAtOnce checks concurrent calls of Begin and End. A room answers if its last call was Begin.
func TestAtOnce(t *testing.T) {
	s := set(t, nil)
	s.add("foyer")
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			name := []string{"main", "foyer"}[i/2%2]
			if i%2 == 0 {
				if err := s.Begin(name); err != nil {
					t.Error(err)
				}
			} else {
				s.End(name)
			}
		})
	}
	all.Wait()
	s.begin("main", "foyer")
	s.ask(`{"do":"state"}`)
	s.End("foyer")
	if s.wire.listens("foyer") {
		t.Error("the foyer listens")
	}
}

// FuzzOrders checks that any message gets a reply, and only if the sender expects one.
func FuzzOrders(f *testing.F) {
	for _, text := range []string{`{"ref":1,"do":"play","with":{"sound":"bell"}}`, `{"do":"state"}`, `{`, `[]`, "\xff", "", `{"do":"batch","with":{"commands":[{"do":"stop","voice":"1"}]}}`} {
		f.Add([]byte(text), "_INBOX.a")
	}
	f.Add([]byte(`{"do":"state"}`), "$KV.a")
	s := set(f, nil)
	s.begin("main")
	f.Fuzz(func(t *testing.T, message []byte, reply string) {
		s.wire.send("main", reply, string(message))
		s.wire.send("main", "_INBOX.end", `{"do":"state"}`)
		<-s.wire.came("_INBOX.end")
		if came := s.wire.came(reply); reply == "" || reply[0] == '$' || strings.HasPrefix(reply, "voicepool.") {
			if len(came) > 0 && reply != "voicepool.room.main.event" {
				t.Errorf("%q has a reply", reply)
			}
		} else if reply != "_INBOX.end" {
			if r := parse(t, <-came); r.Status == 0 || r.Status == http.StatusInternalServerError {
				t.Errorf("%q: %+v", message, r)
			}
		} else {
			<-came
		}
		for events := s.wire.came("voicepool.room.main.event"); len(events) > 0; {
			<-events
		}
	})
}
