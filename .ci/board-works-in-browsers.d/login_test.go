package board

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	operator = "operator-0123456789abcdef"
	admin    = "admin-0123456789abcdef"
)

const (
	onBoard = `document.body?.dataset.link === 'open'`
	onLogin = `document.getElementById('login') && document.readyState === 'complete'`
)

// guardedServer starts a server with tokens that keeps its state in a folder. The default sheet is show.
func guardedServer(t *testing.T, program, listen, state, tokens string, sheet ...string) *server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(file, []byte(tokens), 0o600); err != nil {
		t.Fatal(err)
	}
	if sheet == nil {
		sheet = show
	}
	return serve(t, program, listen, append([]string{"--token-file", file, "--state", state}, sheet...)...)
}

// listenOf returns a server's listen address.
func listenOf(s *server) string {
	return strings.TrimSuffix(strings.TrimPrefix(s.address, "http://"), "/")
}

// logIn submits the form of the login page.
func logIn(tab tab, token string) {
	tab.write("#token", token)
	tab.press("#login")
}

// TestLogin logs in and out in Chromium and in Firefox. It checks the errors of wrong tokens and a login that
// survives a restart. An expired session and a removed token lead to the login page.
func TestLogin(t *testing.T) {
	program := build(t)
	inBrowsers(t, func(t *testing.T, tab tab) {
		const both = "admin " + admin + "\noperator " + operator + "\n"
		state := t.TempDir()
		s := guardedServer(t, program, "127.0.0.1:0", state, both)
		listen := listenOf(s)

		// A wrong token, and then the right one, which leads to the board of the requested room.
		tab.visit(s.address + "?room=main")
		until(t, tab, onLogin)
		logIn(tab, "wrong-0123456789abcdef")
		until(t, tab, onLogin+` && document.querySelector('[role="alert"]')?.textContent === 'This token is unknown or has expired.'`)
		logIn(tab, operator)
		until(t, tab, onBoard+` && location.search === '?room=main'`)
		until(t, tab, `document.getElementById('logout').checkVisibility()`)

		// The operator can play.
		tab.press("#go")
		until(t, tab, `document.getElementById('playing').textContent !== '0'`)

		// After logging out, the board is closed.
		tab.press("#logout")
		until(t, tab, onLogin)
		tab.visit(s.address)
		until(t, tab, onLogin)

		// A restart after kill -9 right after the login.
		logIn(tab, operator)
		until(t, tab, onBoard)
		s.kill()
		until(t, tab, `document.body?.dataset.link === 'lost'`)
		s = guardedServer(t, program, listen, state, both)
		until(t, tab, onBoard)
		tab.visit(s.address)
		until(t, tab, onBoard)

		// The session expires while the board is open; the page goes to the login page by itself.
		s.kill()
		expireIn(t, filepath.Join(state, "sessions.json"), 4*time.Second)
		s = guardedServer(t, program, listen, state, both)
		until(t, tab, onLogin)
		s.kill()
		s = guardedServer(t, program, listen, state, both)
		tab.visit(s.address)
		until(t, tab, onLogin)

		// The token is removed while the server is down.
		logIn(tab, operator)
		until(t, tab, onBoard)
		s.kill()
		s = guardedServer(t, program, listen, state, "admin "+admin+"\n")
		until(t, tab, onLogin)
		s.kill()
		s = guardedServer(t, program, listen, state, both)
		tab.visit(s.address)
		until(t, tab, onLogin)

		// Too many wrong tokens.
		for range 6 {
			logIn(tab, "wrong-0123456789abcdef")
			until(t, tab, onLogin+` && document.querySelector('[role="alert"]') && !document.getElementById('token').value`)
		}
		until(t, tab, `document.querySelector('[role="alert"]').textContent.includes('more than 5 wrong tokens a minute')`)
	})
}

// expireIn makes all sessions in a state file expire after a time.
func expireIn(t *testing.T, file string, after time.Duration) {
	t.Helper()
	text, err := os.ReadFile(file)
	var kept map[string]any
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range kept["sessions"].([]any) {
		one.(map[string]any)["until"] = time.Now().Add(after)
	}
	if text, err = json.Marshal(kept); err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestErrorPages checks that addresses opened in a browser show an HTML page, also for errors.
func TestErrorPages(t *testing.T) {
	program := build(t)
	inBrowsers(t, func(t *testing.T, tab tab) {
		s := guardedServer(t, program, "127.0.0.1:0", t.TempDir(), "operator "+operator+"\n")
		see := func(path, says string) {
			t.Helper()
			tab.visit(s.address + path)
			until(t, tab, fmt.Sprintf(`document.querySelector('main > [role="alert"]')?.textContent.includes(%q) && !document.body.textContent.includes('about:blank')`, says))
		}
		see("v1/rooms/main/timeline.html", "token is needed")
		see("login?key=nonsense", "This link has been used")
		tab.visit(s.address + "v1/rooms/main/timeline.html")
		tab.press(`a[href^="/login"]`)
		until(t, tab, onLogin)
		logIn(tab, operator)
		until(t, tab, `location.pathname === '/v1/rooms/main/timeline.html' && !document.getElementById('title').textContent.includes('reading')`)
		see("v1/rooms/nowhere/timeline.html", "nowhere")
		see("nothing", "Unknown path")
		see("v1/rooms/main/explain/77", "77")
		see("v1/rooms?nonsense=1", "nonsense")
	})
}
