package archtest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"voicepool/effect"
)

var update = flag.Bool("update", false, "write the tables in docs/effects.md and docs/cues.md, and testdata/prose_budgets.txt")

// TestEffectsPage compares the table of parameters in docs/effects.md with the program; -update writes it.
func TestEffectsPage(t *testing.T) { checkPart(t, "docs/effects.md", "effects", effectsTable()) }

// checkPart compares the part of a page between the comments of the given name with text; -update writes it.
func checkPart(t *testing.T, page, name, text string) {
	t.Helper()
	from, to := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(old), from)
	_, tail, found := strings.Cut(rest, to)
	if !ok || !found {
		t.Fatalf("%s has no %s%s", page, from, to)
	}
	want := head + from + text + to + tail
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(old) != want {
		t.Errorf("%s does not have the table of the program; run go test -run %s ./internal/archtest -update", page, t.Name())
	}
}

func effectsTable() string {
	var b strings.Builder
	for _, k := range effect.Kinds() {
		fmt.Fprintf(&b, "### `%s`\n%s.\n\n| key | takes | default | |\n|---|---|---|---|\n", k.Name, sentence(k.Does))
		for i := range k.Params {
			row(&b, "", &k.Params[i])
		}
		for i := range k.Band {
			row(&b, "bands: ", &k.Band[i])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func row(b *strings.Builder, of string, p *effect.Param) {
	fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", of, p.Name, p.Range(), p.Spell(p.Default), p.Does)
}

// sentence capitalizes the first letter.
func sentence(words string) string { return strings.ToUpper(words[:1]) + words[1:] }
