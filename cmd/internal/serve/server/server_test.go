package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"voicepool/cmd/internal/serve/pipenet"
)

// running is a server under test.
type running struct {
	t      testing.TB
	at     string
	client *http.Client
	stop   func() error

	mutex sync.Mutex
	lines []string
}

// inBubble runs a test in a synctest bubble. The servers of run do not wait there for real time.
func inBubble(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// run starts a server on a network in memory. The end of the test stops it.
func run(t testing.TB, o Options) *running {
	t.Helper()
	network := pipenet.New()
	o.listener = network
	s := &running{t: t, client: network.Client()}
	s.begin(o)
	return s
}

// begin starts the server.
func (s *running) begin(o Options) {
	t := s.t
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	at, ended := make(chan string, 1), make(chan error, 1)
	o.Listen = "127.0.0.1:0"
	o.Show = func(line string) { at <- strings.TrimSuffix(strings.TrimPrefix(line, "the board: "), "/") }
	o.Log = func(line string) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.lines = append(s.lines, line)
	}
	go func() { ended <- Run(ctx, o) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		s.stop()
		s.client.CloseIdleConnections()
	})
	select {
	case s.at = <-at:
	case err := <-ended:
		ended <- err
		t.Fatalf("the server ends: %v; it says %q", err, s.lines)
	}
}

// said returns the log lines of the server.
func (s *running) said() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return strings.Join(s.lines, "\n")
}

// ask makes a call, such as "PUT /v1/rooms/main", and returns the answer.
func (s *running) ask(call, body string) (status int, text string) {
	s.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.at+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/yaml")
	w, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer w.Body.Close()
	b, err := io.ReadAll(w.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return w.StatusCode, string(b)
}

// is makes a call, and fails if the answer has another status or lacks a text.
func (s *running) is(call, body string, status int, text string) {
	s.t.Helper()
	if got, b := s.ask(call, body); got != status || !strings.Contains(b, text) {
		s.t.Errorf("%s is answered with %d %s, want %d and %s", call, got, b, status, text)
	}
}

// wav returns a 16-bit WAV file with silent frames.
func wav(frames int) string {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\xbb\x00\x00\x00\x77\x01\x00\x02\x00\x10\x00data")
	b = binary.LittleEndian.AppendUint32(b, uint32(2*frames))
	b = append(b, make([]byte, 2*frames)...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return string(b)
}

// TestUploadsBesideARelativeState checks uploads to rooms whose sheets are in other folders, with
// an absolute, a relative and no state folder. With a state folder, a restart keeps the uploads.
func TestUploadsBesideARelativeState(t *testing.T) {
	for _, state := range []string{"state", "../kept", "absolute", ""} {
		t.Run("state "+state, inBubble(func(t *testing.T) {
			top := t.TempDir()
			t.Chdir(top)
			for _, folder := range []string{"etc", "shows/one", "more"} {
				if err := os.MkdirAll(folder, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if state == "absolute" {
				state = filepath.Join(top, "absolute")
			}
			files := map[string]string{
				"shows/one/show.yaml": "sounds: {own: {file: own.wav}}\n", "shows/one/own.wav": wav(480), "more/own.wav": wav(480),
				"etc/voicepool.yaml": "rooms:\n  one: {sheet: ../shows/one/show.yaml}\n  two: {sheet: ../shows/one/show.yaml, folder: ../more}\n",
			}
			if state != "" {
				files["etc/voicepool.yaml"] += fmt.Sprintf("state: %s\n", state)
			}
			for path, text := range files {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := run(t, Options{Config: "etc/voicepool.yaml"})
			for _, room := range []string{"one", "two", "three"} {
				at := "/v1/rooms/" + room
				s.is("PUT "+at+"/sounds/bark.wav", wav(960), 201, `"sound":"bark.wav"`)
				s.is("PUT "+at+"/sounds/bark.wav", wav(1920), 201, `"seconds":0.04`)
				s.is("PUT "+at, "sounds: {dog: {file: bark.wav}}", 200, `"dog"`)
				s.is("POST "+at+"/play", `{"sound":"dog"}`, 201, "playing")
				s.is("PUT "+at+"/sounds/bark.wav", "no sound", 400, "")
				if room != "three" {
					s.is("PUT "+at, "sounds: {own: {file: own.wav}, dog: {file: bark.wav}}", 200, `"dog"`)
					s.is("PUT "+at+"/sounds/own.wav", wav(480), 409, "the folder of the sheet")
				}
			}
			if state == "" {
				return
			}
			if err := s.stop(); err != nil {
				t.Fatal(err)
			}
			again := run(t, Options{Config: "etc/voicepool.yaml"})
			for _, room := range []string{"one", "two", "three"} {
				again.is("POST /v1/rooms/"+room+"/play", `{"sound":"dog"}`, 201, "playing")
			}
			if said := again.said(); bytes.Contains([]byte(said), []byte("anew")) {
				t.Errorf("it says %s", said)
			}
		}))
	}
}
