package voicepool_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrows says what each package of the module may import besides the standard
// library. A path that ends in /... stands for all below it. A new arrow is a
// new entry here, with its reason in the commit.
var arrows = map[string][]string{
	".":                    {},
	"pcm":                  {},
	"pool":                 {},
	"internal/words":       {},
	"internal/ring":        {},
	"internal/soundcheck":  {"voicepool/pcm"},
	"internal/dsp":         {"voicepool/pcm", "golang.org/x/sys/cpu"},
	"internal/loudness":    {"voicepool/pcm", "voicepool/internal/dsp"},
	"internal/fourier":     {"voicepool/pcm"},
	"internal/steal":       {"voicepool/pcm", "voicepool/internal/fourier", "voicepool/internal/dsp", "voicepool/internal/loudness", "voicepool/voice"},
	"voice":                {"voicepool/pcm", "voicepool/internal/dsp"},
	"mixer":                {"voicepool/pcm", "voicepool/voice", "voicepool/pool", "voicepool/internal/dsp", "voicepool/internal/ring", "voicepool/internal/loudness"},
	"sounds":               {"voicepool/pcm", "voicepool/voice", "voicepool/internal/dsp", "voicepool/internal/loudness", "voicepool/sounds/embedded"},
	"sounds/watch":         {"voicepool/sounds", "voicepool/voice", "github.com/fsnotify/fsnotify"},
	"sounds/embedded":      {},
	"beepio":               {"voicepool/mixer", "voicepool/sounds", "voicepool/pcm", "github.com/gopxl/beep/v2"},
	"device":               {"voicepool/pcm"},
	"device/internal/pace": {"voicepool/device", "voicepool/pcm"},
	"device/null":          {"voicepool/device", "voicepool/device/internal/pace", "voicepool/pcm"},
	"device/wav":           {"voicepool/device", "voicepool/device/internal/pace", "voicepool/pcm"},
	"device/oto":           {"voicepool/device", "voicepool/device/internal/pace", "voicepool/pcm", "github.com/ebitengine/oto/v3", "github.com/ebitengine/purego/..."},
	"device/devicetest":    {"voicepool/device", "voicepool/pcm", "go.uber.org/goleak"},
	"cue":                  {"voicepool/internal/loudness", "voicepool/sounds/embedded", "voicepool/mixer", "voicepool/voice", "voicepool/sounds", "voicepool/pcm", "github.com/goccy/go-yaml/..."},

	"cmd/internal/bar":    {},
	"cmd/internal/column": {"github.com/rivo/uniseg"},
	"cmd/internal/bench":  {"voicepool/device", "voicepool/internal/dsp", "voicepool/mixer", "voicepool/pcm", "voicepool/sounds", "voicepool/voice"},
	"cmd/internal/trial":  {"voicepool/cmd/internal/bench", "voicepool/cue", "voicepool/internal/loudness", "voicepool/internal/steal", "voicepool/internal/words", "voicepool/mixer", "voicepool/pcm", "voicepool/sounds", "voicepool/voice"},
	"cmd/internal/live":   {"voicepool/cmd/internal/bar", "voicepool/cmd/internal/column", "voicepool/cue", "voicepool/internal/words", "voicepool/mixer", "voicepool/pcm", "golang.org/x/term"},
}

// free are the folders from which anything may be imported.
var free = []string{"cmd/voicepool", "examples/", "internal/soundcheck/cmd"}

// quiet may not stand in the imports of what runs on the audio side.
var quiet = []string{"fmt", "log", "os", "time", "reflect", "sync", "syscall", "io", "context"}

// audioSide reports whether a file's code runs inside Render.
func audioSide(file string) bool {
	dir, name := path.Split(file)
	switch dir {
	case "internal/dsp/", "internal/ring/":
		return true
	case "voice/":
		return name != "sound.go" && name != "stream.go" // the control side of sounds
	case "mixer/":
		return strings.HasPrefix(name, "audio") || name == "limiter.go"
	}
	return false
}

func TestArrows(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		if base := path.Base(file); d.IsDir() && base != "." && (base[0] == '.' || base[0] == '_' || base == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() && file != "." && file != "cmd" {
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil {
				return fs.SkipDir // a module of its own, with requirements of its own
			}
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := path.Dir(file)
		seen[dir] = true
		allowed, known := arrows[dir]
		anything := slices.ContainsFunc(free, func(p string) bool { return strings.HasPrefix(dir+"/", p) || strings.HasPrefix(dir, p) })
		if !known && !anything {
			t.Errorf("%s: the package %s has no entry among the arrows", file, dir)
		}
		for _, spec := range f.Imports {
			p, _ := strconv.Unquote(spec.Path.Value)
			if audioSide(file) && slices.Contains(quiet, p) {
				t.Errorf("%s imports %s, on the audio side", file, p)
			}
			first, _, _ := strings.Cut(p, "/")
			if standard := !strings.Contains(first, ".") && !strings.HasPrefix(p, "voicepool/"); standard || anything {
				continue
			}
			if !slices.ContainsFunc(allowed, func(a string) bool {
				below, wild := strings.CutSuffix(a, "/...")
				return p == a || wild && (p == below || strings.HasPrefix(p, below+"/"))
			}) {
				t.Errorf("%s imports %s, which is no arrow of the design", file, p)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range arrows {
		if !seen[dir] {
			t.Errorf("%s has arrows and no files", dir)
		}
	}
}

// light is what a game may compile besides the module and the standard library, when
// it imports no more than the mixer, the sounds and the sound card.
var light = []string{
	"github.com/ebitengine/oto/v3", "github.com/ebitengine/purego", "github.com/jfreymuth/pulse", "golang.org/x/sys",
}

// TestAMinimalGameIsLight: it compiles nothing that watches files, reads YAML or
// drives a terminal, on any system.
func TestAMinimalGameIsLight(t *testing.T) {
	for _, system := range []string{"linux", "windows", "darwin"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{end}}{{.ImportPath}}", "voicepool/mixer", "voicepool/sounds", "voicepool/device/oto")
		list.Env = append(list.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%s: %v: %s", list, err, err.(*exec.ExitError).Stderr)
		}
		compiled := 0
		for line := range strings.Lines(string(out)) {
			module, pkg, found := strings.Cut(strings.TrimSpace(line), " ")
			if !found { // of the standard library
				continue
			}
			compiled++
			if !strings.HasPrefix(pkg, "voicepool/") && !slices.Contains(light, module) {
				t.Errorf("on %s a game compiles %s, of %s", system, pkg, module)
			}
			if strings.HasPrefix(pkg, "voicepool/cue") || strings.HasPrefix(pkg, "voicepool/cmd") || strings.HasSuffix(pkg, "/yaml") {
				t.Errorf("on %s a game compiles %s", system, pkg)
			}
		}
		if compiled < 12 {
			t.Errorf("on %s a game compiles %d packages of modules, too few to be all", system, compiled)
		}
	}
}
