package natsroom

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
	"voicepool/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// loop is a transport without NATS.
type loop struct {
	taking sync.Mutex // held while a message is taken, so that take is not called after leave
	subs   map[string]func(message)

	mutex sync.Mutex
	inbox map[string]chan []byte
	fails error
	most  int // maximum size of a message in bytes; 0: unlimited
}

func (w *loop) subscribe(subject string, take func(message), _ func(int)) (func(), error) {
	w.mutex.Lock()
	fails := w.fails
	w.mutex.Unlock()
	w.taking.Lock()
	defer w.taking.Unlock()
	if fails != nil {
		return nil, fails
	}
	if w.subs[subject] != nil {
		return nil, errors.New("it is subscribed twice")
	}
	w.subs[subject] = take
	return func() {
		w.taking.Lock()
		defer w.taking.Unlock()
		delete(w.subs, subject)
	}, nil
}

func (w *loop) publish(subject string, data []byte) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.fails != nil {
		return w.fails
	}
	if w.most > 0 && len(data) > w.most {
		return errLong
	}
	if w.inbox[subject] == nil {
		w.inbox[subject] = make(chan []byte, 2000)
	}
	w.inbox[subject] <- data
	return nil
}

// send sends a message to a room, and reports whether the room is subscribed.
func (w *loop) send(room, reply, text string) bool {
	w.taking.Lock()
	defer w.taking.Unlock()
	take := w.subs["voicepool.room."+room+".cmd"]
	if take != nil {
		take(message{[]byte(text), reply})
	}
	return take != nil
}

// listens reports whether a room is subscribed.
func (w *loop) listens(room string) bool {
	w.taking.Lock()
	defer w.taking.Unlock()
	return w.subs["voicepool.room."+room+".cmd"] != nil
}

// came returns the messages of a subject.
func (w *loop) came(subject string) chan []byte {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.inbox[subject] == nil {
		w.inbox[subject] = make(chan []byte, 2000)
	}
	return w.inbox[subject]
}

func (w *loop) fail(err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.fails = err
}

// stage is a server with a room on a transport.
type stage struct {
	*Rooms
	t    testing.TB
	wire *loop
	hall *service.Server
	said *lines
}

// lines records log lines.
type lines struct {
	mutex sync.Mutex
	all   []string
}

func (l *lines) say(line string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.all = append(l.all, line)
}

func (l *lines) have() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Clone(l.all)
}

// set returns a stage with the room main, which is not subscribed yet.
func set(t testing.TB, change func(*service.Options)) *stage {
	t.Helper()
	var o service.Options
	if change != nil {
		change(&o)
	}
	s := &stage{t: t, wire: &loop{subs: map[string]func(message){}, inbox: map[string]chan []byte{}}, hall: service.New(o), said: &lines{}}
	s.Rooms = open(s.wire, s.hall, s.said.say)
	s.add("main")
	t.Cleanup(func() {
		s.Close()
		s.hall.Close(0)
	})
	return s
}

// add adds a room to the server.
func (s *stage) add(name string) *room.Room {
	s.t.Helper()
	r, err := room.Open(s.t.Context(), room.Options{Name: name, Text: []byte("voices: 64\nsounds: {bell: {}}\nlist: [{cue: 1, play: bell}]\n")})
	if err == nil {
		err = s.hall.Add(r)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// begin subscribes rooms.
func (s *stage) begin(rooms ...string) {
	s.t.Helper()
	for _, name := range rooms {
		if err := s.Begin(name); err != nil {
			s.t.Fatal(err)
		}
	}
}

// said is a reply.
type said struct {
	Type   string
	Ref    json.RawMessage
	Status int
	Body   struct {
		problemjson.Problem
		Voice uint64
	}
}

func parse(t testing.TB, text []byte) (r said) {
	t.Helper()
	if err := json.Unmarshal(text, &r); err != nil || r.Type != "reply" {
		t.Errorf("%s is no reply: %v", text, err)
	}
	return r
}

// ask sends an order to the room main and returns the reply.
func (s *stage) ask(text string) said {
	s.t.Helper()
	if !s.wire.send("main", "_INBOX.a", text) {
		s.t.Fatal("the room main does not listen")
	}
	return parse(s.t, <-s.wire.came("_INBOX.a"))
}

// counted returns a value of the metrics.
func (s *stage) counted(kind, outcome string) string {
	w := httptest.NewRecorder()
	s.hall.ServeHTTP(w, httptest.NewRequestWithContext(service.Trust(s.t.Context(), service.Read), http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if rest, found := strings.CutPrefix(line, `voicepool_nats_messages_total{kind="`+kind+`",outcome="`+outcome+`"} `); found {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
