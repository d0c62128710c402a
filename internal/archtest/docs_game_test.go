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

// TestGamePageRuns builds main.go of docs/game.md as written, and runs the test on the page beside it. It runs a copy
// of the function run that has the null device in place of the sound card, and then the fragments in their order, with
// a mixer of package audiotest.
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
		case strings.Contains(p.text(), "\nfunc main() {"):
			write("main.go", p.text())
			run := regexp.MustCompile(`(?ms)^func run\(\) error \{.*?^\}\n`).FindString(p.text())
			declared.WriteString(strings.NewReplacer("run()", "runSilent()", "auto.Open(m, auto.Config{})", "openNull(m)").Replace(run))
		case strings.Contains(p.text(), "\npackage main\n"):
			write("main_test.go", p.text())
		case regexp.MustCompile(`(?m)^func \w`).MatchString(p.text()):
			declared.WriteString(p.text())
		default:
			text := p.text()
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

func openNull(m *mixer.Mixer) *null.Paced {
	out := null.NewPaced(null.Config{Rate: m.Rate()})
	out.Start(m)
	return out
}

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if err := runSilent(); err != nil || time.Since(begun) != 2*time.Second {
			t.Errorf("run ends after %v with %v", time.Since(begun), err)
		}
	})
}

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
	head := "package main\n"
	for _, name := range slices.Sorted(maps.Keys(packageOf)) {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(code) {
			head += fmt.Sprintf("import %s %q\n", name, packageOf[name])
		}
	}
	write("blocks_test.go", head+code)
	args := []string{"test", "-vet=off", "-ldflags=-w", "-v"}
	for _, name := range []string{"main.go", "main_test.go", "blocks_test.go"} {
		args = append(args, filepath.Join(folder, name))
	}
	run := exec.Command("go", args...)
	printed, err := run.CombinedOutput()
	for _, want := range []string{"--- PASS: TestRun", "--- PASS: TestBlocks", "--- PASS: TestFightBeginsAtTheBar"} {
		if err != nil || !strings.Contains(string(printed), want) {
			t.Fatalf("the code of %s ended with %v, want %s; it printed\n%s", page, err, want, printed)
		}
	}
}
