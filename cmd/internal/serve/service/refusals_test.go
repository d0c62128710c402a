package service_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"voicepool/cmd/internal/serve/service"
)

// TestKeysOfReads checks that reads use up no keys.
func TestKeysOfReads(t *testing.T) {
	s := open(t)
	const call, body = "POST /v1/rooms/main/play", `{"sound":"bell"}`
	s.ask(call, body, "Idempotency-Key", "a").is(t, 201, "voice", "1")
	for i := range 1100 {
		if status, _ := s.Do(t.Context(), "main", service.Order{Do: "state", Key: fmt.Sprint(i)}); status != 200 {
			t.Fatal(status)
		}
	}
	s.ask(call, body, "Idempotency-Key", "a").is(t, 201, "voice", "1")
}

// TestReasons checks that a refusal has a short reason, and that a failed GO does not start the
// guard.
func TestReasons(t *testing.T) {
	s := open(t)
	const r = "/v1/rooms/main"
	s.ask("POST "+r+"/standby", `{"cue":"2"}`).is(t, 200)
	s.ask("POST "+r+"/go", "").is(t, 200, "cue", "2")
	s.ask("POST "+r+"/go", "").is(t, 409, "reason", "list over")
	s.ask("POST "+r+"/standby", `{"cue":"1"}`).is(t, 200)
	s.ask("POST "+r+"/go", "").is(t, 409, "reason", "guard")
	s.ask("POST "+r+"/pause", "").is(t, 200)
	s.ask("POST "+r+"/go", "").is(t, 409, "reason", "paused")
	s.ask("POST "+r+"/standby", `{"cue":"2"}`).is(t, 200)
	s.ask("POST "+r+"/standby", `{"step":1}`).is(t, 200)
	s.ask("POST "+r+"/standby", `{"step":1}`).is(t, 409, "reason", "list over")
}

// TestEmpty checks that empty values are rejected as in a sheet.
func TestEmpty(t *testing.T) {
	s := open(t)
	for field, body := range map[string]string{"for": `"for":0`, "id": `"id":""`, "owner": `"owner":""`, "priority": `"priority":4294967297`} {
		s.ask("POST /v1/rooms/main/play", `{"sound":"bell",`+body+`}`).is(t, 400, "field", field)
	}
}

// TestNearestVoice checks that an ended voice is not suggested as the nearest.
func TestNearestVoice(t *testing.T) {
	s := open(t)
	s.ask("POST /v1/rooms/main/play", `{"sound":"rain","id":"r"}`).is(t, 201)
	s.ask("DELETE /v1/rooms/main/voices/r", "").is(t, 200)
	s.Room("main").Summary()
	s.ask("PATCH /v1/rooms/main/voices/r", `{"gain":0}`).is(t, 404, "nearest", "weather")
}

// TestBatchKeepsTheBoard checks that a socket gets all events of a batch, although it does not read
// in between.
func TestBatchKeepsTheBoard(t *testing.T) {
	s := open(t)
	c := s.dial("main/ws")
	c.SetReadLimit(8 << 20)
	next(t, c, "state")
	plays := strings.TrimSuffix(strings.Repeat(`{"do":"play","with":{"sound":"bell"}},`, 500), ",")
	s.ask("POST /v1/rooms/main/batch", `{"commands":[`+plays+`]}`).is(t, 200)
	last := s.Room("main").LastEvent()
	if last < 500 {
		t.Fatalf("there are %d events", last)
	}
	for seen := 0; seen < int(last); {
		m := next(t, c, "event")
		number, err := json.Number(fmt.Sprint(m["number"])).Int64()
		if seen++; err != nil || number != int64(seen) {
			t.Fatalf("event %d is %v", seen, m["number"])
		}
	}
}

// TestRef checks that a reply repeats the reference, even if the message has an unknown field.
func TestRef(t *testing.T) {
	s := open(t)
	c := s.dial("main/ws?tell=replies")
	for _, text := range []string{`{"wiht":{},"ref":9,"do":"play"}`, `{"ref":9,"do":"play","wiht":{}}`, `{"ref":9,"ref":9,"do":"play"}`} {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if r := next(t, c, "reply"); r["ref"] != 9.0 || r["status"] != 400.0 {
			t.Errorf("%s: %v", text, r)
		}
	}
}

// upgraded opens a WebSocket of orders without a library and returns its connection and a reader of it.
func (s *stage) upgraded() (net.Conn, *bufio.Reader) {
	s.t.Helper()
	conn := s.connect()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /v1/rooms/main/ws?tell=replies HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", s.web.Listener.Addr())
	in := bufio.NewReader(conn)
	if answer, err := http.ReadResponse(in, nil); err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		s.t.Fatalf("%v, %v", answer, err)
	}
	return conn, in
}

// TestCloseFrames checks that a client gets the close frame even if the server has not read all of its input,
// and that the server then ends the connection although the client keeps it open.
func TestCloseFrames(t *testing.T) {
	long := append([]byte{0x81, 0xff, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0}, make([]byte, 2<<20)...)
	for _, c := range []struct {
		name  string
		input []byte
		code  websocket.StatusCode
	}{
		{"unmasked", []byte("\x81\x02{}"), websocket.StatusProtocolError},
		{"unmasked, and more", append([]byte("\x81\x02{}"), make([]byte, 1<<20)...), websocket.StatusProtocolError},
		{"unknown kind, and more", append([]byte("\x83\x82\x00\x00\x00\x00{}"), make([]byte, 1<<20)...), websocket.StatusProtocolError},
		{"too long", long, websocket.StatusMessageTooBig},
		{"too long, rest withheld", long[:1<<20], websocket.StatusMessageTooBig},
		{"binary, then half a message", []byte("\x82\x82\x00\x00\x00\x00{}\x81\x84\x00\x00\x00\x00{"), websocket.StatusUnsupportedData},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // some of them wait until the limit
			s := open(t)
			s.SetWriteTimeout(200 * time.Millisecond)
			conn, in := s.upgraded()
			if _, err := conn.Write(c.input); err != nil {
				t.Fatal(err)
			}
			head := make([]byte, 4)
			if _, err := io.ReadFull(in, head); err != nil || head[0] != 0x88 || int(head[2])<<8|int(head[3]) != int(c.code) {
				t.Errorf("% x, %v, want %d", head, err, c.code)
			}
			if _, err := io.Copy(io.Discard, in); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection does not end")
			}
		})
	}
}
