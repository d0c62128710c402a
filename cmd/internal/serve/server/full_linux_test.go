package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFullDisk checks that PUTs of rooms and sounds on a full disk are answered with 507, counted
// and logged, and change nothing. Links to /dev/full make writes fail like a full disk.
func TestFullDisk(t *testing.T) { inBubble(fullDisk)(t) }

func fullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	sheet := filepath.Join(t.TempDir(), "show.yaml")
	if err := os.WriteFile(sheet, []byte("sounds: {bell: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := run(t, Options{Sheet: sheet, Device: "none", State: state})
	s.is("PUT /v1/rooms/two/sounds/old.wav", wav(480), 201, `"seconds":0.01`)
	s.is("PUT /v1/rooms/two", "sounds: {old: {file: old.wav}}", 200, `"old"`)
	before := s.files(state)

	var fulls []string
	fill := func(path string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, path+".aside"); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.Symlink("/dev/full", path); err != nil {
			t.Fatal(err)
		}
		fulls = append(fulls, path)
	}
	for _, name := range []string{"main", "two", "three", "four"} {
		fill(filepath.Join(state, "rooms", name+".json"))
	}
	const new = "sounds: {bell: {}, coin: {}}"
	calls := 0
	for _, room := range []string{"main", "two", "three", "four"} {
		s.is("PUT /v1/rooms/"+room, new, 507, `"reason":"disk full"`)
		s.is("PUT /v1/rooms/"+room+"/sounds/new.wav", wav(480), 507, `"reason":"disk full"`)
		calls += 2
	}
	s.is("PUT /v1/rooms/two/sounds/old.wav", wav(960), 201, `"seconds":0.02`) // the room's own file is unchanged
	s.is("PUT /v1/rooms/two/sounds/old.wav", wav(480), 201, `"seconds":0.01`)
	for _, room := range []string{"main", "two"} { // the sound itself does not fit
		fill(filepath.Join(state, "sounds", room, ".arriving"))
		s.is("PUT /v1/rooms/"+room+"/sounds/old.wav", wav(960), 507, `"reason":"disk full"`)
		calls++
	}
	for _, path := range fulls {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.Rename(path+".aside", path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	for _, room := range []string{"three", "four"} {
		s.is("GET /v1/rooms/"+room+"/state", "", 404, "")
	}
	s.is("POST /v1/rooms/two/play", `{"sound":"old"}`, 201, "")
	s.is("POST /v1/rooms/two/play", `{"sound":"coin"}`, 404, "")
	s.is("POST /v1/rooms/main/play", `{"sound":"coin"}`, 404, "")
	if after := s.files(state); after != before {
		t.Errorf("the state has %s, had %s", after, before)
	}
	if said := s.said(); strings.Count(said, "no space left on device") < calls {
		t.Errorf("%d calls fail, and it says:\n%s", calls, said)
	}
	if _, metrics := s.ask("GET /metrics", ""); strings.Contains(metrics, `voicepool_store_failures_total{reason="disk full"} 0`) {
		t.Error("the failures are not counted")
	}
	s.is("PUT /v1/rooms/three", new, 201, "") // there is room again
	s.is("PUT /v1/rooms/two/sounds/new.wav", wav(480), 201, "")
}

// files lists the files below a folder, except links and files that the saver may write at any
// time.
func (s *running) files(top string) string {
	s.t.Helper()
	var all []string
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, ".json") {
			all = append(all, strings.TrimPrefix(path, top))
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Join(all, " ")
}
