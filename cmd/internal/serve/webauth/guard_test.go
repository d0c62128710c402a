package webauth_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/webauth"
	"voicepool/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// The tokens of the tests.
const (
	boss   = "boss-0123456789abcdef"
	stage  = "stage-0123456789abcdef"
	viewer = "viewer-0123456789abcdef"
)

const tokenFile = `# who may do what
admin ` + boss + ` # the boss
operator ` + stage + ` main,foyer # stage left

read-only ` + viewer + `
`

func tokens(t *testing.T, text string) *webauth.Tokens {
	t.Helper()
	list, err := webauth.ParseTokens("tokens", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// roles answers with the caller's roles in some rooms.
var roles = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if err := webauth.Allow(r.Context(), r.URL.Query().Get("room"), webauth.Read); err != nil {
		webauth.Write(w, err)
		return
	}
	fmt.Fprintf(w, "%v %v", webauth.RoleIn(r.Context(), r.URL.Query().Get("room")), webauth.RoleIn(r.Context(), "other"))
})

// ask makes a request without a network.
func ask(g *webauth.Guard, method, target string, change func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	r.RemoteAddr = "192.0.2.7:1234"
	ctx := context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 7700}))
	r = r.WithContext(ctx)
	r.Host = "localhost:7700"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	g.Wrap(roles).ServeHTTP(w, r)
	return w
}

func header(values ...string) func(*http.Request) {
	return func(r *http.Request) {
		for i := 0; i < len(values); i += 2 {
			if values[i] == "Host" {
				r.Host = values[i+1]
			}
			r.Header.Add(values[i], values[i+1])
		}
	}
}

// TestWho checks Host, Origin, tokens and methods.
func TestWho(t *testing.T) {
	const own = "http://localhost:7700"
	bearer := "Bearer " + boss
	for _, c := range []struct {
		method string
		values []string
		status int
		want   string // in the answer
	}{
		{"GET", nil, 401, "a token is needed"},
		{"GET", []string{"Authorization", bearer}, 200, "admin admin"},
		{"GET", []string{"Authorization", "bearer " + boss}, 200, "admin admin"},
		{"GET", []string{"Authorization", "Bearer " + stage}, 200, "operator none"},
		{"GET", []string{"Authorization", "Bearer " + viewer}, 200, "read-only read-only"},
		{"GET", []string{"Authorization", "Bearer " + boss + "x"}, 401, "unknown or expired token"},
		{"GET", []string{"Authorization", "Bearer"}, 401, "unknown or expired token"},
		{"GET", []string{"Authorization", "Basic " + boss}, 401, "want Bearer TOKEN"},
		{"GET", []string{"Cookie", "voicepool=nonsense"}, 401, "a token is needed"},

		{"GET", []string{"Authorization", bearer, "Host", "evil.example"}, 403, "Host: "},
		{"GET", []string{"Authorization", bearer, "Host", "evil.example:7700"}, 403, "Host: "},
		{"GET", []string{"Authorization", bearer, "Host", ""}, 403, "Host: "},
		{"GET", []string{"Authorization", bearer, "Host", "localhost.evil.example"}, 403, "Host: "},
		{"GET", []string{"Authorization", bearer, "Host", "127.0.0.1.evil.example"}, 403, "Host: "},
		{"GET", []string{"Authorization", bearer, "Host", "192.0.2.2:7700"}, 403, "Host: "},
		{"GET", []string{"Authorization", bearer, "Host", "LOCALHOST"}, 200, "admin"},
		{"GET", []string{"Authorization", bearer, "Host", "localhost.:7700"}, 200, "admin"},
		{"GET", []string{"Authorization", bearer, "Host", "127.0.0.1:7700"}, 200, "admin"},
		{"GET", []string{"Authorization", bearer, "Host", "[::1]:7700"}, 200, "admin"},
		{"GET", []string{"Authorization", bearer, "Host", "[::1]"}, 200, "admin"},
		{"GET", []string{"Authorization", bearer, "Host", "192.0.2.1:7700"}, 200, "admin"},
		{"GET", []string{"Authorization", bearer, "Host", "Board.Example"}, 200, "admin"},
		{"GET", []string{"Authorization", bearer, "Host", "board.example:8443"}, 200, "admin"},

		{"POST", []string{"Authorization", bearer}, 200, "admin"},
		{"POST", []string{"Authorization", bearer, "Origin", own}, 200, "admin"},
		{"POST", []string{"Authorization", bearer, "Origin", "http://localhost:7701"}, 403, "Origin: "},
		{"POST", []string{"Authorization", bearer, "Origin", "http://localhost"}, 403, "Origin: "},
		{"POST", []string{"Authorization", bearer, "Origin", "null"}, 403, "Origin: "},
		{"POST", []string{"Authorization", bearer, "Origin", ""}, 403, "Origin: "},
		{"POST", []string{"Authorization", bearer, "Origin", "http://evil.example"}, 403, "Origin: "},
		{"POST", []string{"Authorization", bearer, "Origin", "ftp://localhost:7700"}, 403, "Origin: "},
		{"POST", []string{"Authorization", bearer, "Origin", "http://a@localhost:7700"}, 403, "Origin: "},
		{"POST", []string{"Authorization", bearer, "Origin", own, "Origin", "http://evil.example"}, 403, "Origin: "},
		{"POST", []string{"Authorization", bearer, "Origin", "https://board.example"}, 200, "admin"},
		{"POST", []string{"Authorization", bearer, "Origin", "https://board.example:444"}, 403, "Origin: "},
		{"POST", []string{"Authorization", bearer, "Sec-Fetch-Site", "cross-site"}, 403, "Sec-Fetch-Site: "},
		{"POST", []string{"Authorization", bearer, "Sec-Fetch-Site", "same-site"}, 403, "Sec-Fetch-Site: "},
		{"POST", []string{"Authorization", bearer, "Sec-Fetch-Site", "same-origin"}, 200, "admin"},
		{"DELETE", []string{"Authorization", bearer, "Origin", "http://evil.example"}, 403, "Origin: "},
		{"PATCH", []string{"Authorization", bearer, "Origin", "http://evil.example"}, 403, "Origin: "},
		{"PUT", []string{"Authorization", bearer, "Origin", "http://evil.example"}, 403, "Origin: "},
		{"GET", []string{"Authorization", bearer, "Origin", "http://evil.example"}, 200, "admin"}, // the page cannot read the answer
		{"GET", []string{"Authorization", bearer, "Origin", "http://evil.example", "Upgrade", "websocket"}, 403, "Origin: "},
		{"GET", []string{"Authorization", bearer, "Origin", "http://evil.example", "Connection", "keep-alive, Upgrade"}, 403, "Origin: "},
		{"GET", []string{"Authorization", bearer, "Origin", own, "Upgrade", "websocket"}, 200, "admin"},
		{"GET", []string{"Authorization", bearer, "Upgrade", "websocket"}, 200, "admin"},
	} {
		g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile), Hosts: []string{"board.example"}})
		w := ask(g, c.method, "/?room=main", header(c.values...))
		g.Close()
		body := w.Body.String()
		if w.Code != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %q: %d %s, want %d with %q", c.method, c.values, w.Code, body, c.status, c.want)
		}
		for _, secret := range []string{boss, stage, viewer} {
			if strings.Contains(body, secret) || strings.Contains(fmt.Sprint(w.Header()), secret) {
				t.Errorf("%s %q: the answer has the token in it", c.method, c.values)
			}
		}
		if w.Code >= 400 && w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %q: a fault is %s", c.method, c.values, w.Header().Get("Content-Type"))
		}
		if w.Code == 401 && w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%s %q: nothing says how to authenticate", c.method, c.values)
		}
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'self'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "inline") {
			t.Errorf("%s %q: the policy is %s", c.method, c.values, policy)
		}
	}
}

// TestNobody checks the roles of callers without a token.
func TestNobody(t *testing.T) {
	public := func(room string) (webauth.Role, bool) {
		switch room {
		case "main":
			return webauth.Read, true
		case "shut":
			return webauth.None, true
		}
		return webauth.None, false
	}
	for _, c := range []struct {
		name    string
		options webauth.Options
		remote  string
		want    string
	}{
		{"loopback alone", webauth.Options{Loopback: true}, "127.0.0.1:1", "200 admin admin"},
		{"loopback alone, a public room", webauth.Options{Loopback: true, Public: public}, "127.0.0.1:1", "200 admin admin"},
		{"open, from elsewhere", webauth.Options{}, "192.0.2.9:1", "200 operator operator"},
		{"open, from here", webauth.Options{}, "[::1]:1", "200 admin admin"},
		{"open, by a socket", webauth.Options{}, "@", "200 admin admin"},
		{"open, a public room", webauth.Options{Public: public}, "192.0.2.9:1", "200 read-only operator"},
		{"tokens", webauth.Options{Tokens: tokens(t, tokenFile)}, "127.0.0.1:1", "401"},
		{"tokens, loopback", webauth.Options{Tokens: tokens(t, tokenFile), Loopback: true}, "127.0.0.1:1", "401"},
		{"tokens, a public room", webauth.Options{Tokens: tokens(t, tokenFile), Public: public}, "192.0.2.9:1", "200 read-only none"},
	} {
		g := webauth.New(c.options)
		w := ask(g, "GET", "/?room=main", func(r *http.Request) { r.RemoteAddr = c.remote })
		g.Close()
		got := fmt.Sprint(w.Code)
		if w.Code == 200 {
			got += " " + w.Body.String()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if webauth.RoleIn(t.Context(), "main") != webauth.None || webauth.Allow(t.Context(), "main", webauth.Read) == nil || webauth.CountRequests(t.Context(), 1) != nil {
		t.Error("whom no Guard has let in may do something")
	}
}

// TestTokens checks the errors of token files.
func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "tokens: has no token; write a line such as: operator xxxxxxxxxxxxxxxx"},
		{"# nothing\n", "tokens: has no token; write a line such as: operator xxxxxxxxxxxxxxxx"},
		{"admin", "tokens:1: a line has one word (want ROLE TOKEN [ROOM,ROOM...] [# NAME])"},
		{"\nadmni " + boss, "tokens:2: unknown role admni (want read-only, operator or admin); the nearest is admin"},
		{boss + " admin", "tokens:1: a line begins with its role: read-only, operator or admin"},
		{"admin 0123456789abcde", "tokens:1: a token has 16 to 512 characters, this one has 15"},
		{"admin " + strings.Repeat("x", 513), "tokens:1: a token has 16 to 512 characters, this one has 513"},
		{"admin 0123456789abcdefé", "tokens:1: a token has a character other than ASCII letters, digits and signs"},
		{"admin " + boss + " a, b", "tokens:1: after the token come its rooms, with commas and no spaces, and # before a name"},
		{"admin " + boss + " a,,b", "tokens:1: a room in the list of rooms is empty"},
		{"admin " + boss + "\nread-only " + boss, "tokens:2: an earlier line has the same token"},
		{strings.Repeat("#", 1<<20+1), "tokens: is larger than 1 MiB"},
	} {
		_, err := webauth.ParseTokens("tokens", []byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%.80q: %v, want %s", c.text, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), boss) {
			t.Errorf("%.80q: the message has the token in it", c.text)
		}
	}
	var many strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&many, "operator %020d\r\n", i)
	}
	if _, err := webauth.ParseTokens("tokens", []byte(many.String())); err == nil || err.Error() != "tokens:1001: has more than 1000 tokens" {
		t.Errorf("of many it says %v", err)
	}
	if list := tokens(t, tokenFile); list.Len() != 3 {
		t.Errorf("there are %d tokens, want 3", list.Len())
	}
}

// TestPasscode checks tokens of other protocols.
func TestPasscode(t *testing.T) {
	g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile)})
	defer g.Close()
	for _, c := range []struct {
		code, room string
		want       webauth.Role
	}{
		{boss, "main", webauth.Admin},
		{stage, "main", webauth.Operate},
		{stage, "other", webauth.None},
		{stage, "", webauth.Read},
		{"", "main", webauth.None},
		{"nonsense", "main", webauth.None},
	} {
		if got, err := g.Passcode("192.0.2.9:53001", c.code, c.room); got != c.want || err != nil {
			t.Errorf("%q in %q: %v, %v, want %v", c.code, c.room, got, err, c.want)
		}
	}
	for i := range 10 {
		_, err := g.Passcode("192.0.2.10:53001", "nonsense", "main", "bar", "foyer")
		if (err != nil) != (i >= 5) {
			t.Errorf("the wrong passcode number %d: %v", i+1, err)
		}
	}
	if n := g.Counts().Tokens; n != 11 {
		t.Errorf("%d wrong tokens are counted, want 11", n)
	}
}

// form returns a request with the login form.
func form(token string, more ...string) func(*http.Request) {
	return func(r *http.Request) {
		values := url.Values{"token": {token}}
		for i := 0; i < len(more); i += 2 {
			values.Set(more[i], more[i+1])
		}
		r.Body = io.NopCloser(strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://localhost:7700")
	}
}
