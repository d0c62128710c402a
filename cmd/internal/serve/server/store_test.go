package server

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/webauth"
)

func snapshot(name string) *room.Snapshot {
	return &room.Snapshot{
		Room: name, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Frame: 48000, Text: "voices: 4\n", Scene: "storm", Standby: "2",
		Buses: []room.ChangedBus{{Bus: room.Bus{Bus: "sfx", Gain: -6, Peak: -120}}},
		Loops: []room.Loop{{Order: room.PlayRequest{Sound: "rain"}, Position: 1.5, Gain: -3}, {Order: room.PlayRequest{Sound: "wind"}, Position: 2.5, Paused: true}},
	}
}

// given returns a function that returns a snapshot, for store.save.
func given(s *room.Snapshot, sheet string) func() (*room.Snapshot, string) {
	return func() (*room.Snapshot, string) { return s, sheet }
}

func newStore(t *testing.T, folder string) (*store, *[]string) {
	t.Helper()
	said := &[]string{}
	s, err := openStore(folder, func(line string) { *said = append(*said, line) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s, said
}

// TestStore checks that stored state is loaded again, and written only after a change.
func TestStore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "state")
	s, said := newStore(t, folder)
	if k, err := s.load("main"); k != nil || err != nil {
		t.Fatalf("there is %v, %v at the beginning", k, err)
	}
	want := snapshot("main")
	if err := s.save("main", given(want, "abc")); err != nil {
		t.Fatal(err)
	}
	got, err := s.load("main")
	if err != nil || !reflect.DeepEqual(got, &storedRoom{stateVersion, "abc", want}) {
		t.Fatalf("it is read as %+v, %v", got, err)
	}
	path := filepath.Join(folder, "rooms", "main.json")
	write := func(change func(*room.Snapshot)) bool {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		next := snapshot("main")
		change(next)
		if err := s.save("main", given(next, "abc")); err != nil {
			t.Fatal(err)
		}
		_, err := os.Stat(path)
		if err != nil {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return err == nil
	}
	for _, c := range []struct {
		name   string
		change func(*room.Snapshot)
		want   bool
	}{
		{"nothing", func(*room.Snapshot) {}, false},
		{"time", func(n *room.Snapshot) { n.Time, n.Frame = n.Time.Add(time.Hour), 7 }, false},
		{"a loop goes on", func(n *room.Snapshot) { n.Loops[0].Position = 1.7 }, false},
		{"a gain", func(n *room.Snapshot) { n.Loops[0].Gain = -4 }, true},
		{"the same again", func(n *room.Snapshot) { n.Loops[0].Gain = -4 }, false},
		{"a paused loop is moved", func(n *room.Snapshot) { n.Loops[1].Position = 3 }, true},
		{"standby", func(n *room.Snapshot) { n.Standby = "3" }, true},
	} {
		if got := write(c.change); got != c.want {
			t.Errorf("%s: written %v, want %v", c.name, got, c.want)
		}
	}
	if folder, err := s.sounds("main"); err != nil || folder != filepath.Join(s.folder, "sounds", "main") {
		t.Errorf("its sounds lie in %s, %v", folder, err)
	}
	if got := s.names(); !reflect.DeepEqual(got, []string{"main"}) {
		t.Errorf("there are %v", got)
	}
	if err := s.forget("main"); err != nil {
		t.Error(err)
	}
	if err := s.forget("main"); err != nil {
		t.Errorf("a second time: %v", err)
	}
	if got := s.names(); len(got) > 0 {
		t.Errorf("there are %v after all is forgotten", got)
	}
	files := 0
	filepath.WalkDir(folder, func(_ string, d os.DirEntry, _ error) error {
		if !d.IsDir() {
			files++
		}
		return nil
	})
	if files != 1 || len(*said) > 0 {
		t.Errorf("%d files are left, want the lock alone; it says %q", files, *said)
	}
}

// TestBroken checks that unreadable files are renamed, and that newer files stay.
func TestBroken(t *testing.T) {
	for _, c := range []struct{ name, text, said, err string }{
		{name: "empty", said: "is damaged"},
		{name: "cut", text: `{"version":1,"snapsh`, said: "is damaged"},
		{name: "another room", text: `{"version":1,"snapshot":{"room":"other"}}`, said: "is damaged"},
		{name: "no snapshot", text: `{"version":1}`, said: "is damaged"},
		{name: "no version", text: `{"snapshot":{"room":"main"}}`, said: "is damaged"},
		{name: "types", text: `{"version":1,"snapshot":{"room":"main","frame":"x"}}`, said: "is damaged"},
		{name: "newer", text: `{"version":2,"snapshot":{"room":"main"},"more":[1]}`, err: "was written by a newer voicepool (version 2 of the state; this program reads version 1): use that program, or another --state"},
		{name: "newer with other types", text: `{"version":3,"snapshot":[],"sheet":{}}`, err: "was written by a newer voicepool (version 3 of the state; this program reads version 1): use that program, or another --state"},
	} {
		s, said := newStore(t, t.TempDir())
		if err := os.WriteFile(s.file("main"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		k, err := s.load("main")
		if k != nil || c.err == "" && err != nil || c.err != "" && (err == nil || !strings.HasSuffix(err.Error(), c.err)) {
			t.Errorf("%s: %v, %v, want %q", c.name, k, err, c.err)
		}
		if c.said != "" && (len(*said) != 1 || !strings.Contains((*said)[0], c.said)) {
			t.Errorf("%s: it says %q", c.name, *said)
		}
		kept := s.file("main")
		if c.said != "" {
			kept += ".broken"
		}
		if text, err := os.ReadFile(kept); string(text) != c.text || err != nil {
			t.Errorf("%s: the file is %q, %v", c.name, text, err)
		}
		if c.said != "" && len(s.names()) != 0 {
			t.Errorf("%s: there are %v", c.name, s.names())
		}
	}
}

// TestOne checks that a folder is for one process.
func TestOne(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("nothing keeps others away here")
	}
	folder := t.TempDir()
	s, _ := newStore(t, folder)
	if _, err := openStore(folder, nil); err == nil || !strings.HasSuffix(err.Error(), "another voicepool serve uses it") {
		t.Errorf("a second one: %v", err)
	}
	s.close()
	again, err := openStore(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	again.close()
}

// TestNothingKept checks that a nil store does nothing without an error.
func TestNothingKept(t *testing.T) {
	var s *store
	if k, err := s.load("main"); k != nil || err != nil {
		t.Errorf("%v, %v", k, err)
	}
	if err := s.save("main", given(snapshot("main"), "")); err != nil || s.forget("main") != nil || s.names() != nil {
		t.Errorf("%v", err)
	}
	s.close()
}

// TestForgotten checks that writes during the end of a room do not bring its files back.
func TestForgotten(t *testing.T) {
	s, _ := newStore(t, t.TempDir())
	there := true
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				err := s.save("main", func() (*room.Snapshot, string) {
					if !there { // guarded by the store: forget waits for this function
						return nil, ""
					}
					return snapshot("main"), ""
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	w := s.entry("main")
	w.mutex.Lock()
	there = false
	w.mutex.Unlock()
	if err := s.forget("main"); err != nil {
		t.Error(err)
	}
	all.Wait()
	if got := s.names(); len(got) > 0 {
		t.Errorf("there are %v", got)
	}
}

// TestStoreNewerSessions checks that sessions of a newer program are an error and stay unchanged.
func TestStoreNewerSessions(t *testing.T) {
	for _, text := range []string{`{"version":2,"salt":null,"sessions":[]}`, `{"version":7,"salt":{"of":"ids"},"sessions":{}}`} {
		folder := t.TempDir()
		path := filepath.Join(folder, "sessions.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, said := newStore(t, folder)
		g := webauth.New(webauth.Options{})
		err := s.openSessions(g)
		if err == nil || !strings.Contains(err.Error(), "sessions.json: the sessions were written by a newer voicepool (version "+text[11:12]+" of the sessions; this program reads version 1): use that program, or another --state") {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text || len(*said) > 0 {
			t.Errorf("the file has %q, %v, and it says %q", got, err, *said)
		}
		g.Close()
		s.close()
	}
}

// TestStoreSessions checks that browser sessions are stored in a private file and restored. An
// unreadable file is renamed, and a failed write is logged.
func TestStoreSessions(t *testing.T) {
	tokens, err := webauth.ParseTokens("tokens", []byte("operator operator-0123456789abcdef\n"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "sessions.json")
	start := func() (*webauth.Guard, *[]string, func()) {
		t.Helper()
		s, said := newStore(t, folder)
		g := webauth.New(webauth.Options{Tokens: tokens})
		if err := s.openSessions(g); err != nil {
			t.Fatal(err)
		}
		return g, said, func() { g.Close(); s.close() }
	}
	login := func(g *webauth.Guard) {
		t.Helper()
		r := httptest.NewRequest("POST", "http://localhost/login", strings.NewReader("token=operator-0123456789abcdef"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		if g.Wrap(http.NotFoundHandler()).ServeHTTP(w, r); w.Code != http.StatusSeeOther {
			t.Fatalf("the login is answered with %d %s", w.Code, w.Body)
		}
	}
	for restart := range 3 {
		g, said, end := start()
		if n := g.Counts().Sessions; n != restart || len(*said) > 0 {
			t.Errorf("after %d restarts there are %d sessions, and it says %q", restart, n, *said)
		}
		login(g)
		end()
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	g, said, end := start()
	if len(*said) != 1 || !strings.Contains((*said)[0], "all browsers have to log in again") {
		t.Errorf("of a broken file it says %q", *said)
	}
	if _, err := os.Stat(path + ".broken"); err != nil {
		t.Error(err)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
		t.Fatal(err)
	}
	login(g)
	if len(*said) != 2 || !strings.Contains((*said)[1], "sessions of browsers cannot be saved: is a directory") {
		t.Errorf("of a file that cannot be written it says %q", *said)
	}
	end()
}
