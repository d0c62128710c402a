package service_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"voicepool/cmd/internal/service"
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

// TestUnmasked checks that a client with unmasked frames gets a protocol error.
func TestUnmasked(t *testing.T) {
	s := open(t)
	conn, err := net.Dial("tcp", s.web.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /v1/rooms/main/ws?tell=replies HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", s.web.Listener.Addr())
	in := bufio.NewReader(conn)
	if answer, err := http.ReadResponse(in, nil); err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v, %v", answer, err)
	}
	if _, err := conn.Write([]byte("\x81\x02{}")); err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 4)
	if _, err := io.ReadFull(in, head); err != nil || head[0] != 0x88 || int(head[2])<<8|int(head[3]) != int(websocket.StatusProtocolError) {
		t.Errorf("% x, %v", head, err)
	}
}
