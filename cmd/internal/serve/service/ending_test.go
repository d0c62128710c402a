package service_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
)

const sheetType = "application/yaml"

// TestEnding checks that a fading room rejects orders at once, but can be read. Its files are
// removed before its name is free.
func TestEnding(t *testing.T) {
	inBubble(t, testEnding)
}

func testEnding(t *testing.T, web *httptest.Server) {
	var mutex sync.Mutex
	var gone []string
	var s *stage
	taken := 0
	s = openOn(t, web, func(o *service.Options) {
		o.Folder = t.TempDir()
		o.RemoveFiles = func(r *room.Room) {
			g := s.ask("PUT /v1/rooms/"+r.Name(), "voices: 2", "Content-Type", sheetType)
			mutex.Lock()
			defer mutex.Unlock()
			gone, taken = append(gone, r.Name()), g.status
		}
	})
	s.ask("PUT /v1/rooms/other", "sounds: {rain: {loop: true}}", "Content-Type", sheetType).is(t, 201)
	s.ask("POST /v1/rooms/other/play", `{"sound":"rain"}`).is(t, 201)
	over := make(chan got, 1)
	go func() { over <- s.ask("DELETE /v1/rooms/other?over=1.5", "") }()
	synctest.Wait() // the fade has begun
	begun := time.Now()
	s.ask("POST /v1/rooms/other/stop", `{"target":"nobody"}`).is(t, 409)
	for _, call := range []string{"POST /v1/rooms/other/play", "DELETE /v1/rooms/other", "PUT /v1/rooms/other/sounds/x"} {
		s.ask(call, "").is(t, 409, "detail", `the room \"other\" is ending`, "field", "room")
	}
	s.ask("PUT /v1/rooms/other", "voices: 3", "Content-Type", sheetType).is(t, 409, "detail", `the room \"other\" is ending`)
	s.ask("GET /v1/rooms/other/state", "").is(t, 200)
	time.Sleep(1490*time.Millisecond - time.Since(begun))
	select {
	case <-over:
		t.Error("the fade is over too early")
	default:
	}
	g := <-over
	if took := time.Since(begun); took > 1600*time.Millisecond {
		t.Errorf("the fade of 1.5 s takes %v", took)
	}
	g.is(t, 200, "room", "other")
	mutex.Lock()
	defer mutex.Unlock()
	if len(gone) != 1 || gone[0] != "other" || taken != http.StatusConflict {
		t.Errorf("gone are %q; a room of this name was answered %d meanwhile", gone, taken)
	}
	s.ask("PUT /v1/rooms/other", "voices: 2", "Content-Type", sheetType).is(t, 201)
}

// TestOpening checks that while rooms are being opened, the server is alive, not ready, and rejects
// calls.
func TestOpening(t *testing.T) {
	s := open(t, func(o *service.Options) { o.Opening = true })
	s.ask("GET /healthz", "").is(t, 200, "status", "opening")
	for _, call := range []string{"GET /readyz", "PUT /v1/rooms/new", "POST /v1/rooms/main/play", "GET /v1/rooms", "GET /v1/rooms/main/state", "GET /metrics"} {
		s.ask(call, "").is(t, 503, "detail", "the rooms are being opened; try again in a moment")
	}
	s.FinishOpening()
	s.ask("GET /healthz", "").is(t, 200, "status", "ok")
	s.ask("GET /readyz", "").is(t, 200)
	s.ask("POST /v1/rooms/main/play", `{"sound":"rain"}`).is(t, 201)
}
