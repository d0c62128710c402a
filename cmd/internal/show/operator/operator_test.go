package operator

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/sounds/library"
)

// TestUnknownCueOfMIDI checks that a MIDI GO for an unknown cue is reported on screens and in
// messages, whatever its number.
func TestUnknownCueOfMIDI(t *testing.T) {
	sheet, err := cue.Parse("show.yaml", []byte("rate: 8000\nlist: [{cue: 1, play: coin}, {cue: A, play: coin, arm: false}]"))
	if err != nil {
		t.Fatal(err)
	}
	player, err := play.NewPlayer(t.Context(), sheet, library.NewLibrary(library.Options{Rate: sheet.Rate}), play.Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ number, want string }{
		{"99", `midi go 99: cue: no cue of the list has the number "99"; the nearest is `},
		{"Q8", `midi go Q8: cue: no cue of the list has the number "Q8"; the nearest is `},
		{"A", "midi go A: cue \"A\" has `arm: false`, so no GO reaches it"},
		{"8\n9", `midi go 8?9: cue: no cue of the list has the number "8?9"; the nearest is `},
	} {
		path := filepath.Join(t.TempDir(), "midi")
		if err := os.WriteFile(path, []byte("\xf0\x7f\x00\x02\x01\x01"+c.number+"\xf7"), 0o600); err != nil {
			t.Fatal(err)
		}
		var said []string
		b := &Console{options: Options{Print: func(line string) { said = append(said, line) }}, player: player, show: showrun.New(sheet, player, showrun.Options{})}
		if b.midi, err = openMidi(path); err != nil {
			t.Fatal(err)
		}
		b.followMidi()
		b.midi.Close()
		if len(said) != 1 || !strings.HasPrefix(said[0], c.want) || strings.Join(b.show.State().Events, "\n") != said[0] {
			t.Errorf("%q is told as %q and %q, want %q", c.number, said, b.show.State().Events, c.want)
		}
	}
}

// TestOpenGoes checks that a file with content and a folder are refused and unchanged, and that a
// new or empty file is accepted.
func TestOpenGoes(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"full": "1s 1\n", "empty": ""} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := openGoes(path)
		if (err == nil) != (content == "") {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%s has %q, %v", name, got, err)
		}
	}
	if _, err := openGoes(folder); err == nil {
		t.Error("a folder is taken")
	}
	path := filepath.Join(folder, "new")
	f, err := openGoes(path)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := openGoes(path); runtime.GOOS != "windows" && (err == nil || !strings.Contains(err.Error(), "another show records its GOs in this file; name another file")) {
		t.Errorf("a second show takes the file: %v", err)
		again.Close()
	}
	f.Close()
	if f, err = openGoes(path); err != nil {
		t.Errorf("the show has ended, and its empty file is refused: %v", err)
	}
	f.Close()
	for range 2 { // a device is not a record that another show could spoil
		if f, err := openGoes(os.DevNull); err != nil {
			t.Error(err)
		} else {
			defer f.Close()
		}
	}
}
