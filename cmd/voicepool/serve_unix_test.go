//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// served is a serving process.
type served struct {
	t       *testing.T
	command *exec.Cmd
	url     string // of the board, without the slash
	link    string // login link; empty without one
	ended   chan error
	mutex   sync.Mutex
	said    bytes.Buffer // on standard error
}

func (s *served) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.said.Write(p)
}

// log returns its standard error.
func (s *served) log() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.said.String()
}

// startServer starts a server on a free port, and waits until it prints the URL of the board.
func startServer(t *testing.T, environment []string, args ...string) *served {
	t.Helper()
	s := &served{t: t, ended: make(chan error, 1)}
	s.command = exec.Command("voicepool", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	s.command.Env = append(append(os.Environ(), "PULSE_SERVER=", "XDG_RUNTIME_DIR=", "GORACE=atexit_sleep_ms=0"), environment...)
	s.command.Stderr = s
	out, err := s.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.command.Process.Kill()
		select {
		case <-s.ended:
		case <-time.After(hangs):
			t.Error("it does not end")
		}
	})
	found := make(chan bool, 1)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if link, ok := strings.CutPrefix(lines.Text(), "log in once, within an hour: "); ok {
				s.link = link
			}
			if board, ok := strings.CutPrefix(lines.Text(), "the board: "); ok {
				s.url = strings.TrimSuffix(board, "/")
				found <- true
			}
		}
		s.ended <- s.command.Wait()
		close(s.ended)
		close(found)
	}()
	select {
	case ok := <-found:
		if !ok {
			t.Fatalf("it has ended: %s", s.log())
		}
	case <-time.After(hangs):
		t.Fatalf("it says nothing: %s", s.log())
	}
	return s
}

// end sends a signal, and returns the exit code and the duration of the shutdown.
func (s *served) end(signal os.Signal) (code int, took time.Duration) {
	s.t.Helper()
	begin := time.Now()
	if err := s.command.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.ended:
	case <-time.After(hangs):
		s.t.Fatalf("it does not end: %s", s.log())
	}
	return s.command.ProcessState.ExitCode(), time.Since(begin)
}

// ask makes a request with an optional token, and returns the status and the body.
func (s *served) ask(method, path, token, body string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if method == "PUT" {
		r.Header.Set("Content-Type", "application/yaml")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := (&http.Client{Timeout: hangs}).Do(r)
	if err != nil {
		s.t.Fatalf("%v; it said %s", err, s.log())
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// want makes a request, and fails if the answer is different.
func (s *served) want(method, path, token, body string, status int, part string) {
	s.t.Helper()
	if got, text := s.ask(method, path, token, body); got != status || !strings.Contains(text, part) {
		s.t.Errorf("%s %s: %d %s, want %d with %s", method, path, got, text, status, part)
	}
}

// until waits for a condition.
func (s *served) until(what string, so func() bool) {
	s.t.Helper()
	for end := time.Now().Add(hangs); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%s: not within %v; it said %s", what, hangs, s.log())
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestServe checks that a server with the embedded sounds starts, plays, and shuts down in order.
func TestServe(t *testing.T) {
	t.Parallel()
	// Child processes would inherit ignored signals, for example in the background.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	for signal, want := range map[os.Signal]int{syscall.SIGTERM: 0, os.Interrupt: 130} {
		s := startServer(t, nil, "--device", "none")
		s.want("GET", "/healthz", "", "", 200, "ok")
		s.want("GET", "/readyz", "", "", 200, "ok")
		s.want("GET", "/", "", "", 200, "<html")
		s.want("POST", "/v1/rooms/main/play", "", `{"sound":"theme","loop":true}`, 201, `"state":"playing"`)
		if s.link != "" || s.log() != "" {
			t.Errorf("without tokens it says %q, and has the link %q", s.log(), s.link)
		}
		second := exec.Command("voicepool", "serve", "--listen", strings.TrimPrefix(s.url, "http://"), "--device", "none")
		text, err := second.CombinedOutput()
		if err == nil || !strings.Contains(string(text), "is in use by another voicepool serve or another program; choose another port") || strings.Count(string(text), "\n") != 1 {
			t.Errorf("a second one says %q, %v", text, err)
		}
		code, took := s.end(signal)
		if code != want || s.log() != "" {
			t.Errorf("%v: it ends with %d, want %d, and says %q", signal, code, want, s.log())
		}
		t.Logf("%v: it ended within %v", signal, took)
	}
}

// TestServeTokens checks that calls need a token, and that neither tokens nor login links are
// written to a file.
func TestServeTokens(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	tokens := filepath.Join(folder, "tokens")
	write(t, tokens, "operator stage-0123456789abcdef main # stage\n")
	s := startServer(t, nil, "--device", "none", "--token-file", tokens)
	s.want("GET", "/v1/rooms/main/state", "", "", 401, "a token is needed")
	s.want("GET", "/v1/rooms/main/state", "stage-0123456789abcdef", "", 200, `"room":"main"`)
	s.want("PUT", "/v1/rooms/side", "stage-0123456789abcdef", "voices: 2", 403, "this needs the role admin")
	if s.link != "" {
		t.Errorf("a link by which an admin logs in is in a file: %s", s.link)
	}
	if strings.Contains(s.log(), "stage-") {
		t.Errorf("it says a token: %s", s.log())
	}
}

// TestServeReload checks that SIGHUP reloads the configuration and the tokens, and that an invalid file has no effect.
func TestServeReload(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	const admin, old, later = "admin-0123456789abcdef", "old-0123456789abcdef", "later-0123456789abcdef"
	write(t, in("tokens"), "admin "+admin+"\noperator "+old+"\n")
	write(t, in("one.yaml"), "voices: 3\n")
	write(t, in("c.yaml"), "tokens: tokens\nrooms:\n  one: {sheet: one.yaml}\n  two: {voices: 4}\n")
	s := startServer(t, nil, "--config", in("c.yaml"))
	rooms := func() string {
		var answer struct {
			Rooms []struct {
				Room   string
				Voices int
			}
		}
		_, text := s.ask("GET", "/v1/rooms", admin, "")
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return fmt.Sprint(answer.Rooms)
	}
	if got := rooms(); !strings.HasPrefix(got, "[{one 3} {two ") {
		t.Fatalf("there are %s", got)
	}
	reload := func(said string) {
		t.Helper()
		before := len(s.log())
		if err := s.command.Process.Signal(hangUp); err != nil {
			t.Fatal(err)
		}
		s.until("it says "+said, func() bool { return strings.Contains(s.log()[before:], said) })
	}
	write(t, in("c.yaml"), "tokens: tokens\nroms: {}\n")
	reload(`c.yaml:2:1: unknown key "roms"`)
	s.want("GET", "/v1/rooms/one/state", old, "", 200, `"room":"one"`)
	write(t, in("c.yaml"), "tokens: tokens\nrooms:\n  one: {sheet: one.yaml}\n  three: {voices: 7}\n")
	write(t, in("tokens"), "nonsense\n")
	reload("tokens:1: a line has one word (want ROLE TOKEN ")
	s.want("GET", "/v1/rooms/two/state", old, "", 200, `"room":"two"`)
	write(t, in("tokens"), "admin "+admin+"\nread-only "+later+"\n")
	reload("the configuration is reloaded")
	if got := rooms(); !strings.HasPrefix(got, "[{one 3} {three 7}]") {
		t.Errorf("then there are %s", got)
	}
	s.want("GET", "/v1/rooms/one/state", old, "", 401, "unknown or expired token")
	s.want("GET", "/v1/rooms/one/state", later, "", 200, `"room":"one"`)
	s.want("POST", "/v1/rooms/one/panic", later, "", 403, "this needs the role operator")
	// The sheet of a playing room is reloaded, too, with keys that once overflowed a table of the
	// parser.
	write(t, in("one.yaml"), "voices: 5\nsounds: {bell: {}}\nlist:\n  - {cue: 1, play: bell, voices: 2}\n")
	reload("one.yaml:4:")
	s.want("GET", "/v1/rooms/one/state", later, "", 200, `"room":"one"`)
	write(t, in("one.yaml"), "voices: 5\nsounds: {bell: {}}\nlist:\n  - {cue: 1, play: bell, width: 0.5, up: 2}\n  - {cue: 2, duck: master, by: 6, release: 2s}\n")
	reload("the configuration is reloaded")
	s.want("GET", "/v1/rooms/one/state", later, "", 200, `"room":"one"`)
	if strings.Contains(s.log(), "-0123456789abcdef") {
		t.Errorf("it says a token: %s", s.log())
	}
	if code, _ := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("it ends with %d: %s", code, s.log())
	}
}

// killed is a show whose properties all change before its server is killed.
const killed = `buses: {sfx: {}, music: {}}
sounds: {wind: {loop: true, bus: music}}
scenes: {quiet: {buses: {music: {gain: -20}}}}
list:
  - {cue: 1, play: wind, id: go}
  - {cue: 2, play: wind}
  - {cue: 3, play: wind}
`

// TestServeKilled checks that stored state survives kill -9.
func TestServeKilled(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	state := filepath.Join(folder, "state")
	s := startServer(t, nil, "--device", "none", "--state", state)
	s.want("PUT", "/v1/rooms/side", "", "voices: 5\nbuses: {sfx: {}}\n", 201, `"room":"side"`)
	s.want("PUT", "/v1/rooms/gone", "", "voices: 6\n", 201, `"room":"gone"`)
	s.want("PATCH", "/v1/rooms/side/buses/sfx", "", `{"gain":-12}`, 200, `-12`)
	has := func(name, part string) func() bool {
		return func() bool {
			text, err := os.ReadFile(filepath.Join(state, "rooms", name+".json"))
			return err == nil && strings.Contains(string(text), part)
		}
	}
	s.until("side is kept", has("side", "voices: 5"))
	s.until("its gain is kept", has("side", `"gain": -12`))
	s.until("gone is kept", has("gone", "voices: 6"))
	s.want("PUT", "/v1/rooms/show", "", killed, 201, "")
	for _, call := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "play", `{"sound":"wind","id":"hand","gain":-7}`, 201},
		{"POST", "go", `{"cue":"1"}`, 200},
		{"POST", "standby", `{"cue":"3"}`, 200},
		{"POST", "scene", `{"scene":"quiet"}`, 200},
		{"PATCH", "buses/sfx", `{"mute":true}`, 200},
		{"PATCH", "buses/music", `{"solo":true}`, 200},
		{"PATCH", "buses/master", `{"gain":-5,"mute":true}`, 200},
	} {
		s.want(call.method, "/v1/rooms/show/"+call.path, "", call.body, call.status, "")
	}
	for _, part := range []string{`"scene": "quiet"`, `"standby": "3"`, `"id": "hand"`, `"id": "go"`, `"gain": -5`} {
		s.until("the show is kept: "+part, has("show", part))
	}
	s.want("DELETE", "/v1/rooms/gone", "", "", 200, "")
	for _, path := range []string{filepath.Join("rooms", "gone.json"), filepath.Join("sounds", "gone")} {
		if _, err := os.Stat(filepath.Join(state, path)); err == nil {
			t.Errorf("%s is there after the room has ended: another room of this name would lose its own", path)
		}
	}
	if code, _ := s.end(os.Kill); code != -1 {
		t.Errorf("it ends with %d", code)
	}
	write(t, filepath.Join(state, "rooms", "main.json"), "{")
	s = startServer(t, nil, "--device", "none", "--state", state)
	s.want("GET", "/v1/rooms/side/state", "", "", 200, `"pool":5,`)
	s.want("GET", "/v1/rooms/side/state", "", "", 200, `{"bus":"sfx","gain":-12,`)
	for _, part := range []string{
		`"scene":"quiet"`, `"standby":"3"`, `"id":"hand"`, `"id":"go"`, `"running":[{"cue":"1"`,
		`{"bus":"master","gain":-5,"volume":0,"mute":true,"solo":false`, `"gain":0,"volume":0,"mute":true,"solo":false`, `"mute":false,"solo":true`,
	} {
		s.want("GET", "/v1/rooms/show/state", "", "", 200, part)
	}
	s.want("POST", "/v1/rooms/show/stop", "", `{"over":0}`, 200, "")
	s.until("the loop of the GO ends with the cue", func() bool {
		_, text := s.ask("GET", "/v1/rooms/show/state", "", "")
		return strings.Contains(text, `"id":"hand"`) && !strings.Contains(text, `"id":"go"`)
	})
	s.want("GET", "/v1/rooms/gone/state", "", "", 404, "")
	s.want("GET", "/v1/rooms/main/state", "", "", 200, "")
	if !strings.Contains(s.log(), "main.json is damaged: renamed to end in .broken, and the room main restarts without its saved state") {
		t.Errorf("of a broken file it says %q", s.log())
	}
	text, err := exec.Command("voicepool", "serve", "--listen", "127.0.0.1:0", "--device", "none", "--state", state).CombinedOutput()
	if err == nil || !strings.Contains(string(text), "another voicepool serve uses it") {
		t.Errorf("a second one says %q, %v", text, err)
	}
	if code, _ := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("it ends with %d: %s", code, s.log())
	}
}

// TestServeNotifies checks the messages to the service manager: ready, alive, reloading and
// stopping.
func TestServeNotifies(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "n")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Skip(err) // the name is too long for a socket
	}
	defer c.Close()
	c.SetReadDeadline(time.Now().Add(hangs))
	hear := func(want string) {
		t.Helper()
		p := make([]byte, 4096)
		for {
			n, err := c.Read(p)
			if err != nil {
				t.Fatalf("%s: %v", want, err)
			}
			if strings.HasPrefix(string(p[:n]), want) {
				return
			}
		}
	}
	s := startServer(t, []string{"NOTIFY_SOCKET=" + path, "WATCHDOG_USEC=400000"}, "--device", "none")
	hear("READY=1\nSTATUS=serving 1 room")
	for range 3 {
		hear("WATCHDOG=1")
	}
	if err := s.command.Process.Signal(hangUp); err != nil {
		t.Fatal(err)
	}
	hear("RELOADING=1\nMONOTONIC_USEC=")
	hear("READY=1")
	if code, _ := s.end(syscall.SIGTERM); code != 0 {
		t.Errorf("it ends with %d: %s", code, s.log())
	}
	hear("STOPPING=1")
}
