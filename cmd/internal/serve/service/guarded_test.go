package service_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"voicepool/cmd/internal/serve/service"
	"voicepool/cmd/internal/serve/webauth"
)

// tokens parses a token file.
func tokens(t *testing.T, text string) *webauth.Tokens {
	t.Helper()
	all, err := webauth.ParseTokens("tokens", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// guarded starts a server behind a guard on a TCP port.
func guarded(t *testing.T, o webauth.Options) (*stage, *webauth.Guard) {
	t.Helper()
	return guardedOn(t, httptest.NewUnstartedServer(nil), o)
}

// guardedOn starts an unstarted web server as a server behind a guard.
func guardedOn(t *testing.T, web *httptest.Server, o webauth.Options) (*stage, *webauth.Guard) {
	t.Helper()
	g := webauth.New(o)
	t.Cleanup(g.Close)
	web.Config = g.Server(nil)
	s := openOn(t, web, func(so *service.Options) {
		so.Allow = func(ctx context.Context, role service.Role, room string) error {
			return webauth.Allow(ctx, room, webauth.Role(role))
		}
		so.CountRequests = webauth.CountRequests
	})
	web.Config.Handler = g.Wrap(s.Server)
	return s, g
}

const tokenA, tokenB = "a2f1b4c6d8e0a2c4e6f8", "b2f1b4c6d8e0a2c4e6f9"

// as opens a WebSocket with a token.
func (s *stage) as(token, path string) *websocket.Conn {
	s.t.Helper()
	c, _, err := websocket.Dial(s.t.Context(), s.web.URL+"/v1/rooms/"+path, &websocket.DialOptions{HTTPClient: s.web.Client(), HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		s.t.Fatal(err)
	}
	c.SetReadLimit(1 << 20)
	s.t.Cleanup(func() { _ = c.CloseNow() })
	return c
}

// TestRevoked checks that connections end when their token is revoked, WebSockets with 1008.
// Connections of other tokens continue.
func TestRevoked(t *testing.T) {
	inBubble(t, testRevoked)
}

func testRevoked(t *testing.T, web *httptest.Server) {
	lines := []string{"operator " + tokenA + "\n", "read-only " + tokenB + "\n"}
	s, g := guardedOn(t, web, webauth.Options{Loopback: true, Tokens: tokens(t, lines[0]+lines[1])})
	orders, sound, other := s.as(tokenA, "main/ws"), s.as(tokenA, "main/audio"), s.as(tokenB, "main/audio")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+"/v1/rooms/main/audio.wav", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+tokenA)
	w, err := s.web.Client().Do(r)
	if err != nil || w.StatusCode != 200 {
		t.Fatal(w, err)
	}
	defer w.Body.Close()
	say(t, orders, `{"do":"play","with":{"sound":"rain"}}`)
	next(t, orders, "reply")

	g.Change(webauth.Options{Loopback: true, Tokens: tokens(t, lines[1])})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for name, c := range map[string]*websocket.Conn{"orders": orders, "audio": sound} {
		var err error
		for err == nil {
			_, _, err = c.Read(ctx)
		}
		if websocket.CloseStatus(err) != websocket.StatusPolicyViolation || !strings.Contains(err.Error(), "token") {
			t.Errorf("%s: it ends by %v", name, err)
		}
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, w.Body)
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		t.Error("the WAV file goes on")
	}
	for until := time.Now().Add(300 * time.Millisecond); time.Now().Before(until); {
		if _, _, err := other.Read(ctx); err != nil {
			t.Fatalf("that of another token ends by %v", err)
		}
	}
}

// TestRate checks that each WebSocket message counts, valid or not, and each command of a batch,
// over HTTP, too.
func TestRate(t *testing.T) {
	inBubble(t, testRate)
}

func testRate(t *testing.T, web *httptest.Server) {
	const rate = 100
	s, _ := guardedOn(t, web, webauth.Options{Loopback: true, Tokens: tokens(t, "read-only "+tokenB+"\noperator "+tokenA+"\n"), Limits: webauth.Limits{Rate: rate}})
	for _, c := range []struct{ name, message string }{{"state", `{"ref":7,"do":"state"}`}, {"unknown", `{"ref":7,"do":"nothing"}`}, {"no field", `{"ref":7}`}} {
		conn := s.as(tokenB, "main/ws")
		begun, refused := time.Now(), 0
		const sent = 3 * rate
		go func() {
			for range sent {
				if conn.Write(t.Context(), websocket.MessageText, []byte(c.message)) != nil {
					return
				}
			}
		}()
		for range sent {
			r := next(t, conn, "reply")
			if r["ref"] != 7.0 {
				t.Fatalf("%s: %v", c.name, r)
			}
			if r["status"] == 429.0 {
				refused++
			}
		}
		took := time.Since(begun).Seconds()
		if passed := float64(sent - refused); refused < 50 || passed > rate*(1+took)+1 || passed < rate*(1+took)-2 || took < 0.4 {
			t.Errorf("%s: %d of %d are refused within %.1f s", c.name, refused, sent, took)
		}
		_ = conn.CloseNow()
		time.Sleep(time.Second) // the next connection has the whole rate again
	}
	batch := `{"commands":[` + strings.Repeat(`{"do":"play","with":{"sound":"bell"}},`, 59) + `{"do":"play","with":{"sound":"bell"}}]}`
	s.ask("POST /v1/rooms/main/batch", batch, "Authorization", "Bearer "+tokenA).is(t, 200)
	s.ask("POST /v1/rooms/main/batch", batch, "Authorization", "Bearer "+tokenA).is(t, 429, "limit", "100")
}
