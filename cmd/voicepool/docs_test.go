package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"voicepool/cmd/internal/cli/console"
)

var codeBlock = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

// TestDocsRun runs the examples of pages. It writes the sheets that begin with their name, runs the
// commands of console blocks, and compares their output. The Go code of explain.md must be part of
// an Example.
func TestDocsRun(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(page), func(t *testing.T) { ran += runPage(t, string(text), filepath.Base(page) == "explain.md") })
	}
	if ran < 10 {
		t.Errorf("%d commands were run, want at least 10", ran)
	}
}

// runPage runs the blocks of a page, and returns the number of commands. In a strict page, every
// block must be of a known kind.
func runPage(t *testing.T, page string, strict bool) (ran int) {
	t.Helper()
	example, err := os.ReadFile("../../cue/record/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, block := range codeBlock.FindAllStringSubmatch(page, -1) {
		switch text := block[2]; block[1] {
		case "yaml":
			head, _, _ := strings.Cut(text, "\n")
			name, named := strings.CutPrefix(head, "# ")
			if !named {
				continue
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		case "console":
			for _, step := range strings.Split("\n"+text, "\n$ ")[1:] {
				line, want, _ := strings.Cut(step, "\n")
				shown(t, line, want)
				ran++
			}
		case "go":
			if !strict {
				continue
			}
			rest := string(example)
			for line := range strings.Lines(text) {
				_, after, found := strings.Cut(rest, strings.TrimSpace(line))
				if rest = after; !found {
					t.Fatalf("no Example of record has, in its place, the line %s", line)
				}
			}
		default:
			if strict {
				t.Errorf("nobody runs a block of %q:\n%s", block[1], text)
			}
		}
	}
	return ran
}

// shown runs a command line and compares its output with the page, if the page shows output.
func shown(t *testing.T, line, want string) {
	t.Helper()
	line, file, _ := strings.Cut(line, " > ")
	args := strings.Fields(line)
	var out, messages bytes.Buffer
	c := &console.Console{In: strings.NewReader(""), Out: &console.Sticky{W: &out}, Err: &messages}
	if args[0] != "voicepool" || command(args[1:], c) != console.ExitDone {
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
