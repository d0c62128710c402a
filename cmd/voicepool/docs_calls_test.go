package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestDocumentedCommands parses every call of the command on the pages, at the root and in docs/, and in
// the examples of --help with the command's own grammar, and checks the commands named in prose. Each
// command must have an example.
func TestDocumentedCommands(t *testing.T) {
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	parser, err := kong.New(&grammar{}, kong.Name("voicepool"), kong.WithHyphenPrefixedParameters(true))
	if err != nil {
		t.Fatal(err)
	}
	parsed, named := 0, 0
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for at, arguments := range calls(filepath.Base(page), string(data)) {
			parsed++
			if _, err := parser.Parse(arguments); err != nil {
				t.Errorf("%s: voicepool %s: %v", at, strings.Join(arguments, " "), err)
			}
		}
		for _, m := range regexp.MustCompile("`voicepool ([a-z]\\w*)").FindAllStringSubmatch(string(data), -1) {
			named++
			if err := knownCommand(parser.Model.Node, m[1]); err != nil {
				t.Errorf("%s: %v", filepath.Base(page), err)
			}
		}
	}
	for _, leaf := range parser.Model.Leaves(true) {
		list := calls(leaf.Path(), "```sh\n"+strings.Join(examples[leaf.Path()], "\n"))
		if len(list) == 0 || len(list) != len(examples[leaf.Path()]) {
			t.Errorf("%d examples of voicepool %s are calls, of %q", len(list), leaf.Path(), examples[leaf.Path()])
		}
		for at, arguments := range list {
			if ctx, err := parser.Parse(arguments); err != nil {
				t.Errorf("%s: voicepool %s: %v", at, strings.Join(arguments, " "), err)
			} else if ctx.Selected() != leaf {
				t.Errorf("%s: voicepool %s is a call of %s", at, strings.Join(arguments, " "), ctx.Command())
			}
		}
	}
	if parsed < 20 || named < 10 {
		t.Errorf("%d calls in blocks and %d in prose were found, want at least 20 and 10", parsed, named)
	}
}

// calls returns the arguments of each call in the shell blocks of a page, by position.
func calls(page, text string) map[string][]string {
	found := map[string][]string{}
	shell, call := false, ""
	for i, line := range strings.Split(text, "\n") {
		if language, fence := strings.CutPrefix(line, "```"); fence {
			shell, call = language == "sh" || language == "console", ""
			continue
		}
		line, _, _ = strings.Cut(line, " #")
		line, goesOn := strings.CutSuffix(strings.TrimSpace(line), `\`)
		call += line + " "
		if goesOn {
			continue
		}
		call = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(call), "$ "), "go run ./cmd/")
		if rest, ours := strings.CutPrefix(call, "voicepool "); shell && ours {
			rest, _, _ = strings.Cut(rest, " > ")
			rest, _, _ = strings.Cut(rest, " | ")
			found[fmt.Sprintf("%s:%d", page, i+1)] = strings.Fields(rest)
		}
		call = ""
	}
	return found
}
