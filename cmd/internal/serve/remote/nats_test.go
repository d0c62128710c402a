package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nats-io/nats.go"

	"voicepool/cmd/internal/view/liveview"
)

// fakeNATS is a natsConn without NATS.
type fakeNATS struct {
	answers []string // in order; the last repeats
	fails   error    // after the answers
	events  []string // they arrive before the second answer
	sent    []string
	open    int
	feed    chan<- []byte
}

func (p *fakeNATS) request(_ context.Context, subject string, data []byte) ([]byte, error) {
	p.sent = append(p.sent, subject+" "+string(data))
	if len(p.sent) == 1 && p.feed != nil {
		for _, e := range p.events {
			p.feed <- []byte(e)
		}
	}
	if n := len(p.sent); n > len(p.answers) && p.fails != nil {
		return nil, p.fails
	}
	return []byte(p.answers[min(len(p.sent), len(p.answers))-1]), nil
}

func (p *fakeNATS) follow(_ string, events chan<- []byte) error {
	p.feed = events
	return nil
}

func (p *fakeNATS) close() { p.open-- }

// over returns a client of the room hall over a fakeNATS.
func over(t *testing.T, p *fakeNATS) *Client {
	t.Helper()
	c, err := New("nats://stage/hall", "", "")
	if err != nil {
		t.Fatal(err)
	}
	c.connection.(*natsConnection).dial = func(context.Context) (natsConn, error) {
		p.open++
		return p, nil
	}
	t.Cleanup(func() {
		if p.open != 0 {
			t.Errorf("%d connections are open", p.open)
		}
	})
	return c
}

// TestNATSWords checks that commands become orders in the format of the server's WebSocket.
func TestNATSWords(t *testing.T) {
	const state = `{"do":"state"}; `
	for _, c := range []struct{ words, want string }{
		{"go", `{"do":"go"}`},
		{"go 2.5", `{"do":"go","with":{"cue":"2.5"}}`},
		{"next", `{"do":"standby","with":{"step":1}}`},
		{"stop all 2s", `{"do":"stopall","with":{"over":"2s","target":"all"}}`},
		{"stop 17 2", `{"do":"stop","voice":"17","with":{"over":"2"}}`},
		{"pause", `{"do":"pause","with":{"on":true}}`},
		{"pause bell", `{"do":"set","voice":"bell","with":{"pause":true}}`},
		{"mute sfx", `{"do":"bus","bus":"sfx","with":{"mute":true}}`},
		{"play bell gain=-3 loop=true", `{"do":"play","with":{"gain":-3,"loop":true,"sound":"bell"}}`},
		{"set sfx gain=-6", state + `{"do":"bus","bus":"sfx","with":{"gain":-6}}`},
		{"set 18 pan=0.5", state + `{"do":"set","voice":"18","with":{"pan":0.5}}`},
		{"scene calm 2s", `{"do":"scene","with":{"over":"2s","scene":"calm"}}`},
		{"state", `{"do":"state"}`},
	} {
		p := &fakeNATS{answers: []string{`{"type":"reply","status":200,"body":{"buses":[{"bus":"sfx"}]}}`}}
		answer, err := over(t, p).Run(t.Context(), strings.Fields(c.words)...)
		if err != nil || string(answer) != `{"buses":[{"bus":"sfx"}]}` {
			t.Errorf("%s: %s, %v", c.words, answer, err)
		}
		if got := strings.ReplaceAll(strings.Join(p.sent, "; "), "voicepool.room.hall.cmd ", ""); got != c.want {
			t.Errorf("%s sent\n%s, want\n%s", c.words, got, c.want)
		}
	}
}

// TestNATSFails checks error answers and missing answers.
func TestNATSFails(t *testing.T) { synctest.Test(t, testNATSFails) }

func testNATSFails(t *testing.T) {
	for _, c := range []struct {
		answer string
		fails  error
		want   string
		status int
	}{
		{`{"type":"reply","status":404,"body":{"detail":"there is no sound \"bel\""}}`, nil, `there is no sound "bel"`, 404},
		{`{"type":"reply","status":503,"body":null}`, nil, "the server answers 503 Service Unavailable", 503},
		{`{"type":"event"}`, nil, "nats://stage: the reply is not from a voicepool server", 0},
		{`hello`, nil, "nats://stage: the reply is not from a voicepool server", 0},
		{"", nats.ErrNoResponders, "nats://stage: no room hall answers there", 0},
		{"", context.DeadlineExceeded, "nats://stage: no answer within 10s", 0},
		{"", fmt.Errorf("%w: x", nats.ErrPermissionViolation), "nats://stage: NATS does not let this user play on voicepool.room.hall.cmd", 0},
		{"", errors.New("nats: connection closed"), "nats://stage: connection closed", 0},
	} {
		p := &fakeNATS{answers: []string{c.answer}}
		if c.fails != nil {
			p = &fakeNATS{fails: c.fails}
		}
		_, err := over(t, p).Run(t.Context(), "go")
		refused, is := errors.AsType[*Refusal](err)
		if err == nil || err.Error() != c.want || is != (c.status > 0) || is && refused.Status != c.status {
			t.Errorf("%q, %v: %v, want %s", c.answer, c.fails, err, c.want)
		}
	}
	c, err := New("nats://me:secret@127.0.0.1:1/hall", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = c.Run(t.Context(), "go"); err == nil || err.Error() != "nats://127.0.0.1:1: no NATS server answers there" {
		t.Errorf("noServerError there: %v", err)
	}
}

// TestNATSWatch checks that a picture has the state and the events since the last one, and that a
// lost room is reported and requested again.
func TestNATSWatch(t *testing.T) { synctest.Test(t, testNATSWatch) }

func testNATSWatch(t *testing.T) {
	state := strings.Replace(strings.TrimSuffix(someState, "}"), `{"type":"state","state":`, `{"type":"reply","status":200,"body":`, 1) + "}"
	p := &fakeNATS{
		answers: []string{state, state}, fails: nats.ErrNoResponders,
		events: []string{`{"type":"event","number":1,"life":"a","event":{"frame":48010,"kind":"stolen","voice":1,"sound":"bell","by":3,"by_sound":"step","slot":1,"audibility_db":-40,"newcomer_db":-12,"text":"step took it"}}`},
	}
	ctx, cancel := context.WithCancel(t.Context())
	var pictures []liveview.Picture
	err := over(t, p).Watch(ctx, func(q liveview.Picture, _ bool) {
		if pictures = append(pictures, q); len(pictures) == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(pictures) != 4 {
		t.Fatalf("%v, %d pictures", err, len(pictures))
	}
	if pictures[0].Stats.Voices != 4 || pictures[0].Output.Lost != "" || pictures[2].Output.Lost != "nats://stage: no room hall answers there; asking again" {
		t.Errorf("lost: %q, then %q", pictures[0].Output.Lost, pictures[2].Output.Lost)
	}
	var lines strings.Builder
	print := liveview.NewLines(&lines, true)
	for _, q := range pictures {
		print.Show(q, false)
	}
	if !strings.Contains(lines.String(), "bell") {
		t.Errorf("the lines are %q", lines.String())
	}
	if err := over(t, &fakeNATS{fails: nats.ErrNoResponders}).Watch(t.Context(), func(liveview.Picture, bool) {}); err == nil || !strings.Contains(err.Error(), "no room hall answers there") {
		t.Errorf("of a room that is not there: %v", err)
	}
}

// TestNATSAddress checks the servers and the room of addresses, and invalid addresses.
func TestNATSAddress(t *testing.T) {
	for address, want := range map[string]string{
		"nats://h":                      "nats://h main",
		"nats://h:4222/":                "nats://h:4222 main",
		"nats://h:4222/hall":            "nats://h:4222 hall",
		"tls://a,b:4223/hall":           "tls://a,b:4223 hall",
		"nats://a:1,nats://b:2/hall":    "nats://a:1,b:2 hall",
		"wss://me:secret@a,you:x@b/h_1": "wss://a,b h_1",
		"ws://[::1]:80":                 "ws://[::1]:80 main",
		"nats://":                       "",
		"nats://a,":                     "",
		"nats://a/hall,b":               "",
		"nats://a,tls://b":              "",
		"nats://a/b/c":                  "",
		"nats://a/b.c":                  "",
		"nats://a/*":                    "",
		"nats://a?x":                    "",
		"nats://me:secret@a?x":          "",
		"nats://me:secret@a#":           "nats://a main",
		"nats://me:secret@a/b.c":        "",
	} {
		c, err := New(address, "", "")
		switch {
		case err != nil && want == "" && !strings.Contains(err.Error(), "secret"):
		case err != nil || want == "":
			t.Errorf("%s: %v, %v, want %q", address, c, err, want)
		default:
			if got := c.address() + " " + c.Room(); got != want {
				t.Errorf("%s: %s, want %s", address, got, want)
			}
		}
	}
}
