package service_test

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"
)

// TestLater checks that show orders accept a frame or a time and are answered with 202 and the
// frame. Detectable errors are reported at once.
func TestLater(t *testing.T) {
	inBubble(t, testLater)
}

func testLater(t *testing.T, web *httptest.Server) {
	s := openOn(t, web)
	const r = "/v1/rooms/main"
	for s.Room("main").Summary().Frame == 0 { // it has started to mix
		time.Sleep(time.Millisecond)
	}
	for _, c := range []struct {
		call, body string
		status     int
		fields     []string
	}{
		{"/go", `{"cue":"1","at":"1h"}`, 202, []string{"frame", "172800000", "said", "go", "standby", "1", "cue", ""}},
		{"/go", `{"frame":172800000}`, 202, []string{"frame", "172800000"}},
		{"/go", `{"cue":"9","at":"1h"}`, 404, []string{"field", "cue"}},
		{"/go", `{"at":1,"frame":1}`, 400, []string{"field", "at"}},
		{"/standby", `{"cue":"2","at":3600}`, 202, []string{"standby", "1"}},
		{"/standby", `{"step":1,"at":3600}`, 202, nil},
		{"/standby", `{"cue":"9","at":3600}`, 404, []string{"field", "cue"}},
		{"/panic", `{"at":3600}`, 202, []string{"said", "panic"}},
		{"/panic", `{"at":-1}`, 400, []string{"field", "at"}},
		{"/stop", `{"over":1,"at":3600}`, 202, nil},
		{"/pause", `{"at":3600}`, 202, []string{"said", "pause"}},
		{"/pause", `{"on":false,"at":3600}`, 202, []string{"said", "resume"}},
		{"/scene", `{"scene":"quiet","at":3600}`, 202, []string{"said", "scene"}},
		{"/scene", `{"scene":"loud","at":3600}`, 404, []string{"field", "scene"}},
		{"/scene", `{"scene":"quiet","frame":-1}`, 400, []string{"field", "frame"}},
		{"/standby", `{"cue":"2","at":0}`, 200, []string{"standby", "2", "frame", ""}},
		{"/standby", `{"cue":"1","frame":1}`, 200, []string{"standby", "1"}},
	} {
		s.ask("POST "+r+c.call, c.body).is(t, c.status, c.fields...)
	}
	frame := s.Room("main").State().Frame + 9600
	s.ask("POST "+r+"/scene", fmt.Sprintf(`{"scene":"quiet","frame":%d}`, frame)).is(t, 202, "frame", fmt.Sprint(frame))
	for end := time.Now().Add(patience); s.Room("main").State().Scene != "quiet"; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the scene does not come")
		}
	}
	if now := s.Room("main").State().Frame; now < frame {
		t.Errorf("the scene comes at %d, want %d", now, frame)
	}
	again := s.ask("POST "+r+"/go", `{"at":"2h"}`, "Idempotency-Key", "k")
	again.is(t, 202)
	if g := s.ask("POST "+r+"/go", `{"at":"2h"}`, "Idempotency-Key", "k"); string(g.body) != string(again.body) {
		t.Errorf("%s", g.body)
	}
	for i := range 1000 {
		if g := s.ask("POST "+r+"/panic", `{"at":7200}`); g.status != 202 {
			if g.is(t, 429); i < 900 {
				t.Errorf("only %d wait", i)
			}
			break
		}
	}
}
