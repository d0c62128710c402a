package service_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
)

// TestElsewhere checks that calls on a room of another server are redirected with their whole URL.
// For a room without a server they get a problem, except a new sheet. Local and unknown rooms are
// not redirected.
func TestElsewhere(t *testing.T) {
	raised := ""
	s := open(t, func(o *service.Options) {
		o.Locate = func(name string) (string, error) {
			switch name {
			case "far":
				return "http://b:7700", nil
			case "orphan":
				return "", problemjson.New(http.StatusServiceUnavailable, "no node plays it").WithReason("moving")
			}
			return "", nil
		}
		o.Create = func(_ context.Context, name string, text []byte) error {
			raised = name + " " + string(text)
			return problemjson.New(http.StatusConflict, "raised").WithField("room")
		}
	})
	s.web.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	sent := 0
	for _, pattern := range service.Patterns() {
		if !strings.Contains(pattern, "{room}") {
			continue
		}
		call := strings.NewReplacer("{voice}", "1", "{bus}", "music", "{name}", "bell").Replace(pattern)
		g := s.ask(strings.Replace(call, "{room}", "far", 1)+"?last=3&x=%20y", "")
		_, path, _ := strings.Cut(call, " ")
		want := "http://b:7700" + strings.Replace(path, "{room}", "far", 1) + "?last=3&x=%20y"
		if g.is(t, 307, "reason", "elsewhere"); g.header.Get("Location") != want {
			t.Errorf("%s: sent to %q, want %q", call, g.header.Get("Location"), want)
		}
		sent++
		if pattern != "PUT /v1/rooms/{room}" {
			s.ask(strings.Replace(call, "{room}", "orphan", 1), "").is(t, 503, "reason", "moving")
		}
	}
	if sent < 20 {
		t.Errorf("%d calls were sent", sent)
	}
	s.ask("PUT /v1/rooms/orphan", "sounds: {}", "Content-Type", "application/yaml").is(t, 409, "detail", "raised")
	if raised != "orphan sounds: {}" {
		t.Errorf("raised %q", raised)
	}
	s.ask("GET /v1/rooms/main/state", "").is(t, 200)
	s.ask("GET /v1/rooms/none/state", "").is(t, 404, "field", "room")
}

// TestRaised checks that a call makes a room with Options.Create and finds it.
func TestRaised(t *testing.T) {
	var s *stage
	s = open(t, func(o *service.Options) {
		o.Create = func(ctx context.Context, name string, text []byte) error {
			if name == "bad" {
				return errors.New("a fault")
			}
			r, err := room.Open(ctx, room.Options{Name: name, Text: text})
			if err != nil {
				return err
			}
			return s.Add(r)
		}
	})
	s.ask("PUT /v1/rooms/hall", "sounds: {bell: {}}", "Content-Type", "application/yaml").is(t, 201, "room", "hall")
	s.ask("PUT /v1/rooms/hall", "sounds: {bell: {}, coin: {}}", "Content-Type", "application/yaml").is(t, 200, "room", "hall")
	s.ask("PUT /v1/rooms/bad", "sounds: {bell: {}}", "Content-Type", "application/yaml").is(t, 500)
	s.ask("PUT /v1/rooms/worse", "sounds: {bel: {}}", "Content-Type", "application/yaml").is(t, 400, "field", "sheet")
}
