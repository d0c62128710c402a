package archtest

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"voicepool/bank"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/expect"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// position formats a line like a compiler.
func position(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

// packageOf maps the names that a fragment may use without an import to packages.
var packageOf = map[string]string{
	"bytes": "bytes", "context": "context", "embed": "embed", "errors": "errors", "fmt": "fmt", "io": "io", "log": "log", "os": "os",
	"testing": "testing", "sync": "sync", "synctest": "testing/synctest", "time": "time", "sha256": "crypto/sha256", "binary": "encoding/binary", "hex": "encoding/hex",
	"beep": "github.com/gopxl/beep/v2", "speaker": "github.com/gopxl/beep/v2/speaker",
	"effects": "github.com/gopxl/beep/v2/effects", "fs": "io/fs", "dsp": "voicepool/internal/dsp",
	"audiotest":  "voicepool/audiotest",
	"auto":       "voicepool/device/auto",
	"bank":       "voicepool/bank",
	"beepio":     "voicepool/beepio",
	"cue":        "voicepool/cue",
	"play":       "voicepool/cue/play",
	"record":     "voicepool/cue/record",
	"device":     "voicepool/device",
	"effect":     "voicepool/effect",
	"library":    "voicepool/sounds/library",
	"devicetest": "voicepool/device/devicetest",
	"embedded":   "voicepool/sounds/embedded",
	"mixer":      "voicepool/mixer",
	"null":       "voicepool/device/null",
	"oto":        "voicepool/device/oto",
	"pulse":      "voicepool/device/pulse",
	"pcm":        "voicepool/pcm",
	"pool":       "voicepool/pool",
	"reader":     "voicepool/device/reader",
	"report":     "voicepool/cue/report",
	"rules":      "voicepool/bank/rules",
	"sounds":     "voicepool/sounds",
	"space":      "voicepool/space",
	"tone":       "voicepool/sounds/tone",
	"voice":      "voicepool/voice",
	"watch":      "voicepool/sounds/watch",
	"wav":        "voicepool/device/wav",
}

// preamble declares the variables that fragments may use without a declaration.
const preamble = `
var (
	m      *mixer.Mixer
	h      mixer.Handle
	e      mixer.Event
	out    device.Device
	b      *bank.Bank
	assets fs.FS
	lib   *library.Library
	boom, coin, engine, intro, outro, shot, step, theme *sounds.Sound
	ctx    context.Context
	err    error
	first, second, third library.Source
	config mixer.Config
	fileOf func(*sounds.Sound) (rules.Sound, bool)
	entries []mixer.Entry
	file   *os.File
	executable string
	music   mixer.Bus
	insert  mixer.Insert
	events  []mixer.Event
	handles []mixer.Handle
	spots   []space.Spot
	streamer beep.Streamer
	chain   func(beep.Streamer) beep.Streamer
	engineNow bank.Handle
	f       func()
	t       *testing.T
)
`

// rows returns the code in the last cells of the tables of docs/migrating.md, except lines of a file and
// plain words.
func rows(t *testing.T) map[string]string {
	t.Helper()
	code, sources := regexp.MustCompile("`[^`]+`"), map[string]string{}
	for _, p := range readPage(t, "docs/migrating.md") {
		for i, line := range p.lines {
			cells := strings.Split(strings.Trim(line, "|"), " | ")
			if p.block || !strings.HasPrefix(line, "|") || len(cells) != 2 || strings.Contains(cells[1], "in the file:") {
				continue
			}
			at, text := position("docs/migrating.md", p.first+i), ""
			for _, span := range code.FindAllString(cells[1], -1) {
				span = strings.Trim(span, "`")
				if x, err := parser.ParseExpr(span); err == nil {
					if _, call := x.(*ast.CallExpr); !call {
						span = "_ = " + span
					}
				}
				text += span + "\n"
			}
			if text != "" {
				sources[at] = complete(t, at, text)
			}
		}
	}
	if len(sources) < 60 {
		t.Errorf("docs/migrating.md has %d rows with code, too few to be all", len(sources))
	}
	return sources
}

// TestGoBlocks compiles every block of Go: a file as it is, declarations with the imports that they need, and
// statements inside a function. The blocks must be formatted. The only allowed error is a variable that is
// declared and not used.
func TestGoBlocks(t *testing.T) {
	found := blocks(t, "go")
	sources := rows(t)
	for at, p := range found {
		if !strings.HasPrefix(at, "docs/game.md:") { // TestGamePageRuns compiles them together
			sources[at] = complete(t, at, p.text())
		}
		if formatted, err := format.Source([]byte(p.text())); err == nil && string(formatted) != p.text() {
			t.Errorf("%s: the block is not formatted as gofmt does; it would be\n%s", at, formatted)
		}
	}
	files := token.NewFileSet()
	imports := exported(t, sources)(files)
	for _, at := range slices.Sorted(maps.Keys(sources)) {
		f, err := parser.ParseFile(files, "block.go", sources[at], parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", at, err)
			continue
		}
		config := types.Config{Importer: imports, Error: func(err error) {
			if fault := err.(types.Error); !strings.HasPrefix(fault.Msg, "declared and not used") {
				line := 0
				if p := files.Position(fault.Pos); p.Filename == "page" {
					line = p.Line - 1
				}
				t.Errorf("%s, line %d of the block: %s", at, line+1, fault.Msg)
			}
		}}
		config.Check("block", files, []*ast.File{f}, nil)
	}
}

// complete makes a file from a block.
func complete(t *testing.T, at, text string) string {
	if strings.HasPrefix(text, "package ") {
		return "//line page:1\n" + text
	}
	body := "//line page:1\n" + text
	if _, err := parser.ParseFile(token.NewFileSet(), "", "package block\n"+body, 0); err != nil {
		body = "func _() error {\n" + body + "\npanic(0)\n}\n"
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package block\n"+preamble+body, 0)
	if err != nil {
		t.Errorf("%s: %v", at, err)
		return "package block\n"
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if name, ok := s.X.(*ast.Ident); ok && name.Obj == nil && packageOf[name.Name] != "" {
				used[name.Name] = true
			}
		}
		return true
	})
	head := "package block\n"
	for _, name := range slices.Sorted(maps.Keys(used)) {
		head += fmt.Sprintf("import %s %q\n", name, packageOf[name])
	}
	return head + preamble + body
}

// exports returns the export data files of the compiler by path, for all packages that fragments may name and
// all their dependencies.
var exports = sync.OnceValues(func() (map[string]string, error) {
	return listExports(slices.Sorted(maps.Values(packageOf)))
})

// listExports returns the export data files of packages and of all their dependencies.
func listExports(packages []string) (map[string]string, error) {
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, packages...)...)
	var why strings.Builder
	list.Stderr = &why
	listed, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", list, err, &why)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(listed)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[name] = file
	}
	return files, nil
}

// exported returns an importer for all imports of the sources, based on export data.
func exported(t *testing.T, sources map[string]string) func(*token.FileSet) types.Importer {
	t.Helper()
	wanted := map[string]bool{}
	for _, source := range sources {
		f, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ImportsOnly)
		if err != nil {
			continue
		}
		for _, i := range f.Imports {
			wanted[strings.Trim(i.Path.Value, `"`)] = true
		}
	}
	compiled, err := exports()
	if err != nil {
		t.Fatal(err)
	}
	files := maps.Clone(compiled)
	maps.DeleteFunc(wanted, func(path string, _ bool) bool { return files[path] != "" || path == "unsafe" })
	if len(wanted) > 0 {
		more, err := listExports(slices.Sorted(maps.Keys(wanted)))
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(files, more)
	}
	return func(set *token.FileSet) types.Importer {
		return importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	}
}

// TestPageTest runs the first test of docs/testing.md in a separate folder.
func TestPageTest(t *testing.T) {
	t.Parallel()
	for at, p := range blocks(t, "go") {
		if !strings.HasPrefix(at, "docs/testing.md:") || !strings.HasPrefix(p.text(), "package game") {
			continue
		}
		file := filepath.Join(t.TempDir(), "game_test.go")
		if err := os.WriteFile(file, []byte(p.text()), 0o644); err != nil {
			t.Fatal(err)
		}
		if printed, err := exec.Command("go", "test", "-ldflags=-w", "-v", file).CombinedOutput(); err != nil || !strings.Contains(string(printed), "--- PASS: TestJump") {
			t.Errorf("%s: the test ended with %v and printed\n%s", at, err, printed)
		}
		return
	}
	t.Error("docs/testing.md has no test")
}

// TestYAMLBlocks parses every block of YAML as rules, as a bank, or as a sheet completed with missing declarations and
// cues.
func TestYAMLBlocks(t *testing.T) {
	for at, p := range blocks(t, "yaml") {
		text := p.text()
		if regexp.MustCompile(`(?m)^expect:`).MatchString(text) { // rules, see package expect
			if _, err := expect.Parse(at, []byte(text)); err != nil {
				t.Errorf("%s: %v", at, err)
			}
			continue
		}
		if strings.HasPrefix(text, "-") {
			text = "cues:\n" + text
		}
		for _, missing := range []string{
			"sounds: {song: theme, boom: explosion, step: step1, shot: {file: shot, coalesce: 30ms}}\n",
			"buses: {music: {}, sfx: {}}\n",
			"cues: [{at: 0s, play: coin}]\n", "scenes: {menu: {voices: 8}}\n",
		} {
			key, _, _ := strings.Cut(missing, ":")
			if !regexp.MustCompile(`(?m)^` + key + `:`).MatchString(text) {
				text += missing
			}
		}
		if _, err := bank.Parse(at, []byte(p.text())); err == nil {
			continue
		}
		if _, err := cue.Parse(at, []byte(text)); err != nil {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// TestReadmeSheet renders the sheet of the README to its end.
func TestReadmeSheet(t *testing.T) {
	t.Parallel()
	for at, p := range blocks(t, "yaml") {
		if !strings.HasPrefix(at, "README.md:") {
			continue
		}
		sheet, err := cue.Parse(at, []byte(p.text()))
		if err != nil {
			t.Fatal(err)
		}
		lib := library.NewLibrary(library.Options{Rate: sheet.Rate})
		player, err := play.NewPlayer(context.Background(), sheet, lib, play.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for block := make([]pcm.Frame, 4096); err == nil; {
			_, err = player.Read(block)
		}
		if totals := player.Report().Totals; !errors.Is(err, io.EOF) || totals.Started != 22 || totals.Missed > 0 {
			t.Errorf("%s: the render ended with %v after %d starts, %d cues missed", at, err, totals.Started, totals.Missed)
		}
		return
	}
	t.Error("README.md has no sheet")
}

// variables maps variables of the fragments that are also used in prose to their types.
var variables = map[string]string{"a": "Audio", "b": "Bank", "m": "Mixer", "h": "Handle", "lib": "Library", "mu": "Music"}

// TestPagesNameAPI checks names written as code in prose: package.Name, Type.Member, or a member of a
// variable of the fragments.
func TestPagesNameAPI(t *testing.T) {
	source := "package block\n"
	for _, path := range slices.Sorted(maps.Values(packageOf)) {
		source += fmt.Sprintf("import %q\n", path)
	}
	from := exported(t, map[string]string{"": source})(token.NewFileSet())
	scopes := map[string]*types.Scope{}
	for name, path := range packageOf {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		scopes[name] = p.Scope()
	}
	has := func(o types.Object, member string) bool {
		if o == nil {
			return false
		}
		found, _, _ := types.LookupFieldOrMethod(o.Type(), true, o.Pkg(), member)
		return found != nil || member == ""
	}
	span := regexp.MustCompile("`([A-Za-z]\\w*)\\.([A-Z]\\w*)(?:\\.([A-Z]\\w*))?\\b")
	named := 0
	for _, page := range pages {
		for _, p := range readPage(t, page.file) {
			for i, line := range p.lines {
				if p.block || page.file == "docs/migrating.md" && strings.HasPrefix(line, "|") { // compiled by TestGoBlocks
					break
				}
				for _, m := range span.FindAllStringSubmatch(presentText(page.file, line), -1) {
					owner, name, member := m[1], m[2], m[3]
					ok := false
					if scope := scopes[owner]; scope != nil {
						ok = has(scope.Lookup(name), member)
					} else {
						if variables[owner] != "" {
							owner = variables[owner]
						}
						for _, scope := range scopes {
							ok = ok || has(scope.Lookup(owner), name)
						}
					}
					if named++; !ok {
						t.Errorf("%s: there is no %s", position(page.file, p.first+i), strings.TrimPrefix(m[0], "`"))
					}
				}
			}
		}
	}
	if named < 50 {
		t.Errorf("only %d names were found", named)
	}
}
