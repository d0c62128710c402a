package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/lab/steal"
	"voicepool/internal/longtest"
)

// TestStealbenchSounds checks that the built-in sounds as files give the same scenes as the
// built-in sounds themselves, and that unusable files are listed.
func TestStealbenchSounds(t *testing.T) {
	t.Parallel()
	built, own, folder := builtScenes(t), filepath.Join(t.TempDir(), "own"), folderOfSounds(t)
	bell, err := os.ReadFile(filepath.Join(built, "sounds", "bell1.wav"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := runSteal(t, "stealbench", "--sounds", folder, "--write", own, "--scene", "plat", "--seeds", "3")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"44 sounds of " + folder + ": 6 gun, 4 laser, 5 explosion, 4 clang, 6 step, 5 speech, 5 bell, 3 pickup, 3 engine, 3 wind\n",
		"left out: broken.ogg: ", "left out: short.wav: shorter than 50 ms\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	read := func(folder string) []byte {
		sheet, err := os.ReadFile(filepath.Join(folder, "plat-3.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		return sheet
	}
	sheet := read(own)
	if !bytes.Contains(sheet, []byte(`  bell1: {file: "sounds/bell1.wav"} # "Bell/1_ding.wav"`+"\n")) {
		t.Errorf("the sheet does not say what bell1 was made of:\n%s", sheet[:1000])
	}
	if got := regexp.MustCompile(` # ".*"\n`).ReplaceAll(sheet, []byte("\n")); !bytes.Equal(got, read(built)) {
		t.Error("the scene is another one")
	}
	if got, err := os.ReadFile(filepath.Join(own, "sounds", "bell1.wav")); err != nil || !bytes.Equal(got, bell) {
		t.Errorf("bell1 is another sound: %v", err)
	}

	if longtest.Enabled() { // TestStealbench does this in the short variant
		out, err = runSteal(t, "stealbench", "--sounds", folder, "--scene", "plat", "--voices", "16", "--seeds", "3", "--policies", "reject", "--json")
		if err != nil {
			t.Fatal(err)
		}
		checkSounds(t, out, folder)
	}
}

// folderOfSounds returns a folder with the built-in sounds, the bells in a folder of their own, and
// with unusable files.
func folderOfSounds(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(builtScenes(t), "sounds"))); err != nil {
		t.Fatal(err)
	}
	short := (&steal.Recording{Samples: make([]int16, steal.Rate/20-1)}).WAV()
	for file, data := range map[string][]byte{"broken.ogg": []byte("OggS"), "note.txt": []byte("a bell"), "short.wav": short} {
		if err := os.WriteFile(filepath.Join(folder, file), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// Folder names give the kind, too.
	if err := os.Mkdir(filepath.Join(folder, "Bell"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"1", "2", "3", "4", "5"} {
		if err := os.Rename(filepath.Join(folder, "bell"+n+".wav"), filepath.Join(folder, "Bell", n+"_ding.wav")); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// checkSounds checks the folder of sounds in the JSON output of stealbench.
func checkSounds(t *testing.T, out, folder string) {
	t.Helper()
	var got struct {
		Corpus *uint64
		Sounds struct {
			Folder string
			Kinds  map[string]int
			Left   []struct{ File, Reason string } `json:"left_out"`
		}
		Rows []struct{ Policy string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if s := got.Sounds; got.Corpus != nil || s.Folder != folder || s.Kinds["gun"] != 6 || len(s.Kinds) != 10 || len(s.Left) != 2 || s.Left[1].File != "short.wav" || len(got.Rows) < 3 {
		t.Errorf("%s", out)
	}
}

func TestStealbenchSoundsUsage(t *testing.T) {
	folder := t.TempDir()
	failed := func(want string, args ...string) {
		t.Helper()
		out, err := runSteal(t, append([]string{"stealbench", "--sounds"}, args...)...)
		if console.ExitCode(err) != console.ExitFailed || out != "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, %s; want %q", args, err, out, want)
		}
	}
	failed("no such file", filepath.Join(folder, "nowhere"))
	failed("it contains no sounds", folder)
	if err := os.WriteFile(filepath.Join(folder, "x.wav"), []byte("RIFF"), 0o666); err != nil {
		t.Fatal(err)
	}
	failed("0 sounds can be used, but no sound of the kind gun: name one gun-1.wav, or put it into a folder gun", folder)
	for _, args := range [][]string{{"--corpus", "2"}, {"x.yaml"}} {
		if out, err := runSteal(t, append([]string{"stealbench", "--sounds", folder}, args...)...); console.ExitCode(err) != console.ExitUsage || out != "" {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}
