package board_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/board"
)

func get(method, target, match string) *http.Response {
	q := httptest.NewRequest(method, target, nil)
	if match != "" {
		q.Header.Set("If-None-Match", match)
	}
	w := httptest.NewRecorder()
	board.Handler().ServeHTTP(w, q)
	return w.Result()
}

// TestPage checks that the page has its policy, and that browsers can cache it.
func TestPage(t *testing.T) {
	r := get("GET", "/", "")
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/html; charset=utf-8" || r.Header.Get("Content-Security-Policy") != board.Policy {
		t.Fatalf("the page is answered with %d and %v", r.StatusCode, r.Header)
	}
	tag := r.Header.Get("ETag")
	if again := get("GET", "/", tag); again.StatusCode != http.StatusNotModified {
		t.Errorf("with its tag %s it is answered with %d, want 304", tag, again.StatusCode)
	}
	for _, test := range []struct {
		method, target string
		want           int
	}{
		{"HEAD", "/", 200}, {"GET", "/board/main.js", 200}, {"POST", "/", 405}, {"GET", "/board/", 404},
		{"GET", "/board/index.html", 404}, {"GET", "/board/../board.go", 404}, {"GET", "/favicon.ico", 404},
	} {
		got := get(test.method, test.target, "")
		if got.StatusCode != test.want {
			t.Errorf("%s %s is answered with %d, want %d", test.method, test.target, got.StatusCode, test.want)
		}
		if kind := got.Header.Get("Content-Type"); (kind == "application/problem+json") != (test.want >= 400) {
			t.Errorf("%s %s is answered with %d as %s", test.method, test.target, got.StatusCode, kind)
		}
	}
}

// TestFiles checks that each file has the right type, refers to existing files, and has no inline
// code.
func TestFiles(t *testing.T) {
	kinds := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".html": "text/html; charset=utf-8"}
	refers := regexp.MustCompile(`(?:from '\./|["']board/)([a-z]+\.[a-z]+)["']`)
	inline := regexp.MustCompile(`<script(?:[^>]*)>[^<]|<style|\sstyle=|\son[a-z]+=|https?://[^w]|innerHTML`)
	folder := os.DirFS("static")
	files, err := fs.ReadDir(folder, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := fs.ReadFile(folder, f.Name())
		if err != nil {
			t.Fatal(err)
		}
		target := "/board/" + f.Name()
		if f.Name() == "index.html" {
			target = "/"
		}
		r := get("GET", target, "")
		if got, want := r.Header.Get("Content-Type"), kinds[path.Ext(f.Name())]; r.StatusCode != 200 || got != want {
			t.Errorf("%s is answered with %d as %q, want %q", f.Name(), r.StatusCode, got, want)
		}
		for _, m := range refers.FindAllStringSubmatch(string(text), -1) {
			if _, err := fs.Stat(folder, m[1]); err != nil {
				t.Errorf("%s refers to %s: %v", f.Name(), m[1], err)
			}
		}
		if bad := inline.FindString(string(text)); bad != "" {
			t.Errorf("%s has %q, which the policy forbids", f.Name(), bad)
		}
		if lines := strings.Count(string(text), "\n"); lines > 300 {
			t.Errorf("%s has %d lines, want 300 at most", f.Name(), lines)
		}
	}
}
