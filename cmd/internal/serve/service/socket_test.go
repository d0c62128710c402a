package service_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"voicepool/cmd/internal/serve/service"
)

// patience is the time limit of waits in tests. It only ends a test that hangs: a busy machine can stall a test for a
// minute.
const patience = 5 * time.Minute

// dial opens a WebSocket below /v1/rooms/.
func (s *stage) dial(path string) *websocket.Conn {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	c, _, err := websocket.Dial(ctx, s.web.URL+"/v1/rooms/"+path, &websocket.DialOptions{HTTPClient: s.web.Client()})
	if err != nil {
		s.t.Fatal(err)
	}
	c.SetReadLimit(1 << 20)
	s.t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

// next returns the next message of a type, and checks messages against the API description.
func next(t testing.TB, c *websocket.Conn, kind string) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	schemas := map[string]string{"reply": "Reply", "state": "StateMessage", "levels": "Levels", "event": "EventMessage", "end": "End"}
	for {
		_, text, err := c.Read(ctx)
		if err != nil {
			t.Fatalf("waiting for %s: %v", kind, err)
		}
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		is, _ := m["type"].(string)
		valid(t, schemas[is], text)
		if is == kind {
			return m
		}
	}
}

func say(t testing.TB, c *websocket.Conn, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// TestSocket checks that orders are answered, that another socket gets state, events and levels,
// and that both get the end.
func TestSocket(t *testing.T) {
	s := open(t)
	a, b := s.dial("main/ws"), s.dial("main/ws")
	for _, c := range []*websocket.Conn{a, b} {
		if st := next(t, c, "state")["state"].(map[string]any); st["room"] != "main" {
			t.Errorf("%v", st)
		}
	}
	say(t, a, `{"ref":"x","do":"play","with":{"sound":"rain","id":"w"}}`)
	if r := next(t, a, "reply"); r["ref"] != "x" || r["status"] != 201.0 || r["body"].(map[string]any)["voice"] != 1.0 {
		t.Errorf("%v", r)
	}
	if e := next(t, b, "event")["event"].(map[string]any); e["kind"] != "started" || e["sound"] != "rain" || e["text"] == "" {
		t.Errorf("%v", e)
	}
	for len(next(t, b, "levels")["voices"].([]any)) == 0 {
	}
	say(t, a, `{"ref":2,"do":"bus","bus":"music","with":{"gain":-6}}`)
	next(t, a, "reply")
	for gain := 0.0; gain != -6; {
		for _, one := range next(t, b, "state")["state"].(map[string]any)["buses"].([]any) {
			if one.(map[string]any)["bus"] == "music" {
				gain = one.(map[string]any)["gain"].(float64)
			}
		}
	}
	for _, c := range []struct {
		text   string
		status float64
		field  any
	}{
		{`{"do":"set","voice":"w","with":{"gain":-1}}`, 200, nil},
		{`{"do":"set","voice":"w","with":{"gian":-1}}`, 400, "gian"},
		{`{"do":"stop","voice":""}`, 400, "voice"},
		{`{"do":"bus"}`, 400, "bus"},
		{`{"do":"paly"}`, 400, "do"},
		{`{}`, 400, "do"},
		{`{"do":"go","ref":{}}`, 400, "ref"},
		{`{"do":"state"}`, 200, nil},
		{`{"do":`, 400, nil},
		{`7`, 400, nil},
	} {
		say(t, a, c.text)
		r := next(t, a, "reply")
		if r["status"] != c.status || r["body"].(map[string]any)["field"] != c.field {
			t.Errorf("%s: %v", c.text, r)
		}
	}
	s.ask("DELETE /v1/rooms/main?over=0", "").is(t, 200)
	next(t, a, "end")
	next(t, b, "end")
	if _, _, err := b.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("the end is %v", err)
	}
}

// TestRepliesAlone checks that a socket with tell=replies gets only replies and the end.
func TestRepliesAlone(t *testing.T) {
	s := open(t)
	c, all := s.dial("main/ws?tell=replies"), s.dial("main/ws?tell=all")
	for ref := range 3 {
		say(t, c, `{"ref":`+strconv.Itoa(ref+1)+`,"do":"play","with":{"sound":"bell"}}`)
		next(t, all, "event")
	}
	s.ask("GET /v1/rooms/main/ws?tell=none", "").is(t, 400)
	s.ask("DELETE /v1/rooms/main?over=0", "").is(t, 200)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var got []string
	for {
		_, text, err := c.Read(ctx)
		if err != nil {
			break
		}
		var m struct {
			Type string
			Ref  int
		}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Type+strconv.Itoa(m.Ref))
	}
	if want := "reply1 reply2 reply3 end0"; strings.Join(got, " ") != want {
		t.Errorf("it was told %v, want %s", got, want)
	}
}

// TestBreakers checks the close codes for breaches of the protocol.
func TestBreakers(t *testing.T) {
	s := open(t)
	for _, c := range []struct {
		name  string
		kind  websocket.MessageType
		text  []byte
		times int
		code  websocket.StatusCode
	}{
		{"binary", websocket.MessageBinary, []byte("{}"), 1, websocket.StatusUnsupportedData},
		{"no UTF-8", websocket.MessageText, []byte("\xff"), 1, websocket.StatusInvalidFramePayloadData},
		{"too long", websocket.MessageText, bytes.Repeat([]byte("x"), 65<<10), 1, websocket.StatusMessageTooBig},
		{"no JSON", websocket.MessageText, []byte("{"), 100, websocket.StatusPolicyViolation},
	} {
		conn := s.dial("main/ws")
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		for range c.times {
			if err := conn.Write(ctx, c.kind, c.text); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		var err error
		for err == nil {
			_, _, err = conn.Read(ctx)
		}
		if websocket.CloseStatus(err) != c.code {
			t.Errorf("%s: %v, want %d", c.name, err, c.code)
		}
		cancel()
	}
}

// TestSlowSocket checks that sockets that do not read are dropped and counted, a silent socket as well as a socket that
// sends orders. Other sockets must not be delayed.
func TestSlowSocket(t *testing.T) { inBubble(t, testSlowSocket) }

func testSlowSocket(t *testing.T, web *httptest.Server) {
	s := openOn(t, web)
	s.dial("main/ws") // it never reads
	fast := s.dial("main/ws")
	slow := s.connect() // without a buffer, so that the server waits for a reader of its replies
	if _, err := io.WriteString(slow, "GET /v1/rooms/main/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	frame := append([]byte{0x81, 0x80 | 14, 0, 0, 0, 0}, `{"do":"state"}`...)
	go func() { // it sends many orders without reading the replies
		for {
			if _, err := slow.Write(frame); err != nil {
				return
			}
		}
	}()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		say(t, fast, `{"do":"state"}`)
		next(t, fast, "reply")
		if g := s.ask("GET /metrics", ""); strings.Contains(string(g.body), `voicepool_readers_dropped_total{kind="orders"} 2`) {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the slow ones are not both dropped")
		}
	}
}

// TestStream checks that events arrive as server-sent events, from the requested one on.
func TestStream(t *testing.T) {
	s := open(t)
	for range 3 {
		s.ask("POST /v1/rooms/main/play", `{"sound":"rain"}`)
	}
	life := ""
	for _, c := range []struct {
		name, path, id string
		first          string // number
		plays          bool   // while it waits
	}{
		{"from", "?from=2", "", "2", false},
		{"from the next", "?from=4", "", "4", true},
		{"after a number", "", "1", "2", false},
		{"after an id", "", "LIFE-1", "2", false},
		{"after the last", "", "LIFE-4", "5", true},
		{"after a number of before a restart", "", "5000", "", true},
		{"after an id of before a restart", "", "zzzzzzzz-5000", "1", false},
		{"after a low id of before a restart", "", "zzzzzzzz-2", "1", false},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+"/v1/rooms/main/events"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		was := s.Room("main").LastEvent()
		r.Header.Set("Last-Event-ID", strings.Replace(c.id, "LIFE", life, 1))
		w, err := s.web.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Body.Close()
		lines := bufio.NewScanner(w.Body)
		if lines.Scan() && c.plays { // the stream has started
			s.ask("POST /v1/rooms/main/play", `{"sound":"rain"}`)
		}
		end := time.AfterFunc(patience, func() { w.Body.Close() })
		var got []string
		for len(got) < 3 && lines.Scan() {
			if line := lines.Text(); line != "" && line[0] != ':' {
				got = append(got, line)
			}
		}
		end.Stop()
		if len(got) < 3 || !strings.HasPrefix(got[1], "event: ") || w.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("%s: %q", c.name, got)
		}
		id, number, _ := strings.Cut(strings.TrimPrefix(got[0], "id: "), "-")
		if life == "" {
			life = id
		}
		if c.first == "" { // the next
			c.first = strconv.FormatInt(was+1, 10)
		}
		if number != c.first || id != life {
			t.Errorf("%s: it begins with %s, want %s-%s", c.name, got[0], life, c.first)
		}
		valid(t, "NumberedEvent", []byte(strings.TrimPrefix(got[2], "data: ")))
	}
	s.ask("GET /v1/rooms/main/events?from=5000", "").is(t, 404, "field", "from")
	for _, id := range []string{"x", "-1", "1-", "a-b"} {
		s.ask("GET /v1/rooms/main/events", "", "Last-Event-ID", id).is(t, 400, "field", "Last-Event-ID")
	}
}

// TestStreamGoesOn checks that each event arrives once, in several reads.
func TestStreamGoesOn(t *testing.T) {
	s := open(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+"/v1/rooms/main/events?from=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.web.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	defer time.AfterFunc(patience, func() { w.Body.Close() }).Stop()
	lines := bufio.NewScanner(w.Body)
	for want := 1; want <= 5; {
		s.ask("POST /v1/rooms/main/play", `{"sound":"rain"}`)
		for last := int(s.Room("main").LastEvent()); want <= last && lines.Scan(); {
			if number, is := strings.CutPrefix(lines.Text(), "id: "); is {
				if !strings.HasSuffix(number, "-"+strconv.Itoa(want)) {
					t.Fatalf("the event behind %d is %s", want-1, number)
				}
				want++
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWAV checks that the mix is an endless WAV file with the played sounds.
func TestWAV(t *testing.T) {
	s := open(t)
	if g := s.ask("HEAD /v1/rooms/main/audio.wav", ""); g.status != 200 || g.header.Get("Content-Type") != "audio/wav" || len(g.body) > 0 {
		t.Errorf("HEAD: %v", g)
	}
	w, err := s.web.Client().Get(s.web.URL + "/v1/rooms/main/audio.wav")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Body.Close()
	head := make([]byte, 44)
	if _, err := io.ReadFull(w.Body, head); err != nil {
		t.Fatal(err)
	}
	if string(head[:4]) != "RIFF" || binary.LittleEndian.Uint32(head[4:]) != 0xFFFFFFFF || binary.LittleEndian.Uint32(head[24:]) != 48000 || binary.LittleEndian.Uint32(head[40:]) != 0xFFFFFFFF {
		t.Errorf("% x", head)
	}
	s.ask("POST /v1/rooms/main/play", `{"sound":"rain"}`).is(t, 201)
	block := make([]byte, 4096)
	for end := time.Now().Add(patience); bytes.Count(block, []byte{0}) == len(block); {
		if _, err := io.ReadFull(w.Body, block); err != nil || time.Now().After(end) {
			t.Fatalf("nothing is heard: %v", err)
		}
	}
}

// TestAudio checks the mix over a WebSocket.
func TestAudio(t *testing.T) {
	s := open(t)
	c := s.dial("main/audio")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	kind, text, err := c.Read(ctx)
	if err != nil || kind != websocket.MessageText || string(text) != `{"rate":48000,"channels":2,"format":"s16le"}` {
		t.Fatalf("%v %s %v", kind, text, err)
	}
	kind, text, err = c.Read(ctx)
	if err != nil || kind != websocket.MessageBinary || len(text)%4 != 0 || len(text) == 0 {
		t.Fatalf("%v %d %v", kind, len(text), err)
	}
}

// TestCrowd checks the limit of sockets.
func TestCrowd(t *testing.T) {
	s := open(t, func(o *service.Options) { o.Limits.Sockets = 2 })
	s.dial("main/ws")
	s.dial("main/audio")
	_, w, err := websocket.Dial(t.Context(), s.web.URL+"/v1/rooms/main/ws", nil)
	if err == nil || w == nil || w.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a third gives %v", err)
	}
}
