package service_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/service"
	"voicepool/cmd/internal/serve/webauth"
)

// TestErrorPages checks that a browser gets each error as a page, and programs get JSON at the same
// address. It tries all routes and other addresses with each method, with and without a token, and
// with good and bad names.
func TestErrorPages(t *testing.T) {
	s, _ := guarded(t, webauth.Options{Loopback: true, Tokens: tokens(t, "admin "+tokenA+"\nread-only "+tokenB+" foyer\n")})
	targets := map[string]bool{"/nothing": true, "/v1": true, "/v1/nothing": true, "/board/nothing.js": true, "/favicon.ico": true, "/%00": true}
	names := regexp.MustCompile(`\{[a-z]+\}`)
	for _, pattern := range service.Patterns() {
		_, path, _ := strings.Cut(pattern, " ")
		for _, room := range []string{"main", "mian"} {
			target := names.ReplaceAllString(strings.Replace(path, "{room}", room, 1), "x")
			targets[target], targets[target+"?nonsense=1"] = true, true
		}
	}
	client := s.web.Client()
	ask := func(method, target, token, accept string) (int, string, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, s.web.URL+target, strings.NewReader("nonsense"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Body.Close()
		if w.StatusCode < 400 { // it may be an endless stream
			return w.StatusCode, "", ""
		}
		text, err := io.ReadAll(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		return w.StatusCode, w.Header.Get("Content-Type"), string(text)
	}
	pages := 0
	for target := range targets {
		for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
			for _, token := range []string{"", tokenA, tokenB} {
				if token == tokenA && method != "GET" && !strings.Contains(target, "nonsense") {
					continue // an admin changes the room
				}
				status, kind, text := ask(method, target, token, "text/html,application/xhtml+xml,*/*;q=0.8")
				if status < 400 {
					continue
				}
				pages++
				if kind != "text/html; charset=utf-8" || !strings.Contains(text, `role="alert"`) {
					t.Errorf("%s %s: a browser gets %d as %s: %s", method, target, status, kind, text)
				}
				if again, kind, text := ask(method, target, token, "*/*"); again != status || kind != "application/problem+json" {
					t.Errorf("%s %s: a program gets %d as %s, and a browser %d: %s", method, target, again, kind, status, text)
				}
			}
		}
	}
	if pages < 300 {
		t.Errorf("only %d errors were seen", pages)
	}
}

// TestTimelinePolicy checks the policy of the timeline behind a guard. It must permit the page's
// inline style and script, which the guard's policy forbids.
func TestTimelinePolicy(t *testing.T) {
	s, _ := guarded(t, webauth.Options{Loopback: true})
	page := s.ask("GET /v1/rooms/main/timeline.html", "")
	policy := page.header.Values("Content-Security-Policy")
	if len(policy) != 1 || strings.Contains(policy[0], "unsafe") {
		t.Fatalf("the policy is %q", policy)
	}
	for tag, directive := range map[string]string{"style": "style-src", "script": "script-src"} {
		inside := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllSubmatch(page.body, -1)
		if len(inside) != 1 {
			t.Fatalf("the page has %d of <%s>, want one", len(inside), tag)
		}
		sum := sha256.Sum256(inside[0][1])
		if want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy[0], want) {
			t.Errorf("the policy %s does not have %s", policy[0], want)
		}
	}
	if attribute := regexp.MustCompile(`<[^>]*\s(style|on[a-z]+)=`).Find(page.body); attribute != nil {
		t.Errorf("the page has %s, which the policy forbids", attribute)
	}
}
