package archtest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGamePageRuns runs all Go blocks of docs/game.md in their order, with the bank of its first block and a mixer of
// package audiotest. It also runs the test on the page.
func TestGamePageRuns(t *testing.T) {
	t.Parallel()
	const page = "docs/game.md"
	var declared, body, calls strings.Builder
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range readPage(t, page) {
		switch at := position(page, p.first); {
		case p.language == "yaml":
			write("sounds.yaml", p.text())
		case p.language != "go":
		case strings.HasPrefix(p.text(), "package "):
			write("page_test.go", p.text())
		case regexp.MustCompile(`(?m)^func \w`).MatchString(p.text()):
			declared.WriteString(p.text())
		default:
			text := strings.ReplaceAll(p.text(), "auto.Open(m, auto.Config{})", "null.NewPaced(null.Config{Rate: m.Rate()})")
			if !regexp.MustCompile(`(?m)^return .*\n\z`).MatchString(text) {
				text += "return err\n"
			}
			name := fmt.Sprintf("block%d", p.first)
			fmt.Fprintf(&body, "func %s() error {\n//line %s:%d\n%s}\n", name, page, p.first, text)
			fmt.Fprintf(&calls, "{%q, %s},\n", at, name)
		}
	}
	code := declared.String() + body.String() + `
var (
	b *bank.Bank
	m *mixer.Mixer
)

func TestBlocks(t *testing.T) {
	var err error
	if b, err = openBank(); err != nil {
		t.Fatal(err)
	}
	config := b.Config()
	config.MaxVoices = 64
	a := audiotest.New(t, config)
	m = a.Mixer()
	if err := b.Use(m); err != nil {
		t.Fatal(err)
	}
	for _, block := range []struct {
		at  string
		run func() error
	}{
` + calls.String() + `{"setFocus", func() error { return setFocus(m, true) }},
	} {
		if err := block.run(); err != nil {
			t.Errorf("%s: %v", block.at, err)
		}
		a.Step(500 * time.Millisecond)
	}
	a.Heard("click")
	a.Heard("motor")
	a.Heard("clap")
	if voices := m.Stats().Voices; voices != 48 {
		t.Errorf("%d voices, want 48", voices)
	}
}
`
	head := "package game\n"
	for _, name := range slices.Sorted(maps.Keys(packageOf)) {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(code) {
			head += fmt.Sprintf("import %s %q\n", name, packageOf[name])
		}
	}
	write("blocks_test.go", head+code)
	run := exec.Command("go", "test", "-vet=off", "-ldflags=-w", "-v", filepath.Join(folder, "blocks_test.go"), filepath.Join(folder, "page_test.go"))
	printed, err := run.CombinedOutput()
	for _, want := range []string{"--- PASS: TestBlocks", "--- PASS: TestFightBeginsAtTheBar"} {
		if err != nil || !strings.Contains(string(printed), want) {
			t.Fatalf("the code of %s ended with %v, want %s; it printed\n%s", page, err, want, printed)
		}
	}
}
