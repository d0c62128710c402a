package remote

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"voicepool/cmd/internal/serve/pipenet"
	"voicepool/cmd/internal/view/liveview"
)

// talker is a server that sends each client the messages of the next turn, and closes the
// connection.
func talker(t *testing.T, turns ...[]string) *Client {
	t.Helper()
	return talkOn(t, httptest.NewUnstartedServer(nil), nil, turns...)
}

// talkOn starts s as a talker. The client uses dial, or TCP if dial is nil.
func talkOn(t *testing.T, s *httptest.Server, dial func(ctx context.Context, network, address string) (net.Conn, error), turns ...[]string) *Client {
	t.Helper()
	n := 0
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" || r.URL.Path != "/v1/rooms/main/ws" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		turn := turns[min(n, len(turns)-1)]
		n++
		for _, m := range turn {
			if conn.Write(r.Context(), websocket.MessageText, []byte(m)) != nil {
				return
			}
		}
		conn.Close(websocket.StatusNormalClosure, "")
	})
	s.Start()
	t.Cleanup(s.Close)
	c, err := New(s.URL, "secret", "")
	if err != nil {
		t.Fatal(err)
	}
	if dial != nil {
		transport := &http.Transport{DialContext: dial}
		t.Cleanup(transport.CloseIdleConnections)
		c.connection.(*webConnection).http.Transport = transport
	}
	return c
}

const someState = `{"type":"state","state":{"rate":48000,"frame":48000,"pool":4,"playing":2,"device":"none","totals":{"asked":3,"started":3,"stolen":1},` +
	`"sounds":[{"sound":"bell"},{"sound":"step"}],"buses":[{"bus":"master","peak":-3},{"bus":"sfx","peak":-9}],` +
	`"voices":[{"voice":3,"sound":"step","slot":1,"level":-12,"state":"playing"},{"voice":2,"sound":"bell","slot":-1,"state":"virtual"}]}}`

// TestWatch checks that pictures have the voices with slots and each event once, and that the end
// of the room ends Watch.
func TestWatch(t *testing.T) {
	c := talker(t, []string{
		someState,
		`{"type":"event","number":1,"event":{"frame":48010,"kind":"stolen","voice":1,"sound":"bell","by":3,"by_sound":"step","slot":1,"audibility_db":-40,"newcomer_db":-12,"text":"step took it"}}`,
		`{"type":"event","number":2,"event":{"kind":"of a newer server"}}`,
		`{"type":"news"}`,
		`{"type":"levels","frame":48480,"playing":1,"left":-6,"right":-120,"buses":[{"bus":"sfx","peak":-9}],"voices":[{"voice":3,"sound":"step","slot":1,"level":-12,"state":"playing"}]}`,
		`{"type":"end"}`,
	})
	var pictures []liveview.Picture
	var lasts []bool
	err := c.Watch(t.Context(), func(p liveview.Picture, last bool) { pictures, lasts = append(pictures, p), append(lasts, last) })
	if err != nil || len(pictures) != 3 || lasts[0] || lasts[1] || !lasts[2] {
		t.Fatalf("%v, %d pictures, %v", err, len(pictures), lasts)
	}
	p := pictures[1]
	if p.Stats.Frame != 48480 || p.Stats.Stolen != 2 || p.Left < 0.5 || p.Left > 0.51 || p.Right != 0 || len(p.Buses) != 1 || p.Buses[0].Name != "sfx" {
		t.Errorf("the picture is %+v", p)
	}
	if shown := p.Shown(); len(shown) != 1 || shown[0] != (liveview.Voice{Slot: 1, Sound: "step", Level: -12, State: "playing"}) {
		t.Errorf("voices: %+v", shown)
	}
	var lines strings.Builder
	print := liveview.NewLines(&lines, true)
	for _, p := range pictures {
		print.Show(p, false)
	}
	if n := strings.Count(lines.String(), "\n"); n != 1 || !strings.Contains(lines.String(), "bell") {
		t.Errorf("the lines are %q", lines.String())
	}
}

// TestWatchComesBack checks that a lost connection is reported and restored.
func TestWatchComesBack(t *testing.T) { synctest.Test(t, testWatchComesBack) }

func testWatchComesBack(t *testing.T) {
	network := pipenet.New()
	c := talkOn(t, &httptest.Server{Listener: network, Config: &http.Server{}}, network.Dial, []string{someState}, []string{someState, `{"type":"end"}`})
	var told []string
	begun := time.Now()
	err := c.Watch(t.Context(), func(p liveview.Picture, _ bool) { told = append(told, p.Output.Lost) })
	if err != nil || len(told) != 4 || told[0] != "" || !strings.HasSuffix(told[1], "the connection is lost; asking again") || told[2] != "" {
		t.Errorf("%v, %q", err, told)
	}
	if took := time.Since(begun); took != reconnectInterval {
		t.Errorf("it asks again after %v, want %v", took, reconnectInterval)
	}
}

// TestWatchFails checks a missing server, a wrong token, another program, and the end of the
// context.
func TestWatchFails(t *testing.T) {
	none := func(liveview.Picture, bool) {}
	c := talker(t, []string{`{"type":"state"}`})
	if err := c.Watch(t.Context(), none); err == nil || !strings.Contains(err.Error(), "not from a voicepool server") {
		t.Errorf("not from a voicepool server: %v", err)
	}
	c.connection.(*webConnection).token = "another"
	if err := c.Watch(t.Context(), none); err == nil || !strings.Contains(err.Error(), "VOICEPOOL_TOKEN") {
		t.Errorf("without a token: %v", err)
	}
	noServerError, _ := New("http://127.0.0.1:1", "", "")
	if err := noServerError.Watch(t.Context(), none); err == nil || !strings.Contains(err.Error(), "no server answers there") {
		t.Errorf("of noServerError: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c = talker(t, []string{someState})
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := c.Watch(ctx, none); !errors.Is(err, context.Canceled) {
		t.Errorf("of a context that ends: %v", err)
	}
}
