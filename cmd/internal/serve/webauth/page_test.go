package webauth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/pipenet"
	"voicepool/cmd/internal/serve/webauth"
)

// browserAccepts is the Accept header of Chromium and Firefox for a page.
const browserAccepts = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

// isPage checks that a browser gets an error as a page, with the same sentence as the JSON for
// programs.
func isPage(t *testing.T, name string, page, program *httptest.ResponseRecorder) {
	t.Helper()
	if kind := page.Header().Get("Content-Type"); page.Code < 400 || kind != "text/html; charset=utf-8" {
		t.Errorf("%s: a browser is answered with %d as %s: %s", name, page.Code, kind, page.Body)
		return
	}
	text := page.Body.String()
	if !strings.Contains(text, "<!doctype html>") || !strings.Contains(text, `role="alert"`) || strings.Contains(text, "about:blank") {
		t.Errorf("%s: the page is %s", name, text)
	}
	for _, h := range []string{"Content-Security-Policy", "Referrer-Policy"} {
		if page.Header().Get(h) == "" {
			t.Errorf("%s: the page has no %s", name, h)
		}
	}
	if length := page.Header().Get("Content-Length"); length != "" {
		t.Errorf("%s: the page has the length %s of the JSON", name, length)
	}
	if program == nil {
		return
	}
	var problem struct{ Detail string }
	if err := json.Unmarshal(program.Body.Bytes(), &problem); err != nil || program.Header().Get("Content-Type") != "application/problem+json" || program.Code != page.Code {
		t.Errorf("%s: a program is answered with %d %s", name, program.Code, program.Body)
	}
	if said := strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&amp;", "&").Replace(text); !strings.Contains(said, problem.Detail[1:]) {
		t.Errorf("%s: the page does not say %q: %s", name, problem.Detail, text)
	}
	if after := program.Header().Get("Retry-After"); after != "" && !strings.Contains(text, after+" s.") {
		t.Errorf("%s: the page does not say to wait for %s s: %s", name, after, text)
	}
}

// TestErrorsArePages checks that browsers get errors as pages, and programs and scripts get JSON.
func TestErrorsArePages(t *testing.T) {
	g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile)})
	defer g.Close()
	asked := 0
	for name, c := range map[string]struct {
		method, target string
		values         []string
	}{
		"no token":       {"GET", "/?room=main", nil},
		"wrong token":    {"GET", "/?room=main", []string{"Authorization", "Bearer nonsense-0123456789"}},
		"wrong scheme":   {"GET", "/?room=main", []string{"Authorization", "Basic eDp5"}},
		"foreign host":   {"GET", "/", []string{"Host", "evil.example"}},
		"foreign login":  {"POST", "/login", []string{"Origin", "http://evil.example"}},
		"foreign logout": {"POST", "/logout", []string{"Origin", "null"}},
		"foreign form":   {"POST", "/logout", []string{"Sec-Fetch-Site", "cross-site"}},
		"wrong link":     {"POST", "/v1/login-links", []string{"Origin", "http://localhost:7700"}},
	} {
		page := ask(g, c.method, c.target, header(append(c.values, "Accept", browserAccepts)...))
		for _, accept := range []string{"", "*/*", "application/json", "application/problem+json, text/html;q=0.5"} {
			isPage(t, name, page, ask(g, c.method, c.target, func(r *http.Request) {
				header(c.values...)(r)
				if accept != "" {
					r.Header.Set("Accept", accept)
				}
				asked++
				r.RemoteAddr = fmt.Sprintf("198.51.100.%d:1", asked) // wrong tokens block their address
			}))
		}
	}
	if w := ask(g, "GET", "/?room=main&x=%22", header("Accept", browserAccepts)); !strings.Contains(w.Body.String(), `href="/login?next=%2F%3Froom%3Dmain%26x%3D%2522"`) {
		t.Errorf("the page does not lead to the login and back: %s", w.Body)
	}
	if w := ask(g, "GET", "/?room=main", header("Accept", browserAccepts, "Upgrade", "websocket")); strings.Contains(w.Body.String(), "<!doctype") {
		t.Error("a WebSocket is refused with a page")
	}
}

// TestLoginPages checks that each failed login shows the login page with a message and keeps the
// redirect target.
func TestLoginPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := webauth.New(webauth.Options{Tokens: tokens(t, tokenFile)})
		defer g.Close()
		isLogin := func(name string, w *httptest.ResponseRecorder, status int) {
			t.Helper()
			text := w.Body.String()
			if w.Code != status || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(text, `name="token"`) || !strings.Contains(text, `role="alert"`) {
				t.Errorf("%s: %d %s", name, w.Code, text)
			}
			if name != "a large form" && !strings.Contains(text, `name="next" value="/?room=foyer"`) {
				t.Errorf("%s: the page has lost where it leads to: %s", name, text)
			}
			if policy := w.Header().Get("Referrer-Policy"); policy == "no-referrer" || policy == "" {
				t.Errorf("%s: browsers send the form with \"Origin: null\" for the policy %q", name, policy)
			}
		}
		isLogin("a large form", ask(g, "POST", "/login", form(strings.Repeat("x", 5000))), 400)
		isLogin("a used link", ask(g, "GET", "/login?key=nonsense&next=/%3Froom=foyer", nil), 403)
		for range 4 {
			isLogin("a wrong token", ask(g, "POST", "/login", form("nonsense-0123456789", "next", "/?room=foyer")), 403)
		}
		for range 2 {
			isLogin("too many tokens", ask(g, "POST", "/login", form("nonsense-0123456789", "next", "/?room=foyer")), 429)
			isLogin("too many links", ask(g, "GET", "/login?key=nonsense&next=/%3Froom=foyer", nil), 429)
		}
		time.Sleep(time.Hour)
		w := ask(g, "POST", "/login", form(stage, "next", "/?room=foyer"))
		if to := w.Header().Get("Location"); w.Code != 303 || to != "/?room=foyer" {
			t.Errorf("a right token leads to %d %s", w.Code, to)
		}
		session := cookie(t, w)
		if w := ask(g, "GET", "/login", header("Cookie", session)); !strings.Contains(w.Body.String(), `action="/logout"`) || !strings.Contains(w.Body.String(), "role operator") {
			t.Errorf("a browser that is logged in sees %s", w.Body)
		}
		for _, c := range []struct{ cookie, want string }{{session, "operator"}, {"voicepool=x", ""}, {"", ""}} {
			if got := ask(g, "GET", "/?room=main", header("Cookie", c.cookie)).Header().Get("Voicepool-Session"); got != c.want {
				t.Errorf("the session is said to be %q, want %q", got, c.want)
			}
		}
	})
}

// TestRefusedPages checks that refused rates and connections show a page, too.
func TestRefusedPages(t *testing.T) { inBubble(t, testRefusedPages) }

func testRefusedPages(t *testing.T, n *pipenet.Network) {
	g := webauth.New(webauth.Options{Loopback: true, Limits: webauth.Limits{AddressRate: 1, Connections: 1}})
	full := func(accept string) *httptest.ResponseRecorder {
		for {
			if w := ask(g, "GET", "/", header("Accept", accept)); w.Code == 429 {
				return w
			}
		}
	}
	isPage(t, "rate", full(browserAccepts), full("*/*"))

	d := serveOn(t, g, n)
	first := dial(t, d)
	io.WriteString(first, "GET / HTTP/1.1\r\n") // the only permitted connection
	for accept, kind := range map[string]string{browserAccepts: "text/html; charset=utf-8", "*/*": "application/problem+json"} {
		r, err := http.NewRequest("GET", "http://localhost/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		w, err := client(d).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(w.Body)
		w.Body.Close()
		if w.StatusCode != 503 || w.Header.Get("Content-Type") != kind || err != nil || !strings.Contains(string(text), "he server has its 1 connections") {
			t.Errorf("with Accept %s: %d %s %s, %v", accept, w.StatusCode, w.Header.Get("Content-Type"), text, err)
		}
	}
	first.Close()
}

// TestPagesPass checks that answers without an error, and other kinds of errors, pass unchanged, as
// do flushing and deadlines.
func TestPagesPass(t *testing.T) {
	g := webauth.New(webauth.Options{Loopback: true})
	defer g.Close()
	for _, kind := range []string{"text/plain", "application/json", "application/problem+json"} {
		for _, status := range []int{0, 200, 206, 304, 307, 404, 500} {
			text := `{"detail":"it is so"}`
			h := g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", kind)
				if status != 0 {
					w.WriteHeader(status)
				}
				fmt.Fprint(w, text)
				if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
					t.Error(err)
				}
			}))
			r := httptest.NewRequest("GET", "http://localhost/", nil)
			r.Header.Set("Accept", browserAccepts)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if status >= 400 && kind == "application/problem+json" {
				isPage(t, "a problem that is flushed", w, nil)
				if w.Code != status {
					t.Errorf("%d arrives as %d", status, w.Code)
				}
				continue
			}
			if got := max(status, 200); w.Code != got || w.Body.String() != text || w.Header().Get("Content-Type") != kind {
				t.Errorf("%d %s: it arrives as %d %s %s", status, kind, w.Code, w.Header().Get("Content-Type"), w.Body)
			}
		}
	}
}
