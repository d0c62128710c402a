package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	names "voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/natsroom"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
)

// stage is a served hall whose rooms answer over NATS.
type stage struct {
	*natsroom.Rooms
	t    *testing.T
	hall *service.Server
	said chan string
}

// play returns a stage with some rooms that answer over NATS.
func play(t *testing.T, url string, rooms ...string) *stage {
	t.Helper()
	conn, err := names.Dial(t.Context(), names.Flags{NATS: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := &stage{t: t, hall: service.New(service.Options{}), said: make(chan string, 100)}
	n.Rooms = natsroom.New(conn, n.hall, func(line string) { n.said <- line })
	t.Cleanup(func() {
		n.Close()
		n.hall.Close(0)
		conn.Close()
	})
	for _, name := range rooms {
		n.begin(name)
	}
	return n
}

// begin opens a room and lets it answer over NATS.
func (n *stage) begin(name string) {
	n.t.Helper()
	r, err := room.Open(n.t.Context(), room.Options{Name: name, Text: []byte("voices: 8\nsounds: {bell: {}}\nbuses: {sfx: {}}\nlist: [{cue: 1, play: bell}, {cue: 2, play: bell}]\n")})
	if err == nil {
		err = n.hall.Add(r)
	}
	if err == nil {
		err = n.Begin(name)
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

// told is an event that a room publishes, as JSON.
type told struct {
	Type   string
	Number int64
	Life   string
	Event  struct{ Kind, Sound string }
}

// next returns the next event, or fails the test.
func next(t *testing.T, events <-chan *nats.Msg) (e told) {
	t.Helper()
	select {
	case m := <-events:
		if err := json.Unmarshal(m.Data, &e); err != nil {
			t.Error(err)
		}
	case <-time.After(hangs):
		t.Fatal("no event comes")
	}
	return e
}

// order sends a command to a room and returns the status of the reply.
func order(nc *nats.Conn, room, text string) (int, error) {
	m, err := nc.Request(names.Command(room), []byte(text), 5*time.Second)
	if err != nil {
		return 0, err
	}
	var r struct{ Status int }
	return r.Status, json.Unmarshal(m.Data, &r)
}

const bell = `{"do":"play","with":{"sound":"bell"}}`

// TestControl plays in a room over NATS, by the commands and over MQTT, and follows its events.
func TestControl(t *testing.T) {
	n := Setup{MQTT: true}.Servers(t, 1)
	home := play(t, n.URL(), "main")
	nc := n.Connect()
	events := make(chan *nats.Msg, 1000)
	if _, err := nc.ChanSubscribe(names.Event("main"), events); err != nil {
		t.Fatal(err)
	}
	if status, err := order(nc, "main", bell); status != 201 || err != nil {
		t.Fatal(status, err)
	}
	first := next(t, events)
	if first.Type != "event" || first.Number != 1 || first.Life == "" || first.Event.Sound != "bell" {
		t.Errorf("the event is %+v", first)
	}
	if _, err := nc.Request(names.Command("foyer"), []byte(bell), 5*time.Second); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a room that is not there: %v", err)
	}

	watch := Run(t, "watch", "--to", n.URL(), "-v")
	Await(t, hangs, "the watcher sees a bell", func() bool {
		order(nc, "main", bell)
		return strings.Contains(watch.Stdout.String(), "bell")
	})
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"play bell --to " + n.URL(), 0, `"voice":`},
		{"go --to " + n.URL() + "/main", 0, `"cue":"1"`},
		{"send --to " + n.URL() + "/main set sfx gain=-6", 0, `"gain":-6`},
		{"send --to " + n.URL() + " state", 0, `"pool":8`},
		{"send --to " + n.URL() + " play bel", 2, `there is no sound "bel"; did you mean "bell"?`},
		{"send --to " + n.URL() + "/foyer go", 1, n.URL() + ": no room foyer answers there"},
		{"send --to nats://127.0.0.1:1 go", 1, "nats://127.0.0.1:1: no NATS server answers there"},
		{"watch --to " + n.URL() + "/foyer", 1, "no room foyer answers there"},
	} {
		p := Run(t, strings.Fields(c.args)...)
		if code := p.Wait(hangs); code != c.code || !strings.Contains(p.Stdout.String()+p.Stderr.String(), c.says) {
			t.Errorf("%s: %d, %s%s, want %d, %s", c.args, code, p.Stdout, p.Stderr, c.code, c.says)
		}
	}
	by := Command{Args: []string{"send", "panic"}, Env: []string{"VOICEPOOL_URL=" + n.URL()}}.Run(t)
	if code := by.Wait(hangs); code != 0 {
		t.Errorf("by VOICEPOOL_URL: %d, %s", code, by.Stderr)
	}

	m := dialMQTT(t, n.MQTT(0))
	topic := strings.NewReplacer(".", "/").Replace // converts a NATS subject to an MQTT topic
	m.subscribe(topic(names.Event("main")))
	m.publish(topic(names.Command("main")), bell)
	if e := m.message(); !strings.Contains(e, `"type":"event"`) {
		t.Errorf("over MQTT came %s", e)
	}

	home.End("main")
	if _, err := nc.Request(names.Command("main"), []byte(bell), 5*time.Second); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a room that has ended here: %v", err)
	}
	other := play(t, n.URL(), "main")
	if status, err := order(nc, "main", bell); status != 201 || err != nil {
		t.Error(status, err)
	}
	for e := next(t, events); e.Life == first.Life; e = next(t, events) {
	}
	other.End("main")
}

// TestControlMoves sends commands while a room moves between nodes. Each command is carried out at most once.
func TestControlMoves(t *testing.T) {
	n := Servers(t, 1)
	a, b := play(t, n.URL(), "main"), play(t, n.URL())
	b.begin("main")
	b.End("main")
	nc := n.Connect()
	replies := make(chan *nats.Msg, 100_000)
	inbox := nc.NewInbox()
	if _, err := nc.ChanSubscribe(inbox, replies); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var sent int
	var sender sync.WaitGroup
	sender.Go(func() {
		for ; ctx.Err() == nil; sent++ {
			_ = nc.PublishRequest(names.Command("main"), inbox, fmt.Appendf(nil, `{"ref":%d,"do":"state"}`, sent))
			time.Sleep(200 * time.Microsecond)
		}
	})
	from, to := a, b
	var silent time.Duration // how long no room answered
	for range 40 {
		began := time.Now()
		from.End("main")
		if err := to.Begin("main"); err != nil {
			t.Error(err)
		}
		silent += time.Since(began)
		for range 10 {
			if status, err := order(nc, "main", `{"do":"state"}`); status != 200 || err != nil {
				t.Error(status, err)
			}
		}
		from, to = to, from
	}
	stop()
	sender.Wait()
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	answered, nobody := map[int]int{}, 0
	for len(replies) > 0 || len(answered)+nobody < sent {
		select {
		case m := <-replies:
			var r struct{ Ref int }
			if len(m.Data) == 0 {
				nobody++
			} else if json.Unmarshal(m.Data, &r) == nil {
				answered[r.Ref]++
			}
		case <-time.After(hangs):
			t.Fatalf("of %d orders %d are answered and %d came to nobody", sent, len(answered), nobody)
		}
	}
	for ref, times := range answered {
		if times != 1 {
			t.Errorf("the order %d is answered %d times", ref, times)
		}
	}
	t.Logf("%d orders, %d answered, %d came to nobody; a move takes %v", sent, len(answered), nobody, silent/40)
}

// TestControlComesBack loses the NATS server. Events are dropped and counted; later all rooms that are still
// open answer again.
func TestControlComesBack(t *testing.T) {
	n := Servers(t, 1)
	home := play(t, n.URL(), "main", "ends")
	nc := n.Connect()
	if status, err := order(nc, "ends", bell); status != 201 || err != nil {
		t.Fatal(status, err)
	}
	n.Kill(0)
	home.End("ends")
	home.begin("begins")
	Await(t, hangs, "an event is dropped", func() bool {
		home.hall.Do(t.Context(), "main", service.Order{Do: "play", With: []byte(`{"sound":"bell"}`)})
		select {
		case line := <-home.said:
			return strings.HasPrefix(line, "events of rooms are not published")
		default:
			return false
		}
	})
	n.Start(0)
	for _, name := range []string{"main", "begins"} {
		Await(t, hangs, name+" answers", func() bool {
			status, err := order(nc, name, bell)
			return status == 201 && err == nil
		})
	}
	if _, err := order(nc, "ends", bell); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("a room that has ended meanwhile: %v", err)
	}
	Await(t, hangs, "events are published again", func() bool {
		select {
		case line := <-home.said:
			return line == "events of rooms are published again"
		default:
			return false
		}
	})
}

// TestControlPermissions checks that NATS permissions control access to commands, and that replies go to
// inboxes only.
func TestControlPermissions(t *testing.T) {
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: Port(t), NoSigs: true, NoLog: true,
		Users: []*server.User{
			{Username: "node", Password: "n"},
			{Username: "deaf", Password: "d", Permissions: &server.Permissions{Subscribe: &server.SubjectPermission{Deny: []string{"voicepool.>"}}}},
			{Username: "desk", Password: "d", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Allow: []string{names.Command("main")}}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	at := func(user string) string { return strings.Replace(s.ClientURL(), "//", "//"+user+"@", 1) }
	play(t, at("node:n"), "main", "stage")
	for _, c := range []struct {
		to   string
		code int
		says string
	}{
		{at("desk:d") + "/main", 0, `"cue":"1"`},
		{at("desk:d") + "/stage", 1, s.ClientURL() + ": NATS does not let this user play on voicepool.room.stage.cmd"},
		{at("desk:x") + "/main", 1, s.ClientURL() + ": NATS refuses the name, the password or the credentials"},
	} {
		p := Run(t, "send", "--to", c.to, "go")
		if code := p.Wait(hangs); code != c.code || !strings.Contains(p.Stdout.String()+p.Stderr.String(), c.says) {
			t.Errorf("%s: %d, %s%s, want %d, %s", c.to, code, p.Stdout, p.Stderr, c.code, c.says)
		}
	}
	conn, err := names.Dial(t.Context(), names.Flags{NATS: at("deaf:d")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	hall := service.New(service.Options{})
	defer hall.Close(0)
	r, err := room.Open(t.Context(), room.Options{Name: "main"})
	if err == nil {
		err = hall.Add(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	rooms := natsroom.New(conn, hall, nil)
	defer rooms.Close()
	if err := rooms.Begin("main"); err == nil || err.Error() != "voicepool.room.main.cmd: NATS does not let this node subscribe to it" {
		t.Errorf("a node that may not answer: %v", err)
	}

	nc, err := nats.Connect(at("desk:d"))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	spy, err := nats.Connect(at("node:n"))
	if err != nil {
		t.Fatal(err)
	}
	defer spy.Close()
	sub, err := spy.SubscribeSync("$KV.>")
	if err != nil || spy.Flush() != nil {
		t.Fatal(err)
	}
	_ = nc.PublishRequest(names.Command("main"), "$KV.voicepool_placement.main", []byte(`{"do":"state"}`))
	if status, err := order(nc, "main", `{"do":"state"}`); status != 200 || err != nil {
		t.Error(status, err)
	}
	if m, err := sub.NextMsg(200 * time.Millisecond); err == nil {
		t.Errorf("a bucket got %s", m.Data)
	}
}
