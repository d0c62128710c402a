package service_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
)

// wav returns a 16-bit WAV file with silent frames.
func wav(frames int) string {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\xbb\x00\x00\x00\x77\x01\x00\x02\x00\x10\x00data")
	b = binary.LittleEndian.AppendUint32(b, uint32(2*frames))
	b = append(b, make([]byte, 2*frames)...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return string(b)
}

const yaml = "application/yaml"

// TestSoundsBeforeTheirSheet checks that sounds can be uploaded before their sheet, with the same
// or another rate, and all at once.
func TestSoundsBeforeTheirSheet(t *testing.T) {
	for _, rate := range []int{48000, 44100} {
		folder := t.TempDir()
		s := open(t, func(o *service.Options) {
			o.Folder = folder
			o.RemoveFiles = func(r *room.Room) { os.RemoveAll(filepath.Join(folder, r.Name())) }
		})
		var all sync.WaitGroup
		for _, name := range []string{"bark.wav", "a bark.wav", "ähm.wav", "bark"} {
			all.Go(func() {
				s.ask("PUT /v1/rooms/two/sounds/"+url.PathEscape(name), wav(4800)).is(t, 201, "sound", name, "seconds", "0.1")
			})
		}
		all.Wait()
		s.ask("POST /v1/rooms/two/play", `{"sound":"a bark.wav"}`).is(t, 201)
		sheet := fmt.Sprintf("rate: %d\nsounds: {dog: {file: bark.wav}, um: {file: ähm.wav}}\n", rate)
		s.ask("PUT /v1/rooms/two", "sounds: {dog: {file: cat.wav}}", "Content-Type", yaml).is(t, 400, "field", "sheet")
		s.ask("PUT /v1/rooms/two", fmt.Sprintf("rate: %d\nsounds: {dog: {file: cat.wav}}", rate), "Content-Type", yaml).is(t, 400, "field", "sheet")
		s.ask("POST /v1/rooms/two/play", `{"sound":"bark.wav"}`).is(t, 201)
		s.ask("PUT /v1/rooms/two", sheet, "Content-Type", yaml).is(t, 200, "rate", fmt.Sprint(rate))
		s.ask("POST /v1/rooms/two/play", `{"sound":"dog"}`).is(t, 201)
		s.ask("PUT /v1/rooms/two/sounds/bark.wav", wav(9600)).is(t, 201, "sound", "dog", "seconds", "0.2")
		s.ask("PUT /v1/rooms/two/sounds/dog", wav(9600)).is(t, 409, "field", "name")
		s.ask("PUT /v1/rooms/two", "rate: 96000\n", "Content-Type", yaml).is(t, 409, "reason", "rate") // it has its sheet now
		if files, err := os.ReadDir(filepath.Join(folder, "two")); err != nil || len(files) != 4 {
			t.Errorf("%v, %v", files, err)
		}
		s.ask("DELETE /v1/rooms/two?over=0", "").is(t, 200)
		if _, err := os.Stat(filepath.Join(folder, "two")); !os.IsNotExist(err) {
			t.Errorf("files of a room that has ended: %v", err)
		}
	}
}

// TestNoRoomForABadSound checks that a failed upload leaves neither a room nor a file.
func TestNoRoomForABadSound(t *testing.T) {
	folder := t.TempDir()
	s := open(t, func(o *service.Options) {
		o.Folder = folder
		o.RemoveFiles = func(r *room.Room) { os.RemoveAll(filepath.Join(folder, r.Name())) }
		o.Limits.SoundBytes = 20_000
	})
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"x.wav", "no sound", 400}, {"x.wav", "", 400}, {"x.wav", wav(10_000), 413}, {".x", wav(10), 400}, {"a%2Fb", wav(10), 400}, {"a%0Ab", wav(10), 400},
		{"%FF", wav(10), 400}, {strings.Repeat("x", 256), wav(10), 400}, {"%2E%2E%5Cx", wav(10), 400}, {"a%5Cb", wav(10), 400},
	} {
		for _, key := range []string{"", "k" + c.name[:1] + fmt.Sprint(c.status)} {
			s.ask("PUT /v1/rooms/two/sounds/"+c.name, c.body, "Idempotency-Key", key).is(t, c.status)
			if r := s.Room("two"); r != nil {
				t.Fatalf("%s with %d bytes leaves a room", c.name, len(c.body))
			}
			if files, _ := os.ReadDir(folder); len(files) > 0 {
				t.Errorf("%s leaves %v", c.name, files)
			}
		}
	}
	s.ask("PUT /v1/rooms/.bad/sounds/x.wav", wav(10)).is(t, 404, "field", "room")
}

// TestNoPathsInAnswers checks that answers never contain a folder of the server, even if its files
// are faulty.
func TestNoPathsInAnswers(t *testing.T) {
	root := t.TempDir()
	secret := filepath.Join(root, "it's a secret") // shells and quoted text escape it
	show, uploads, rooms, far := filepath.Join(secret, "show"), filepath.Join(secret, "uploads"), filepath.Join(secret, "rooms"), filepath.Join(secret, "far")
	for _, folder := range []string{secret, show, uploads, rooms, far} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(show, "own.wav"), filepath.Join(far, "far.wav"), filepath.Join(far, "stream.wav")} {
		write(path, wav(4800))
	}
	for _, folder := range []string{show, far} {
		write(filepath.Join(folder, "x.m4a"), "\x00\x00\x00\x20ftypM4A \x00\x00\x00\x00M4A mp42isom\x00\x00\x00\x00")
	}
	s := open(t, func(o *service.Options) { o.Folder = rooms })
	text := fmt.Sprintf("sounds:\n  own: {file: own.wav}\n  up: {file: ../far/far.wav}\n  abs: {file: %q}\n  st: {file: %q, stream: true}\nlist: [{cue: 1, play: abs}, {cue: 2, play: own}]\n",
		filepath.Join(far, "far.wav"), filepath.Join(far, "stream.wav"))
	r, err := room.Open(t.Context(), room.Options{Name: "show", Title: "show.yaml", Text: []byte(text), AnyFile: true, Folder: show, Uploads: filepath.Join(uploads, "show")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(r); err != nil {
		t.Fatal(err)
	}
	s.ask("PUT /v1/rooms/net/sounds/own.wav", wav(4800)).is(t, 201)
	s.ask("PUT /v1/rooms/net", "sounds: {own: {file: own.wav}}", "Content-Type", yaml).is(t, 200)
	s.ask("PUT /v1/rooms/show/sounds/mine.wav", wav(4800)).is(t, 201, "sound", "mine.wav")

	faults, converted, near := map[int]int{}, false, false
	calls := func(when string) {
		for _, name := range []string{"show", "net", "new"} {
			for path, item := range paths() {
				for method := range item {
					call := strings.ToUpper(method) + " " + strings.NewReplacer("{room}", name, "{voice}", "1", "{bus}", "master", "{name}", "own.wav").Replace(path)
					if strings.HasSuffix(path, "/events") {
						call += "?last=100"
					}
					if method == "delete" && strings.HasSuffix(path, "{room}") || strings.HasSuffix(path, "audio.wav") {
						continue // it would end the room, or its answer is endless
					}
					bodies := []string{"", "{}", `{"sound":"abs"}`, `{"cue":"9"}`}
					switch {
					case strings.HasSuffix(path, "/sounds/{name}"):
						bodies = []string{wav(480), "no sound", ""}
					case method == "put":
						bodies = []string{text, "sounds: {own: {file: own.wav}}", "sounds: {own: {file: mine.wav}}", "sounds: {x: {file: ../x.wav}}", "sounds: {x: {file: /etc/passwd}}", "sounds: {x: {file: x.wav}}", "sounds: [", "rate: 44100",
							"sounds: {x: {file: x.m4a}}", "sounds: {x: {file: ../far/x.m4a}}", "sounds: {x: {file: OWN.wav}}", "sounds: {x: {file: ../FAR/far.wav}}"}
						if name == "show" { // the others may not name files outside their folder
							bodies = append(bodies, fmt.Sprintf("sounds: {x: {file: %q}}", filepath.Join(far, "x.m4a")), fmt.Sprintf("sounds: {x: {file: %q}}", filepath.Join(far, "FAR.wav")))
						}
					}
					for _, body := range bodies {
						kind := "application/json"
						if method == "put" {
							kind = yaml
						}
						g := s.ask(call, body, "Content-Type", kind)
						if bytes.Contains(g.body, []byte(root)) || strings.Contains(fmt.Sprint(g.header), root) || bytes.Contains(g.body, []byte("a secret")) {
							t.Errorf("%s, %s %.60q: %d %s", when, call, body, g.status, g.body)
						}
						faults[g.status]++
						converted = converted || bytes.Contains(g.body, []byte("x.flac"))
						near = near || bytes.Contains(g.body, []byte(`the file \"own.wav\" is there`))
					}
				}
			}
		}
	}
	calls("all is well")
	for _, folder := range []string{show, far, filepath.Join(uploads, "show"), filepath.Join(rooms, "net")} {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			write(filepath.Join(folder, f.Name()), "broken")
		}
	}
	calls("files are broken")
	for _, folder := range []string{show, far, uploads, rooms} {
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	calls("folders are gone")
	for _, folder := range []string{show, far, uploads, rooms} {
		if err := os.RemoveAll(folder); err != nil { // an upload has made it again
			t.Fatal(err)
		}
		write(folder, "a file")
	}
	calls("files are where folders were")
	if !converted {
		t.Error("no answer has the command that converts a file")
	}
	if _, err := os.Stat(filepath.Join(root, "IT'S A SECRET")); err != nil && !near { // otherwise the system ignores case
		t.Error("no answer names the file of another case")
	}
	for _, status := range []int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusInternalServerError} {
		if faults[status] == 0 {
			t.Errorf("no call is answered with %d: %v", status, faults)
		}
	}
}

// TestSoundsAtOnce checks that a failed upload does not end the room while other uploads are
// running, whether or not it has made the room. A sheet with another rate waits for the uploads,
// too.
func TestSoundsAtOnce(t *testing.T) {
	for _, first := range []bool{true, false} {
		folder := t.TempDir()
		s := open(t, func(o *service.Options) {
			o.Folder = folder
			o.RemoveFiles = func(r *room.Room) { os.RemoveAll(filepath.Join(folder, r.Name())) }
		})
		// begin starts an upload, and returns when the room reads it.
		begin := func(name string) (finish func(rest string) int) {
			body, in := io.Pipe()
			answer := make(chan int, 1)
			go func() {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "PUT", "/v1/rooms/two/sounds/"+name, body))
				answer <- w.Code
				body.Close()
			}()
			if _, err := in.Write([]byte("RIFF")); err != nil {
				t.Fatal(err)
			}
			return func(rest string) int {
				_, _ = in.Write([]byte(rest))
				in.Close()
				return <-answer
			}
		}
		sound := wav(4800)[4:]
		one := begin("one.wav")
		two := begin("two.wav")
		if !first {
			one, two = two, one
		}
		if got := one("no sound"); got != 400 {
			t.Errorf("no sound: %d", got)
		}
		three := begin("three.wav")
		s.ask("PUT /v1/rooms/two", "rate: 44100\n", "Content-Type", yaml).is(t, 409, "reason", "uploading")
		if got := two(sound); got != 201 {
			t.Errorf("the sound beside the failed one: %d", got)
		}
		if got := three(sound); got != 201 {
			t.Errorf("the sound after the failed one: %d", got)
		}
		if files, err := os.ReadDir(filepath.Join(folder, "two")); err != nil || len(files) != 2 {
			t.Errorf("%v, %v", files, err)
		}
		s.ask("PUT /v1/rooms/two", "rate: 44100\nsounds: {dog: {file: three.wav}}\n", "Content-Type", yaml).is(t, 200, "rate", "44100")
		s.ask("POST /v1/rooms/two/play", `{"sound":"dog"}`).is(t, 201)
		s.ask("DELETE /v1/rooms/two?over=0", "").is(t, 200)

		// If all of them fail, the last one ends the room.
		one, two = begin("one.wav"), begin("two.wav")
		for i, finish := range []func(string) int{one, two} {
			if (s.Room("two") == nil) != (i == 2) {
				t.Errorf("the room has ended after %d of 2 uploads", i)
			}
			if got := finish("no sound"); got != 400 {
				t.Errorf("no sound: %d", got)
			}
		}
		if files, _ := os.ReadDir(folder); s.Room("two") != nil || len(files) > 0 {
			t.Errorf("two uploads that failed leave %v", files)
		}
	}
}

// TestSoundsRace runs uploads to a new room, half of them faulty, together with faulty sheets and a
// repeated key. Each sound answered with 201 must be playable.
func TestSoundsRace(t *testing.T) {
	folder := t.TempDir()
	s := open(t, func(o *service.Options) {
		o.Folder = folder
		o.RemoveFiles = func(r *room.Room) { os.RemoveAll(filepath.Join(folder, r.Name())) }
	})
	for round := range 8 {
		name := fmt.Sprintf("r%d", round)
		var all sync.WaitGroup
		for i := range 8 {
			body, want, key, calls := wav(480), 201, "", 1
			if i%2 == round%2 {
				body, want = "no sound", 400
			}
			if i > 5 {
				key, calls = "k", 2
			}
			for range calls {
				all.Go(func() {
					s.ask(fmt.Sprintf("PUT /v1/rooms/%s/sounds/%d.wav", name, i), body, "Idempotency-Key", key).is(t, want)
				})
			}
		}
		all.Go(func() {
			if got := s.ask("PUT /v1/rooms/"+name, "rate: 44100\nsounds: {x: {file: none.wav}}", "Content-Type", yaml); got.status < 400 {
				t.Errorf("a sheet without its files: %d %s", got.status, got.body)
			}
		})
		all.Wait()
		for i := range 8 {
			if i%2 != round%2 {
				s.ask("POST /v1/rooms/"+name+"/play", fmt.Sprintf(`{"sound":"%d.wav"}`, i)).is(t, 201)
			}
		}
	}
}

// TestUnstoredCounts checks that a failed write to the folder is counted as a failure of the store.
// A canceled call, or an ended room, is not.
func TestUnstoredCounts(t *testing.T) {
	var lines []string
	folder := t.TempDir()
	s := open(t, func(o *service.Options) {
		o.Folder = folder
		o.Log = func(line string) { lines = append(lines, line) }
	})
	counted := func() (n string) {
		t.Helper()
		const name = `voicepool_store_failures_total{reason="other"} `
		_, rest, _ := strings.Cut(string(s.ask("GET /metrics", "").body), name)
		n, _, _ = strings.Cut(rest, "\n")
		return n
	}
	s.ask("PUT /v1/rooms/two/sounds/a.wav", wav(480)).is(t, 201)
	sheet := "sounds: {a: {file: a.wav}}\n"
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, end := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer end()
	for _, ctx := range []context.Context{gone, late} {
		for _, path := range []string{"/v1/rooms/two", "/v1/rooms/three", "/v1/rooms/two/sounds/a.wav", "/v1/rooms/four/sounds/a.wav"} {
			body := sheet
			if strings.HasSuffix(path, ".wav") {
				body = wav(480)
			}
			r := httptest.NewRequestWithContext(ctx, "PUT", path, strings.NewReader(body))
			r.Header.Set("Content-Type", yaml)
			s.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	if n := counted(); n != "0" || len(lines) > 0 {
		t.Errorf("calls that were canceled count as %s failures, and it says %q", n, lines)
	}
	if err := errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	s.ask("PUT /v1/rooms/two/sounds/b.wav", wav(480)).is(t, 500)
	if n := counted(); n != "1" || len(lines) != 1 {
		t.Errorf("a folder that is none counts as %s failures, and it says %q", n, lines)
	}
}
