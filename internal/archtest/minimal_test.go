package archtest

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"voicepool/internal/longtest"
)

// commands returns the README's commands for a new game: they make a module, add this module and the
// requirements, then test and run the program.
func commands(t *testing.T) [][]string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range readPage(t, "README.md") {
		text := p.text()
		if !p.block || p.language != "sh" || !strings.HasPrefix(text, "go mod init game") {
			continue
		}
		var list [][]string
		for line := range strings.Lines(strings.ReplaceAll(text, "../SOURCE", root)) {
			line, _, _ = strings.Cut(line, "#")
			for command := range strings.SplitSeq(line, "&&") {
				list = append(list, strings.Fields(command))
			}
		}
		return list
	}
	t.Fatal("README.md has no block that begins with go mod init game")
	return nil
}

// begin makes a game from a program and an optional test in an empty folder. It runs the README's commands
// except the last two, which test and run the game.
func begin(t *testing.T, program, test string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range map[string]string{"main.go": program, "main_test.go": test} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := commands(t)
	for _, command := range list[:len(list)-2] {
		run(t, folder, nil, command...)
	}
	return folder
}

// run runs a command without a network and returns its output.
func run(t *testing.T, folder string, environment []string, command ...string) string {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Dir = folder
	c.Env = append(c.Environ(), "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	c.Env = append(c.Env, environment...)
	printed, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, printed)
	}
	return string(printed)
}

// readmeTest returns the test of the README's game with its imports.
func readmeTest(t *testing.T) string {
	t.Helper()
	for at, p := range blocks(t, "go") {
		if strings.HasPrefix(at, "README.md:") && strings.HasPrefix(p.text(), "func Test") {
			if len(p.lines) > 12 {
				t.Errorf("%s: the test has %d lines, want at most 12", at, len(p.lines))
			}
			file := "package main\n"
			for name, path := range packageOf {
				if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(p.text()) {
					file += "import " + strconv.Quote(path) + "\n"
				}
			}
			return file + p.text()
		}
	}
	t.Fatal("README.md has no test")
	return ""
}

// TestReadmeGame makes the game of the README like a reader, tests it, and runs it without a sound card.
func TestReadmeGame(t *testing.T) {
	t.Parallel()
	for at, p := range blocks(t, "go") {
		if !strings.HasPrefix(at, "README.md:") || !strings.HasPrefix(p.text(), "package main") {
			continue
		}
		if len(p.lines) > 30 {
			t.Errorf("%s: the game has %d lines, want at most 30", at, len(p.lines))
		}
		folder, list := begin(t, p.text(), readmeTest(t)), commands(t)
		// linking is faster without DWARF, which is not needed
		tested := run(t, folder, []string{"GOFLAGS=-ldflags=-w"}, append(list[len(list)-2], "-v")...)
		if !strings.Contains(tested, "--- PASS: TestCoin") {
			t.Errorf("the test printed\n%s", tested)
		}
		printed := run(t, folder, []string{"GOFLAGS=-tags=nooto -ldflags=-w"}, list[len(list)-1]...)
		want := regexp.MustCompile(`null: this program was built without sound \(tag nooto\): 6[0-4] started, [34]\d stolen`)
		if !want.MatchString(printed) {
			t.Errorf("%s: the game printed\n%s", at, printed)
		}
		return
	}
	t.Error("README.md has no program")
}

// light are the modules that a game may compile, besides this module and the standard library, if it imports
// only the mixer, the sounds and the device.
var light = []string{
	"github.com/ebitengine/oto/v3", "github.com/ebitengine/purego", "github.com/jfreymuth/pulse", "golang.org/x/sys",
}

// summed are modules that may be in the go.sum of a game but are never compiled. `go mod tidy` reads the
// tests of imported packages, and the tests of mixer, pool, sounds and voice use rapid for their state
// machines.
var summed = []string{"pgregory.net/rapid"}

// sizes is the maximum size of a minimal game in bytes, stripped. Volumes of buses added one page of 4 kB;
// importance, effects that are replaced, and calls for several voices added three.
const sizes = 5_670_000

// bankSizes is the maximum for a game with a bank. The YAML reader and the effects with their kernels account for 0.35
// MB, stacked scenes and volumes for 0.04 MB, the parser of `music` for 0.07 MB, and groups of sounds for 0.05 MB. The
// planner of music and math/big are only in games that call Bank.Music.
const bankSizes = 7_400_000

// TestABankCarriesNoSounds checks that a game with a bank of its own files does not contain the embedded
// sounds.
func TestABankCarriesNoSounds(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile("internal/archtest/testdata/bank/main.go")
	if err != nil {
		t.Fatal(err)
	}
	folder := begin(t, string(program), "")
	listed := strings.Fields(run(t, folder, nil, "go", "list", "-deps", "."))
	if !slices.Contains(listed, "voicepool/bank") || slices.Contains(listed, "voicepool/sounds/embedded") {
		t.Errorf("a game with a bank compiles %s", strings.Join(listed, " "))
	}
	if longtest.Enabled() {
		stripped(t, folder, bankSizes)
	}
}

// TestAMinimalGameIsLight checks that a game with its own sounds compiles no code for watching files, reading
// YAML, terminals or embedded sounds on any system. The game must be small, and its go.sum must not have
// modules of our tests, as far as go allows.
func TestAMinimalGameIsLight(t *testing.T) {
	t.Parallel()
	program, err := os.ReadFile("internal/archtest/testdata/minimal/main.go")
	if err != nil {
		t.Fatal(err)
	}
	folder := begin(t, string(program), "")
	for _, system := range []string{"linux", "windows", "darwin"} {
		listed := run(t, folder, []string{"GOOS=" + system, "GOARCH=amd64"},
			"go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} - {{end}}{{.ImportPath}}", ".")
		compiled := 0
		for line := range strings.Lines(listed) {
			words := strings.Fields(line)
			if len(words) < 3 || words[0] == "game" { // the standard library and the game
				continue
			}
			compiled++
			pkg, ours := strings.CutPrefix(words[2], "voicepool/")
			if !ours && !slices.Contains(light, words[0]) {
				t.Errorf("on %s a game compiles %s, of %s", system, words[2], words[0])
			}
			heavy := slices.ContainsFunc([]string{"bank", "beepio", "cmd", "cue", "embedded", "yaml", "watch"}, func(h string) bool {
				return path.Base(pkg) == h || strings.HasPrefix(pkg, h)
			})
			if ours && heavy {
				t.Errorf("on %s a game compiles %s", system, pkg)
			}
		}
		if compiled < 12 {
			t.Errorf("on %s a game compiles %d packages of modules, too few to be all", system, compiled)
		}
	}
	sums, err := os.ReadFile(filepath.Join(folder, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		if module := strings.Fields(line)[0]; !slices.Contains(light, module) && !slices.Contains(summed, module) {
			t.Errorf("the go.sum of a game has %s", module)
		}
	}
	if !longtest.Enabled() {
		return
	}
	stripped(t, folder, sizes)
}

// stripped builds a game for four systems and reports sizes above most bytes.
func stripped(t *testing.T, folder string, most int64) {
	t.Helper()
	for _, target := range []string{"linux/amd64", "linux/arm64", "windows/amd64", "darwin/arm64"} {
		system, machine, _ := strings.Cut(target, "/")
		run(t, folder, []string{"GOOS=" + system, "GOARCH=" + machine},
			"go", "build", "-trimpath", "-ldflags=-s -w", "-o", "out", ".")
		out, err := os.Stat(filepath.Join(folder, "out"))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.2f MB", target, float64(out.Size())/1e6)
		if out.Size() > most {
			t.Errorf("on %s a game has %d bytes, want at most %d", target, out.Size(), most)
		}
	}
}
