package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// side is a package without faults, except in the functions that the last lines of Render reach: one for each
// way to call a function.
const side = `
package mutants

import ("math"; "slices"; "sync"; "sync/atomic"; "time")

type Effect interface{ Process() } // what users put in

type Hooks struct{ Begin func() } // from outside, too

type Side struct {
	Hooks   Hooks
	effect  Effect
	mutex   sync.Mutex
	channel chan int
	names   map[string]int
	list    []int
	count   atomic.Int64
	inside  func()
	fault   interface{ fault() }
}

type clock struct{}

func (clock) fault() { time.Now() }

// New is not reached, but it says what inside and fault are.
func New() *Side {
	s := &Side{fault: clock{}}
	s.inside = s.lock
	return s
}

func (s *Side) Render() {
	s.list = slices.Insert(s.list, 0, int(math.Sqrt(float64(s.count.Load()))))
	slices.Sort(s.list)
	clear(s.list)
	defer func() { recover() }()
	if len(s.list) > 9 {
		panic("too long")
	}
	s.effect.Process()
	s.all()
	s.fault.fault()
	s.inside()
	each(s.list, func(int) { s.closure() })
	nobody()
	s.Hooks.Begin()
}

func (s *Side) lock()    { s.mutex.Lock() }
func (s *Side) closure() { time.Sleep(1) }

func each[T any](list []T, f func(T)) {
	for _, x := range list {
		f(x)
	}
}

func nobody()

func unreached() { time.Now() }
`

// mutants are faults that are each put into a function, with the expected findings.
var mutants = []struct{ fault, want string }{
	{"<-s.channel", "receives from a channel"},
	{"s.channel <- 1", "sends to a channel"},
	{"select { case <-s.channel: default: }", "selects among channels"},
	{"close(s.channel)", "closes a channel"},
	{"s.channel = make(chan int)", "makes a channel"},
	{"s.names = map[string]int{}", "makes a map"},
	{`s.list[0] = s.names["x"]`, "reads a map"},
	{`s.names["x"] = 1`, "writes to a map"},
	{"for range s.names { s.list = nil }", "walks a map"},
	{`delete(s.names, "x")`, "asks delete of a map"},
	{"go s.lock()", "starts a goroutine"},
	{"defer s.mutex.Unlock()", "calls (*sync.Mutex).Unlock, of the package sync"},
}

// TestMutants walks a package that has all faults.
func TestMutants(t *testing.T) {
	t.Parallel()
	want := []string{
		"Side).Render calls mutants.Hooks.Begin, which may be anything",
		"clock).fault calls time.Now, of the package time",
		"Side).lock calls (*sync.Mutex).Lock, of the package sync",
		"Side).closure calls time.Sleep, of the package time",
		"mutants.nobody has no body in Go",
	}
	text, calls := side, ""
	for i, m := range mutants {
		name := fmt.Sprintf("fault%d", i)
		text += fmt.Sprintf("func (s *Side) %s() { %s }\n", name, m.fault)
		calls += fmt.Sprintf("s.%s();", name)
		want = append(want, fmt.Sprintf("Side).%s %s", name, m.want))
	}
	text += "func (s *Side) all() { " + calls + " }\n"
	folder := t.TempDir()
	files := map[string]string{"go.mod": "module mutants\n\ngo 1.25.0\n", "mutants.go": text, "nobody.s": ""}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := load(t, folder, "", nil, ".")
	w := walk(p, p.method(t, "mutants", "Side", "Render"), rules{
		packages: []string{"mutants", "cmp", "slices", "math", "math/bits", "sync/atomic"},
		assembly: []string{"math", "sync/atomic"},
		unknown:  []string{"mutants.Effect.Process"},
	})
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

// TestFaults puts faults into the mixer's own files by an overlay. The rest of the module stays unchanged.
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
		"func (a *audio) receive() {", "var x sync.Mutex; x.Lock()",
		"func (a *audio) beginFrame() {", "var m Mixer; m.mutex.Lock(); m.done[Handle{}] = nil")
	p := load(t, module, "", overlay, audioSide...)
	w := walk(p, p.method(t, "voicepool/mixer", "Mixer", "Render"), mixerRules)
	want := []string{
		"audio).publish calls time.Now, of the package time", "audio).publish calls (time.Time).Unix, of the package time",
		"audio).receive calls (*sync.Mutex).Lock, of the package sync",
		"audio).beginFrame calls (*sync.Mutex).Lock, of the package sync", "audio).beginFrame writes to a map",
	}
	for _, text := range want {
		if !strings.Contains(findings(w), text) {
			t.Errorf("%q is not found", text)
		}
	}
	if len(w.findings) != len(want) {
		t.Errorf("%d findings, want %d:\n%s", len(w.findings), len(want), findings(w))
	}
	// Compiler messages about lines inside walked functions count.
	file, _ := filepath.Abs(filepath.Join(module, "mixer/audio.go"))
	line := p.ssa.Fset.Position(p.method(t, "voicepool/mixer", "audio", "render").Pos()).Line
	before := len(w.findings)
	w.heap(parseEscapes(module, strings.Join([]string{
		"# voicepool/mixer", position{file, line + 1}.String() + ":2: &slot{...} escapes to heap", position{file, line + 1}.String() + ":2: &slot{...} escapes to heap",
		position{"mixer/audio.go", line + 1}.String() + ":9: moved to heap: x", position{file, line + 2}.String() + ":9: append escapes to heap",
		position{file, line + 2}.String() + ":9: a does not escape", position{file, 1}.String() + ":1: y escapes to heap",
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
