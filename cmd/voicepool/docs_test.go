package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"
)

var codeBlock = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// TestDocsExplain runs what the page shows: sheets are written, commands are run and print
// what stands below them, Go is a part of an Example.
func TestDocsExplain(t *testing.T) {
	page, err := os.ReadFile("../../docs/explain.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("../../cue/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, block := range codeBlock.FindAllStringSubmatch(string(page), -1) {
		switch text := block[2]; block[1] {
		case "yaml":
			name, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		case "console":
			for _, step := range strings.Split("\n"+text, "\n$ ")[1:] {
				line, want, _ := strings.Cut(step, "\n")
				shown(t, line, want)
			}
		case "go":
			rest := string(example)
			for line := range strings.Lines(text) {
				_, after, found := strings.Cut(rest, strings.TrimSpace(line))
				if rest = after; !found {
					t.Fatalf("no Example of cue has, in its place, the line %s", line)
				}
			}
		default:
			t.Errorf("nobody runs a block of %q:\n%s", block[1], text)
		}
	}
}

// shown runs a command line and compares what it prints; what a page does not show may be
// anything.
func shown(t *testing.T, line, want string) {
	t.Helper()
	line, file, _ := strings.Cut(line, " > ")
	args := strings.Fields(line)
	var out, messages bytes.Buffer
	c := &console{in: strings.NewReader(""), out: &sticky{w: &out}, err: &messages}
	if args[0] != "voicepool" || command(args[1:], c) != exitDone {
		t.Fatalf("%s: %s", line, messages.String())
	}
	if file != "" {
		if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want = strings.TrimSpace(want); want != "" && want != strings.TrimSpace(out.String()) {
		t.Errorf("%s prints\n%s\nthe page shows\n%s", line, out.String(), want)
	}
}
