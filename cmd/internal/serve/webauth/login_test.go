package webauth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/webauth"
)

// cookie returns the cookie that an answer sets.
func cookie(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	list := w.Result().Cookies()
	if len(list) != 1 || w.Code != http.StatusSeeOther {
		t.Fatalf("%d sets %d cookies, want one: %s", w.Code, len(list), w.Body)
	}
	c := list[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || len(c.Value) < 43 || c.MaxAge != 30*24*3600 {
		t.Errorf("the cookie is %v", c)
	}
	return c.Name + "=" + c.Value
}

// may returns the roles of a cookie in the rooms main and other.
func may(g *webauth.Guard, cookie string) string {
	w := ask(g, "GET", "/?room=main", header("Cookie", cookie))
	if w.Code != 200 {
		return fmt.Sprint(w.Code)
	}
	return w.Body.String()
}

func TestLogin(t *testing.T) {
	g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile)})
	defer g.Close()
	page := ask(g, "GET", "/login?next=/%3Froom=foyer", nil)
	if text := page.Body.String(); page.Code != 200 || !strings.Contains(text, `name="token"`) || !strings.Contains(text, `value="/?room=foyer"`) || strings.Contains(text, "<script") || strings.Contains(text, "style=") {
		t.Errorf("the page is %d %s", page.Code, text)
	}
	if w := ask(g, "GET", "/login.css", nil); w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/css") {
		t.Errorf("its style is %d %s", w.Code, w.Header().Get("Content-Type"))
	}
	for _, c := range []struct{ next, want string }{
		{"", "/"}, {"/?room=main", "/?room=main"}, {"//evil.example", "/"}, {"https://evil.example", "/"}, {`/\evil.example`, "/"}, {"/\tx", "/"},
	} {
		w := ask(g, "POST", "/login", form(stage, "next", c.next))
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != c.want {
			t.Errorf("it leads to %d %q, want %q", w.Code, got, c.want)
		}
	}
	session := cookie(t, ask(g, "POST", "/login", form(stage)))
	if got := may(g, session); got != "operator none" {
		t.Errorf("logged in, it is %s", got)
	}
	for _, c := range []struct {
		values []string
		status int
	}{
		{nil, 403},
		{[]string{"Origin", "http://evil.example"}, 403},
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{[]string{"Origin", "http://localhost:7700"}, 200},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
	} {
		if w := ask(g, "POST", "/?room=main", header(append(c.values, "Cookie", session)...)); w.Code != c.status {
			t.Errorf("with the cookie and %q: %d, want %d", c.values, w.Code, c.status)
		}
	}
	if w := ask(g, "GET", "/?room=main", header("Cookie", session, "Upgrade", "websocket")); w.Code != 403 {
		t.Errorf("a WebSocket with a cookie and no Origin: %d", w.Code)
	}
	if w := ask(g, "POST", "/logout", header("Cookie", session, "Origin", "http://localhost:7700")); w.Code != http.StatusSeeOther || w.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("logging out: %d %v", w.Code, w.Result().Cookies())
	}
	if got := may(g, session); got != "401" {
		t.Errorf("logged out, it is %s", got)
	}
	wrong := ask(g, "POST", "/login", form("nonsense-0123456789"))
	if wrong.Code != 403 || strings.Contains(wrong.Body.String(), "nonsense") || len(wrong.Result().Cookies()) > 0 {
		t.Errorf("a wrong token: %d %s", wrong.Code, wrong.Body)
	}
	if w := ask(g, "POST", "/login", form(strings.Repeat("x", 5000))); w.Code != 400 {
		t.Errorf("a large form: %d", w.Code)
	}
	if w := ask(g, "POST", "/login", func(r *http.Request) { form(stage)(r); r.Header.Set("Origin", "http://evil.example") }); w.Code != 403 {
		t.Errorf("a form of another site: %d", w.Code)
	}
}

// TestSecure checks that under TLS the cookie is limited to TLS and this host.
func TestSecure(t *testing.T) {
	g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile), Secure: true})
	defer g.Close()
	if w := ask(g, "POST", "/login", form(stage)); w.Code != 403 { // http
		t.Errorf("a form of an insecure page: %d", w.Code)
	}
	w := ask(g, "POST", "/login", func(r *http.Request) { form(stage)(r); r.Header.Set("Origin", "https://localhost:7700") })
	session := cookie(t, w)
	if c := w.Result().Cookies()[0]; !c.Secure || c.Name != "__Host-voicepool" {
		t.Errorf("the cookie is %v", c)
	}
	if got := may(g, session); got != "operator none" {
		t.Errorf("logged in, it is %s", got)
	}
}

// TestSessionsEnd checks that sessions end after 30 days, with their token, and above the limit.
func TestSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile), Limits: webauth.Limits{Sessions: 3}})
		defer g.Close()
		login := func(token string) string { return cookie(t, ask(g, "POST", "/login", form(token))) }
		first := login(stage)
		time.Sleep(30*24*time.Hour - time.Second)
		if got := may(g, first); got != "operator none" {
			t.Errorf("before the end it is %s", got)
		}
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait() // for the timer that ends it
		if got := may(g, first); got != "401" {
			t.Errorf("after 30 days it is %s", got)
		}

		list := []string{login(boss), login(viewer), login(stage), login(viewer)}
		for i, want := range []string{"401", "read-only read-only", "operator none", "read-only read-only"} {
			if got := may(g, list[i]); got != want {
				t.Errorf("session %d of four is %s, want %s", i+1, got, want)
			}
		}
		if n := g.Counts().Sessions; n != 3 {
			t.Errorf("%d sessions are counted, want 3", n)
		}

		// The token stage is removed, the viewer's token gets another role, and a new token is
		// added.
		g.Change(webauth.Options{Tokens: tokens(t, "operator "+viewer+"\nadmin "+boss+"\nread-only new-0123456789abcdef\n")})
		for i, want := range []string{"401", "401", "401", "401"} {
			if got := may(g, list[i]); got != want {
				t.Errorf("after the change session %d is %s, want %s", i+1, got, want)
			}
		}
		for token, want := range map[string]int{stage: 401, viewer: 200, boss: 200, "new-0123456789abcdef": 200} {
			if w := ask(g, "GET", "/?room=main", header("Authorization", "Bearer "+token)); w.Code != want {
				t.Errorf("after the change a token is %d, want %d", w.Code, want)
			}
		}
		kept := login(viewer)
		g.Change(webauth.Options{Tokens: tokens(t, "operator "+viewer+"\n")})
		if got := may(g, kept); got != "operator operator" {
			t.Errorf("a session whose token stays is %s", got)
		}
	})
}

// TestRequestsEnd checks that a running request ends with its token.
func TestRequestsEnd(t *testing.T) {
	g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile)})
	defer g.Close()
	begun, ended := make(chan struct{}), make(chan struct{})
	h := g.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		if webauth.RoleIn(r.Context(), "main") != webauth.None || webauth.Allow(r.Context(), "main", webauth.Read) == nil {
			t.Error("it may do something still")
		}
		close(ended)
	}))
	r := httptest.NewRequest("GET", "http://localhost/", nil)
	r.Header.Set("Authorization", "Bearer "+stage)
	go h.ServeHTTP(httptest.NewRecorder(), r)
	<-begun
	g.Change(webauth.Options{Tokens: tokens(t, "admin "+boss)})
	select {
	case <-ended:
	case <-time.After(bound):
		t.Fatal("it goes on")
	}
}

// TestLinks checks that a link logs in once, with the role given by its maker.
func TestLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile+"admin room-0123456789abcdef foyer\n")})
		defer g.Close()
		make := func(token, body string) (int, string) {
			w := ask(g, "POST", "/v1/login-links", func(r *http.Request) {
				r.Header.Set("Authorization", "Bearer "+token)
				r.Body = io.NopCloser(strings.NewReader(body))
			})
			var answer struct{ URL, Detail string }
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatal(err)
			}
			return w.Code, answer.URL + answer.Detail
		}
		path := func(link string) string {
			u, err := url.Parse(link)
			if err != nil || u.Host != "localhost:7700" || u.Scheme != "http" {
				t.Fatalf("the link is %q, %v", link, err)
			}
			return u.RequestURI()
		}
		for _, c := range []struct {
			token, body string
			status      int
			want        string
		}{
			{boss, `{"role":"operator","room":"main"}`, 201, ""},
			{boss, `{"role":"admin"}`, 201, ""},
			{"room-0123456789abcdef", `{"role":"operator","room":"foyer"}`, 201, ""},
			{"room-0123456789abcdef", `{"role":"operator","room":"main"}`, 403, "this needs the role admin; the token has the role none here"},
			{"room-0123456789abcdef", `{"role":"operator"}`, 403, "this needs the role admin; the token has the role read-only here"},
			{stage, `{"role":"operator","room":"main"}`, 403, "this needs the role admin; the token has the role operator here"},
			{boss, `{"role":"oprator"}`, 400, "role: unknown role oprator (want read-only, operator or admin); the nearest is operator"},
			{boss, `{"rol":"operator"}`, 400, "unknown field rol; the nearest is role"},
			{boss, `{"role":7}`, 400, "role: want a string"},
			{boss, `[]`, 400, `the body must be JSON, such as {"role": "operator", "room": "main"}`},
			{boss, `{"role":"` + strings.Repeat("x", 5000) + `"}`, 413, "the body is larger than 4 KiB"},
		} {
			status, text := make(c.token, c.body)
			if status != c.status || c.want != "" && text != c.want {
				t.Errorf("%.60s: %d %s, want %d %s", c.body, status, text, c.status, c.want)
			}
		}
		_, link := make(boss, `{"role":"operator","room":"main"}`)
		if w := ask(g, "GET", path(link), header("Sec-Purpose", "prefetch")); w.Code != 200 {
			t.Errorf("fetched in advance: %d", w.Code)
		}
		if w := ask(g, "HEAD", path(link), nil); w.Code != 200 {
			t.Errorf("asked for its head: %d", w.Code)
		}
		session := cookie(t, ask(g, "GET", path(link), nil))
		if got := may(g, session); got != "operator none" {
			t.Errorf("by the link it is %s", got)
		}
		if w := ask(g, "GET", path(link), nil); w.Code != 403 || len(w.Result().Cookies()) > 0 {
			t.Errorf("a second time: %d", w.Code)
		}
		_, late := make(boss, `{"role":"operator","room":"main"}`)
		time.Sleep(time.Hour)
		if w := ask(g, "GET", path(late), nil); w.Code != 403 {
			t.Errorf("after an hour: %d", w.Code)
		}
		_, gone := make(boss, `{"role":"operator","room":"main"}`)
		own := g.Invite(webauth.Admin, "")
		g.Change(webauth.Options{Tokens: tokens(t, "admin other-0123456789abcdef")})
		if got := may(g, session); got != "401" {
			t.Errorf("when the token of its maker is gone, the session is %s", got)
		}
		if w := ask(g, "GET", path(gone), nil); w.Code != 403 {
			t.Errorf("when the token of its maker is gone, the link is %d", w.Code)
		}
		if got := may(g, cookie(t, ask(g, "GET", own, nil))); got != "admin admin" {
			t.Errorf("by the link of the server it is %s", got)
		}
	})
}

// TestGuessing checks that wrong tokens cause growing waits, and that a valid token still works.
func TestGuessing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile)})
		defer g.Close()
		try := func(remote string) *httptest.ResponseRecorder {
			return ask(g, "POST", "/login", func(r *http.Request) { form("nonsense-0123456789")(r); r.RemoteAddr = remote })
		}
		const here, there = "[2001:db8::1]:1", "[2001:db8:0:1::1]:1"
		for i := range 5 {
			if w := try(here); w.Code != 403 {
				t.Fatalf("attempt %d: %d", i+1, w.Code)
			}
		}
		for _, wait := range []int{10, 20, 40, 80, 160, 320, 640, 900, 900} {
			for _, remote := range []string{here, "[2001:db8::2]:7"} { // the same /64
				w := try(remote)
				if w.Code != 429 || w.Header().Get("Retry-After") != fmt.Sprint(wait) || !strings.Contains(w.Body.String(), "5 wrong tokens a minute") {
					t.Fatalf("it waits %s s, want %d: %d %s", w.Header().Get("Retry-After"), wait, w.Code, w.Body)
				}
			}
			if w := ask(g, "GET", "/?room=main", func(r *http.Request) { header("Authorization", "Bearer x")(r); r.RemoteAddr = here }); w.Code != 429 {
				t.Fatalf("by another way: %d", w.Code)
			}
			if w := ask(g, "GET", "/?room=main", func(r *http.Request) { header("Authorization", "Bearer "+boss)(r); r.RemoteAddr = here }); w.Code != 200 {
				t.Fatalf("a right token: %d", w.Code)
			}
			time.Sleep(time.Duration(wait) * time.Second)
		}
		if w := try(there); w.Code != 403 {
			t.Errorf("from elsewhere: %d", w.Code)
		}
		time.Sleep(time.Hour)
		if w := try(here); w.Code != 403 {
			t.Errorf("after a while: %d", w.Code)
		}
	})
}

// TestRates checks the limits of requests per address, per token and in total.
func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := webauth.New(webauth.Options{Limits: webauth.Limits{Rate: 50, AddressRate: 20}})
		defer g.Close()
		send := func(remote string) *httptest.ResponseRecorder {
			return ask(g, "GET", "/?room=main", func(r *http.Request) { r.RemoteAddr = remote })
		}
		many := func(remote string, n int) (passed int, last *httptest.ResponseRecorder) {
			for range n {
				if last = send(remote); last.Code == 200 {
					passed++
				}
			}
			return passed, last
		}
		n, last := many("192.0.2.1:1", 30)
		if n != 20 || last.Code != 429 || last.Header().Get("Retry-After") != "1" || !strings.Contains(last.Body.String(), `"limit":20`) {
			t.Errorf("%d of an address pass, want 20; the last is %d %s", n, last.Code, last.Body)
		}
		if n, _ := many("192.0.2.2:1", 20); n != 20 {
			t.Errorf("%d of another address pass, want 20", n)
		}
		n, last = many("127.0.0.1:1", 30)
		if n != 10 || !strings.Contains(last.Body.String(), "50 requests a second from this server") {
			t.Errorf("%d of loopback pass, want the 10 that are left of all: %s", n, last.Body)
		}
		time.Sleep(time.Second)
		if n, _ = many("127.0.0.1:1", 60); n != 50 {
			t.Errorf("%d of loopback pass a second later, want 50", n)
		}
		if got := g.Counts().Rates; got != 40 {
			t.Errorf("%d are counted as too many, want 40", got)
		}
		time.Sleep(time.Second)
		var ctx context.Context
		h := g.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { ctx = r.Context() }))
		r := httptest.NewRequest("GET", "http://localhost/", nil)
		h.ServeHTTP(httptest.NewRecorder(), r)
		passed := 0
		for range 30 {
			if webauth.CountRequests(ctx, 1) == nil {
				passed++
			}
		}
		if passed != 19 {
			t.Errorf("%d messages pass after a request, want 19", passed)
		}
		for _, c := range []struct {
			wait   time.Duration
			n      int
			passes bool
		}{{time.Second, 15, true}, {0, 15, false}, {0, 5, true}, {0, 1, false}, {time.Second, 1000, true}, {0, 1, false}, {0, 0, true}} {
			time.Sleep(c.wait)
			if err := webauth.CountRequests(ctx, c.n); (err == nil) != c.passes {
				t.Errorf("%d at once: %v, want it to pass: %v", c.n, err, c.passes)
			}
		}
		// The map of addresses stays bounded.
		for i := range 20_000 {
			send(fmt.Sprintf("10.0.%d.%d:1", i/250, i%250))
		}
	})
}
