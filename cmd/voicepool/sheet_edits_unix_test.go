//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/internal/longtest"
	"voicepool/internal/schematest"
)

// TestGoTakesEdits checks that a running show reloads its sheet after each edit with many keys,
// valid and invalid, and still answers GO. The short variant removes each key of the sheet in turn
// and puts it back.
func TestGoTakesEdits(t *testing.T) {
	t.Parallel()
	const ten = schematest.Text("10h") // the length, which would end the show
	path := filepath.Join(t.TempDir(), "show.yaml")
	write(t, path, schematest.Sheet().With("length", ten).Flow())
	command := exec.Command("voicepool", "go", path, "--device", "null", "--control", "-")
	command.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer command.Process.Kill()
	answers, lines := bufio.NewReader(out), bufio.NewReader(said)
	tell := func(command string) {
		t.Helper()
		if _, err := in.Write([]byte(command + "\n")); err != nil {
			t.Fatal(err)
		}
		if line, err := answers.ReadString('\n'); err != nil || !strings.HasPrefix(line, `{"ok":`) {
			t.Fatalf("%s is answered with %q, %v", command, line, err)
		}
	}
	tell("state")
	edits, taken := 0, 0
	edit := func(name string, sheet schematest.Map) {
		text := sheet.With("length", ten).Flow()
		write(t, path+".new", text)
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		for over := false; !over; {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%s: the show ends: %q, %v\n%s", name, line, err, text)
			}
			if strings.Contains(line, "reloaded") {
				taken++
			}
			over = strings.Contains(line, "reloaded") || strings.Contains(line, "the old sheet")
		}
		edits++
		tell("go")
	}
	all := schematest.Sheet()
	for i, key := range all {
		edit("without "+key.Key, slices.Delete(slices.Clone(all), i, i+1))
	}
	if longtest.Enabled() {
		editMatrix(t, edit)
	}
	tell("quit")
	rest, _ := io.ReadAll(lines)
	command.Wait()
	if code := command.ProcessState.ExitCode(); code != 0 && code != 1 { // 1: its OSC messages cannot be delivered
		t.Errorf("it ends with %d: %s", code, rest)
	}
	if edits < len(all) || taken < edits/2 {
		t.Errorf("%d edits, of which %d were taken, are too few", edits, taken)
	}
}

// editMatrix makes edits from the matrix of all keys.
func editMatrix(t *testing.T, edit func(name string, sheet schematest.Map)) {
	m, err := schematest.Sheets(cue.Schema(), func(text string) int {
		if _, err := cue.Parse("matrix.yaml", []byte(text)); err != nil {
			return strings.Count(err.Error(), "\n") + 1
		}
		return 0
	})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for c := range m.Cover() {
		if n++; n%7 == 0 {
			edit(c.Name, c.File)
		}
	}
	n = 0
	for c := range m.Singles(false) {
		if n++; n%601 == 0 { // some of them invalid
			edit(c.Name, c.File)
		}
	}
}
