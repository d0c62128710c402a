package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutants walks a package in which every function but one has a fault.
func TestMutants(t *testing.T) {
	t.Parallel()
	p := load(t, "testdata/mutants", "", nil, ".")
	w := walk(p, p.method(t, "mutants", "Side", "Render"), rules{packages: []string{"mutants", "cmp", "slices", "math", "math/bits", "sync/atomic"}, assembly: []string{"math", "sync/atomic"}, unknown: []string{"mutants.Effect.Process"}})
	want := []string{
		"Side).Render calls mutants.Hooks.Begin, which may be anything",
		"clock).fault calls time.Now, of the package time",
		"Side).lock calls (*sync.Mutex).Lock, of the package sync",
		"Side).deferred calls (*sync.Mutex).Unlock, of the package sync",
		"Side).closure calls time.Sleep, of the package time",
		"Side).receive receives from a channel", "Side).send sends to a channel", "Side).choose selects among channels",
		"Side).shut closes a channel", "Side).makeChannel makes a channel",
		"Side).makeMap makes a map", "Side).read reads a map", "Side).write writes to a map", "Side).walk walks a map", "Side).drop asks delete of a map",
		"Side).start starts a goroutine", "mutants.nobody has no body in Go",
	}
	for _, text := range want {
		found := 0
		for _, f := range w.findings {
			if strings.Contains(f.what, text) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%q is found %d times, want once", text, found)
		}
	}
	if len(w.findings) != len(want) {
		t.Errorf("%d findings, want %d: %v", len(w.findings), len(want), w.findings)
	}
	if got := w.exceptions(); len(got) != 1 || got[0] != "mutants.Effect.Process" {
		t.Errorf("allowed: %v", got)
	}
}

// TestFaults puts faults into the mixer's own files, as they are read, and takes the rest
// of the module as it is.
func TestFaults(t *testing.T) {
	t.Parallel()
	overlay := map[string][]byte{}
	mutate := func(file, imports string, changes ...string) {
		path, err := filepath.Abs(filepath.Join(module, file))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out := strings.Replace(string(text), "import (", "import (\n"+imports, 1)
		for i := 0; i < len(changes); i += 2 {
			if strings.Count(out, changes[i]) != 1 {
				t.Fatalf("%s: %q is there %d times", file, changes[i], strings.Count(out, changes[i]))
			}
			out = strings.Replace(out, changes[i], changes[i]+"\n"+changes[i+1], 1)
		}
		overlay[path] = []byte(out)
	}
	mutate("mixer/audio.go", "\"time\"\n\"sync\"\n",
		"func (a *audio) publish(from int64) {", "a.stats.Late += time.Now().Unix()",
		"func (a *audio) obey() {", "var x sync.Mutex; x.Lock()",
		"func (a *audio) tick() {", "var m Mixer; m.mutex.Lock(); m.done.waiting[Handle{}] = nil")
	p := load(t, module, "", overlay, audioSide...)
	w := walk(p, p.method(t, "voicepool/mixer", "Mixer", "Render"), mixerRules)
	want := []string{
		"audio).publish calls time.Now, of the package time", "audio).publish calls (time.Time).Unix, of the package time",
		"audio).obey calls (*sync.Mutex).Lock, of the package sync",
		"audio).tick calls (*sync.Mutex).Lock, of the package sync", "audio).tick writes to a map",
	}
	for _, text := range want {
		if !strings.Contains(findings(w), text) {
			t.Errorf("%q is not found", text)
		}
	}
	if len(w.findings) != len(want) {
		t.Errorf("%d findings, want %d:\n%s", len(w.findings), len(want), findings(w))
	}
	// What the compiler says of a line inside a function that was walked counts.
	file, _ := filepath.Abs(filepath.Join(module, "mixer/audio.go"))
	line := p.ssa.Fset.Position(p.method(t, "voicepool/mixer", "audio", "render").Pos()).Line
	before := len(w.findings)
	w.heap(parseEscapes(module, strings.Join([]string{
		"# voicepool/mixer", place{file, line + 1}.String() + ":2: &slot{...} escapes to heap", place{file, line + 1}.String() + ":2: &slot{...} escapes to heap",
		place{"mixer/audio.go", line + 1}.String() + ":9: moved to heap: x", place{file, line + 2}.String() + ":9: append escapes to heap",
		place{file, line + 2}.String() + ":9: a does not escape", place{file, 1}.String() + ":1: y escapes to heap",
	}, "\n")))
	if got := len(w.findings) - before; got != 2 {
		t.Errorf("%d escapes are found, want 2:\n%s", got, findings(w))
	}
}

func findings(w *walker) string {
	var list []string
	for _, f := range w.findings {
		list = append(list, f.String())
	}
	return strings.Join(list, "\n")
}
