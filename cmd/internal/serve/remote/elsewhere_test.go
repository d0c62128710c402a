package remote

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"voicepool/cmd/internal/view/liveview"
)

// pair returns two servers. The second plays the room, and the first has the given handler. came
// lists the requests of the second.
func pair(t *testing.T, answer http.HandlerFunc) (first, second *httptest.Server, came *[]string) {
	came = new([]string)
	second = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*came = append(*came, r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
		if strings.HasSuffix(r.URL.Path, "/ws") {
			if conn, err := websocket.Accept(w, r, nil); err == nil {
				_ = conn.Write(r.Context(), websocket.MessageText, []byte(someState))
				_ = conn.Write(r.Context(), websocket.MessageText, []byte(`{"type":"end"}`))
				conn.Close(websocket.StatusNormalClosure, "")
			}
			return
		}
		w.Write([]byte(`{}`))
	}))
	first = httptest.NewServer(answer)
	t.Cleanup(first.Close)
	t.Cleanup(second.Close)
	return first, second, came
}

// TestElsewhere checks that a redirect to another server is followed with the token, for calls and
// for watching.
func TestElsewhere(t *testing.T) {
	var other string
	first, second, came := pair(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", other+r.URL.RequestURI())
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	other = strings.Replace(second.URL, "127.0.0.1", "localhost", 1) // a different host, for which Go's client drops the token
	c, err := New(first.URL+"/hall", "secret", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.connection.(*webConnection).http.CloseIdleConnections)
	for _, words := range []string{"play bell", "stop 17 2s", "state"} {
		if _, err := c.Run(t.Context(), strings.Fields(words)...); err != nil {
			t.Errorf("%s: %v", words, err)
		}
	}
	if err := c.Watch(t.Context(), func(liveview.Picture, bool) {}); err != nil {
		t.Errorf("watch: %v", err)
	}
	const room, token = " /v1/rooms/hall/", " Bearer secret"
	want := "POST" + room + "play" + token + "; DELETE" + room + "voices/17?over=2s" + token + "; GET" + room + "state" + token + "; GET" + room + "ws" + token
	if got := strings.Join(*came, "; "); got != want {
		t.Errorf("there came\n%s, want\n%s", got, want)
	}
}

// TestNotElsewhere checks that other redirects are not followed and get no token.
func TestNotElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		status   int
		location func(other, uri string) string
	}{
		"another status": {http.StatusFound, func(other, uri string) string { return other + uri }},
		"another path":   {http.StatusTemporaryRedirect, func(other, uri string) string { return other + "/v1/rooms/main/play" }},
		"another query":  {http.StatusTemporaryRedirect, func(other, uri string) string { return other + uri + "?a=b" }},
		"a name":         {http.StatusTemporaryRedirect, func(other, uri string) string { return strings.Replace(other, "//", "//a:b@", 1) + uri }},
		"another scheme": {http.StatusTemporaryRedirect, func(other, uri string) string { return strings.Replace(other, "http", "gopher", 1) + uri }},
	} {
		var other string
		first, second, came := pair(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", c.location(other, r.URL.RequestURI()))
			w.WriteHeader(c.status)
		})
		other = second.URL
		client, err := New(first.URL+"/hall", "secret", "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Run(t.Context(), "go")
		if refused, is := errors.AsType[*Refusal](err); !is || refused.Status != c.status || len(*came) > 0 {
			t.Errorf("%s: %v; there came %q", name, err, *came)
		}
		client.connection.(*webConnection).http.CloseIdleConnections()
	}
}

// TestInCircles checks that circular redirects are followed twice, and that https never becomes
// http.
func TestInCircles(t *testing.T) {
	n, location := 0, ""
	circle := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("Location", location+r.URL.RequestURI())
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	for _, c := range []struct {
		server *httptest.Server
		asked  int
	}{{httptest.NewServer(circle), 3}, {httptest.NewTLSServer(circle), 1}} {
		defer c.server.Close()
		n, location = 0, "http"+strings.TrimPrefix(strings.TrimPrefix(c.server.URL, "https"), "http")
		client, err := New(c.server.URL, "secret", "")
		if err != nil {
			t.Fatal(err)
		}
		client.connection.(*webConnection).http.Transport = c.server.Client().Transport
		var refused *Refusal
		if _, err := client.Run(t.Context(), "go"); !errors.As(err, &refused) || refused.Status != http.StatusTemporaryRedirect || n != c.asked {
			t.Errorf("%s: %v after %d calls, want %d", c.server.URL, err, n, c.asked)
		}
	}
}
