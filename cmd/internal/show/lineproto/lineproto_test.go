package lineproto

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/leak"
	"voicepool/mixer"
	"voicepool/pcm"
)

func TestMain(m *testing.M) { leak.Main(m) }

// player is a Player without effects.
type player struct{ mixer *mixer.Mixer }

func (player) FireFrom(int, time.Duration) error { return nil }
func (player) Panic(time.Duration)               {}
func (player) StopCue(int, time.Duration)        {}
func (player) Hold(bool)                         {}
func (player) Playing() []play.Running           { return nil }
func (player) Finish()                           {}
func (player) Standby() int                      { return 0 }
func (player) Trim(int, pcm.Decibels)            {}
func (p player) Mixer() *mixer.Mixer             { return p.mixer }
func (player) Do(words ...string) error {
	return errors.New("cue: no action: " + strings.Join(words, " "))
}

func newShow(t testing.TB) *showrun.Show {
	t.Helper()
	s, err := cue.Parse("show.yaml", []byte("list: [{cue: 1, play: coin}, {cue: 2, play: coin}]"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := mixer.New(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	return showrun.New(s, player{m}, showrun.Options{})
}

// TestServe checks that each line gets an answer, and an invalid line an error.
func TestServe(t *testing.T) {
	sent := "go\r\n\n  go 2 \nnonsense\nplay x\nstate 1\nevents maybe\n" + strings.Repeat("x", 3*maxLine) + "\nhelp\nstate\ngo 1"
	var out bytes.Buffer
	if err := Serve(strings.NewReader(sent), &out, newShow(t)); err != nil {
		t.Fatal(err)
	}
	var got []Answer
	for line := range strings.Lines(out.String()) {
		var a Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, a)
	}
	wants := []string{"", "", `unknown command "nonsense"`, "play x", "state takes no arguments", "events: write events on", tooLarge, "", "", ""}
	if len(got) != len(wants) {
		t.Fatalf("%d answers, want %d: %+v", len(got), len(wants), got)
	}
	for i, want := range wants {
		if got[i].OK != (want == "") || !strings.Contains(got[i].Error, want) || strings.Contains(got[i].Error, "no action") {
			t.Errorf("answer %d is %+v, want %q", i, got[i], want)
		}
	}
	if len(got[7].Commands) < 15 || got[8].State == nil || got[8].State.Last != "2" {
		t.Errorf("help %q, state %+v", got[7].Commands, got[8].State)
	}
}

// TestServeEnds checks that errors of the input and the output are returned.
func TestServeEnds(t *testing.T) {
	broken := errors.New("gone")
	if err := Serve(io.MultiReader(strings.NewReader("go\n"), errReader{broken}), io.Discard, newShow(t)); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
	if err := Serve(strings.NewReader("go\n"), errWriter{broken}, newShow(t)); !errors.Is(err, broken) {
		t.Errorf("%v, want %v", err, broken)
	}
}

type errReader struct{ error }

func (e errReader) Read([]byte) (int, error) { return 0, e.error }

type errWriter struct{ error }

func (e errWriter) Write([]byte) (int, error) { return 0, e.error }

// TestSocket checks that two clients can control a show and see each other's events.
func TestSocket(t *testing.T) {
	s, path := newShow(t), filepath.Join(t.TempDir(), "s")
	socket, err := Listen(path, s)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if all, _ := os.ReadDir(filepath.Dir(path)); len(all) != 1 {
		t.Errorf("left behind: %v", all)
	}
	if _, err := Listen(path, s); err == nil || !strings.Contains(err.Error(), "another show answers there") {
		t.Errorf("a second show: %v", err)
	}
	one, two := dial(t, path), dial(t, path)
	lines := bufio.NewReader(one)
	if a, err := RoundTrip(one, lines, "events on"); err != nil || string(a) != "{\"ok\":true}\n" {
		t.Fatalf("%q, %v", a, err)
	}
	if a, err := Remote(two)("go"); err != nil || !a.OK {
		t.Fatalf("%+v, %v", a, err)
	}
	if line, err := lines.ReadString('\n'); err != nil || line != "{\"event\":\"go 1\"}\n" {
		t.Errorf("%q, %v", line, err)
	}
	if a, err := RoundTrip(one, lines, "pause"); err != nil || string(a) != "{\"ok\":true}\n" { // after its own event
		t.Errorf("%q, %v", a, err)
	}
	if _, err := RoundTrip(one, lines, "go\nquit"); err == nil {
		t.Error("two lines are one command")
	}
	if a, err := Local(s)("state"); err != nil || a.State.Last != "1" || !a.State.Paused {
		t.Errorf("%+v, %v", a, err)
	}
	if err := socket.Close(); err != nil {
		t.Error(err)
	}
	if _, err := one.Read(make([]byte, 1000)); err == nil {
		if _, err = io.Copy(io.Discard, one); err != nil {
			t.Error(err)
		}
	}
	if _, err := Dial("unix:" + path); err == nil || !strings.Contains(err.Error(), "no show answers there") {
		t.Errorf("after its end: %v", err)
	}
	s.Quit()
	if _, err := Local(s)("state"); err == nil {
		t.Error("a show that has ended answers")
	}
}

func dial(t *testing.T, path string) net.Conn {
	t.Helper()
	c, err := Dial("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestSocketPlaces checks that a stale socket is replaced, and a file is not.
func TestSocketPlaces(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "stale")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	socket, err := Listen(stale, newShow(t))
	if err != nil {
		t.Fatal(err)
	}
	socket.Close()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file, newShow(t)); err == nil || !strings.Contains(err.Error(), "a file is there already") {
		t.Errorf("over a file: %v", err)
	}
	if _, err := Listen(filepath.Join(dir, "none", "s"), newShow(t)); err == nil {
		t.Error("in no folder")
	}
	for _, address := range []string{"tcp:1", "unix:", "x"} {
		if _, err := Dial(address); err == nil || !strings.Contains(err.Error(), "(want unix:PATH)") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestFolder checks that the folder lists the shows of this user.
func TestFolder(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	folder, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	socket, err := Listen(filepath.Join(folder, "1.sock"), newShow(t))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.WriteFile(filepath.Join(folder, "2.sock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if all, err := Shows(); err != nil || len(all) != 1 || all[0] != socket.Path() {
		t.Errorf("%q, %v", all, err)
	}
}

// TestAskNoShow checks the error for an answer of another program.
func TestAskNoShow(t *testing.T) {
	if _, err := RoundTrip(io.Discard, bufio.NewReader(strings.NewReader("HTTP/1.1 400\n")), "go"); err == nil || !strings.Contains(err.Error(), "not from a voicepool show") {
		t.Errorf("%v", err)
	}
}

// FuzzServe checks that each line gets an answer, whatever the input.
func FuzzServe(f *testing.F) {
	f.Add([]byte("go\nevents on\npanic\nstate\nevents off\nset music gain=[1, 2] over={a: 1}\n"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		var out bytes.Buffer
		if err := Serve(bytes.NewReader(sent), &out, newShow(t)); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) {
				t.Fatalf("%q", line)
			}
		}
	})
}

// TestFolderElsewhere checks that a link instead of the folder is refused, and that its target is
// unchanged.
func TestFolderElsewhere(t *testing.T) {
	elsewhere, run := t.TempDir(), t.TempDir()
	if err := os.Chmod(elsewhere, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(run, "voicepool")); err != nil {
		t.Skip(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", run)
	_, err := Folder()
	if err == nil || !strings.Contains(err.Error(), "is not a private folder of this user") {
		t.Errorf("a link: %v", err)
	}
	if info, err := os.Stat(elsewhere); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("where it leads to has the mode %v; %v", info.Mode(), err)
	}
}

// TestAllAtOnce checks that shows are queried in parallel, so that several stopped shows cost only
// one wait. Each show answers after all have been queried.
func TestAllAtOnce(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	folder, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	const shows = 5
	var asks, serving sync.WaitGroup
	asks.Add(shows)
	defer serving.Wait()
	for i := range shows {
		l, err := net.Listen("unix", filepath.Join(folder, strconv.Itoa(i)+".sock"))
		if err != nil {
			t.Fatal(err)
		}
		serving.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				serving.Go(func() {
					defer c.Close()
					if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
						asks.Done()
						asks.Wait()
						fmt.Fprintf(c, "{\"ok\":true,\"state\":{\"show\":\"%d\"}}\n", i)
					}
				})
			}
		})
		defer l.Close()
	}
	all, err := All()
	names := ""
	for _, one := range all {
		names += one.State.Show
	}
	if err != nil || names != "01234" {
		t.Errorf("the shows are %q, %v; want 01234", names, err)
	}
}
