//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/internal/schematest"
)

// TestGoTakesEdits checks that a running show reloads its sheet after each edit with many keys,
// valid and invalid, and still answers GO.
func TestGoTakesEdits(t *testing.T) {
	const ten = schematest.Text("10m") // the length, which would end the show
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	m, err := schematest.Sheets(cue.Schema(), func(text string) int {
		if _, err := cue.Parse("matrix.yaml", []byte(text)); err != nil {
			return strings.Count(err.Error(), "\n") + 1
		}
		return 0
	})
	if err != nil {
		t.Fatal(err)
	}
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
	edit := func(c schematest.Case) {
		text := c.File.With("length", ten).Flow()
		write(t, path+".new", text)
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		for over := false; !over; {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%s: the show ends: %q, %v\n%s", c.Name, line, err, text)
			}
			if strings.Contains(line, "reloaded") {
				taken++
			}
			over = strings.Contains(line, "reloaded") || strings.Contains(line, "the old sheet")
		}
		edits++
		tell("go")
	}
	n := 0
	for c := range m.Cover() {
		if n++; n%7 == 0 {
			edit(c)
		}
	}
	n = 0
	for c := range m.Singles(false) {
		if n++; n%601 == 0 { // some of them invalid
			edit(c)
		}
	}
	tell("quit")
	rest, _ := io.ReadAll(lines)
	command.Wait()
	if code := command.ProcessState.ExitCode(); code != 0 && code != 1 { // 1: its OSC messages cannot be delivered
		t.Errorf("it ends with %d: %s", code, rest)
	}
	if edits < 20 || taken < edits/2 {
		t.Errorf("%d edits, of which %d were taken, are too few", edits, taken)
	}
}
