//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestSecondShow checks that a second show of the same sheet on the same device prints a warning
// that names the first. attach lists both with device, start and standby. A show with another sheet
// or device prints no warning.
func TestSecondShow(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "show.yaml"), "list: [{cue: 1, play: coin}, {cue: 2, play: coin}]")
	write(t, filepath.Join(folder, "other.yaml"), "list: [{cue: 7, play: coin}]")
	environment := append(os.Environ(), "XDG_RUNTIME_DIR="+folder)
	starts := func(words ...string) (said string, tell func(command, answer string)) {
		t.Helper()
		command := exec.Command("voicepool", append(words, "--control", "-")...)
		command.Dir, command.Env = folder, environment
		in, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := command.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		errors, err := os.Create(filepath.Join(t.TempDir(), "said"))
		if err != nil {
			t.Fatal(err)
		}
		command.Stderr = errors
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			in.Close()
			command.Wait()
			errors.Close()
		})
		lines := bufio.NewReader(out)
		tell = func(command, answer string) {
			t.Helper()
			if _, err := in.Write([]byte(command + "\n")); err != nil {
				t.Fatal(err)
			}
			if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, answer) {
				t.Fatalf("%s is answered with %q, %v", command, line, err)
			}
		}
		tell("state", `"ok":true`) // the sockets exist
		text, err := os.ReadFile(errors.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text), tell
	}
	if said, _ := starts("go", "other.yaml", "--device", "null"); said != "" {
		t.Errorf("the first show says %q", said)
	}
	said, first := starts("go", "show.yaml", "--device", "null")
	if said != "" {
		t.Errorf("a show of another sheet says %q", said)
	}
	first("go", `"ok":true`)
	if said, _ := starts("go", "show.yaml", "--device", "raw:out.raw"); said != "" {
		t.Errorf("a show on another device says %q", said)
	}
	const entry = `unix:\S+\.sock  \S*show\.yaml  since \d+ \w+ \d\d:\d\d:\d\d  on null  standby `
	// A busy machine may leave out a show that does not answer within 2 s; then the test asks again.
	limit := time.Now().Add(hangs)
	want := regexp.MustCompile(`^voicepool: \S+ is played already, and now twice; to run the first: voicepool attach ` + entry + `2\n$`)
	for {
		said, again := starts("go", filepath.Join("..", filepath.Base(folder), "show.yaml"), "--device", "null")
		if want.MatchString(said) {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("the second show says %q", said)
		}
		again("quit", `"ok":true`)
	}
	for _, c := range []struct {
		show  string
		wants []string
	}{
		{"", []string{"4 shows are running; choose one:", entry + "2\n", entry + "1\n", "other.yaml  since .*  on null  standby 7"}},
		{"show.yaml", []string{"3 shows play show.yaml; choose one:", entry + "2\n", entry + "1\n", "on raw:out.raw  standby 1"}},
		{"none.yaml", []string{"no show none.yaml is running; these are:"}},
	} {
		for right := false; !right; {
			command := exec.Command("voicepool", strings.Fields("attach "+c.show)...)
			command.Dir, command.Env = folder, environment
			text, _ := command.CombinedOutput()
			right = true
			for _, want := range c.wants {
				right = right && regexp.MustCompile(want).Match(text) && command.ProcessState.ExitCode() == 2
			}
			if !right && time.Now().After(limit) {
				t.Fatalf("attach %s says %s, without one of %q", c.show, text, c.wants)
			}
		}
	}
}
