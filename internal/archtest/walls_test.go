package archtest

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Types with the state of each side of the mixer. Structs of the package that they contain, directly or
// indirectly, belong to the same side, except exported structs, which are values for callers. Types reachable
// from the type shared belong to both sides.
var (
	controlState = []string{"Mixer", "recordControl"}
	audioState   = []string{"audio", "slot", "recordAudio", "recordBeforeStart", "groupAudio", "incoming"}
)

// walls is the type-checked package mixer.
type walls struct {
	set   *token.FileSet
	pkg   *types.Package
	info  *types.Info
	funcs map[*types.Func]*ast.FuncDecl
	owner map[*types.Var]*types.TypeName // for fields: the struct
}

// mixerFiles are the parsed files of the package mixer, and an importer for their imports.
type mixerFiles struct {
	set      *token.FileSet
	texts    []string
	files    []*ast.File
	importer types.Importer
}

// parseMixer parses the package mixer once for all tests.
var parseMixer = sync.OnceValues(func() (m mixerFiles, err error) {
	compiled, err := exports()
	if err != nil {
		return m, err
	}
	m.set = token.NewFileSet()
	m.importer = importer.ForCompiler(m.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	names, err := filepath.Glob("mixer/*.go")
	if err != nil {
		return m, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return m, err
		}
		f, err := parser.ParseFile(m.set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return m, err
		}
		m.texts, m.files = append(m.texts, string(text)), append(m.files, f)
	}
	return m, nil
})

// readWalls type-checks the package mixer together with another file, more, which may be empty. It inserts
// written after the text behind.
func readWalls(t *testing.T, more, behind, written string) *walls {
	t.Helper()
	mixer, err := parseMixer()
	if err != nil {
		t.Fatal(err)
	}
	w := &walls{
		set: mixer.set, funcs: map[*types.Func]*ast.FuncDecl{}, owner: map[*types.Var]*types.TypeName{},
		info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}},
	}
	parse := func(name, text string) *ast.File {
		f, err := parser.ParseFile(w.set, name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	files := slices.Clone(mixer.files)
	for i, text := range mixer.texts {
		if behind != "" && strings.Contains(text, behind) {
			files[i] = parse("changed.go", strings.Replace(text, behind, behind+written, 1))
		}
	}
	files = append(files, parse("more.go", "package mixer\n"+more))
	check := types.Config{Importer: mixer.importer}
	if w.pkg, err = check.Check("voicepool/mixer", w.set, files, w.info); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				w.funcs[w.info.Defs[d.Name].(*types.Func)] = d
			}
		}
	}
	for _, name := range w.pkg.Scope().Names() {
		if owner, s := w.structOf(name); s != nil {
			for f := range s.Fields() {
				w.owner[f] = owner
			}
		}
	}
	return w
}

// structOf returns a struct of the package by its name; nil: not a struct.
func (w *walls) structOf(name string) (*types.TypeName, *types.Struct) {
	n, ok := w.pkg.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, nil
	}
	s, _ := n.Type().Underlying().(*types.Struct)
	return n, s
}

// state returns roots and the structs of the package that they contain, without upTo and types below it.
func (w *walls) state(roots []string, upTo ...string) map[*types.TypeName]bool {
	found := map[*types.TypeName]bool{}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			for a := range t.TypeArgs().Types() {
				visit(a)
			}
			name := t.Obj()
			s, isStruct := t.Underlying().(*types.Struct)
			if name.Pkg() != w.pkg || found[name] || name.Exported() && !slices.Contains(roots, name.Name()) || slices.Contains(upTo, name.Name()) {
				return
			}
			if !isStruct {
				visit(t.Underlying())
				return
			}
			found[name] = true
			for f := range s.Fields() {
				visit(f.Type())
			}
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
			visit(t.Elem())
		}
	}
	for _, name := range roots {
		visit(w.pkg.Scope().Lookup(name).Type())
	}
	return found
}

// receiver returns the receiver type of f; nil: f is not a method.
func receiver(f *types.Func) *types.TypeName {
	r := f.Signature().Recv()
	if r == nil {
		return nil
	}
	t := r.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	return t.(*types.Named).Obj()
}

// reach returns the functions for which begin is true, and all functions that they name, directly or
// indirectly.
func (w *walls) reach(begin func(*types.Func) bool) map[*types.Func]bool {
	found := map[*types.Func]bool{}
	var visit func(f *types.Func)
	visit = func(f *types.Func) {
		f = f.Origin()
		body := w.funcs[f]
		if body == nil || found[f] {
			return
		}
		found[f] = true
		ast.Inspect(body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if g, ok := w.info.Uses[id].(*types.Func); ok {
					visit(g)
				}
			}
			return true
		})
	}
	for f := range w.funcs {
		if begin(f) {
			visit(f)
		}
	}
	return found
}

// faults returns the forbidden uses in functions: fields of structs, including embedded ones in a selection,
// and packages.
func (w *walls) faults(funcs map[*types.Func]bool, side string, closed map[*types.TypeName]bool, packages []string) (list []string) {
	for f := range funcs {
		say := func(n ast.Node, what string) {
			list = append(list, fmt.Sprintf("%s: %s, of the %s side, names %s", w.set.Position(n.Pos()), f.Name(), side, what))
		}
		ast.Inspect(w.funcs[f], func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			switch o := w.info.Uses[id].(type) {
			case nil:
			case *types.Var:
				if owner := w.owner[o.Origin()]; owner != nil && closed[owner] {
					say(n, owner.Name()+"."+o.Name())
				}
			default:
				if p := o.Pkg(); p != nil && slices.Contains(packages, p.Path()) {
					say(n, p.Name()+"."+o.Name())
				}
			}
			return true
		})
	}
	slices.Sort(list)
	return list
}

// check returns the uses of one side's state by the other side, and the functions of the audio side.
func (w *walls) check() (faults, audioSide []string) {
	both := w.state([]string{"shared"}, append(controlState, audioState...)...)
	bothNames := []string{"record"}
	for n := range both {
		bothNames = append(bothNames, n.Name())
	}
	control := w.state(controlState, append(bothNames, audioState...)...)
	audio := w.state(audioState, append(bothNames, controlState...)...)
	for n := range control {
		if audio[n] {
			faults = append(faults, fmt.Sprintf("%s: %s is state of both sides, and not in shared", w.set.Position(n.Pos()), n.Name()))
		}
	}
	audioFuncs := w.reach(func(f *types.Func) bool { r := receiver(f); return r != nil && audio[r] })
	made := func(f *types.Func) bool { return f.Name() == "New" && receiver(f) == nil }
	renders := func(f *types.Func) bool {
		r := receiver(f)
		return slices.Contains([]string{"Render", "Skip", "UntilEnd", "LeftLoop", "Sleep", "Wake"}, f.Name()) && r != nil && (r.Name() == "Mixer" || r.Name() == "Engine")
	}
	controlFuncs := w.reach(func(f *types.Func) bool { return f.Exported() && !made(f) && !renders(f) })
	faults = append(faults, w.faults(audioFuncs, "audio", control, quiet)...)
	faults = append(faults, w.faults(controlFuncs, "control", audio, nil)...)
	// Mixer.audio is the field through which Render and similar methods access the audio side.
	_, mixer := w.structOf("Mixer")
	for f := range w.funcs {
		if made(f) || renders(f) {
			continue
		}
		ast.Inspect(w.funcs[f], func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if v, ok := w.info.Uses[id].(*types.Var); ok && v.IsField() && v.Name() == "audio" && slices.Contains(slices.Collect(mixer.Fields()), v) {
					faults = append(faults, fmt.Sprintf("%s: %s names Mixer.audio, which is for New, Render, Skip, UntilEnd, LeftLoop, Sleep and Wake", w.set.Position(n.Pos()), f.Name()))
				}
			}
			return true
		})
	}
	for f := range audioFuncs {
		audioSide = append(audioSide, f.Name())
	}
	return faults, audioSide
}

// TestWalls checks that the two sides of the mixer only communicate through shared state, and that the audio
// side uses no package that waits or allocates.
func TestWalls(t *testing.T) {
	faults, audioSide := readWalls(t, "", "", "").check()
	for _, fault := range faults {
		t.Error(fault)
	}
	// Functions that receive commands, of spatial positions, and of published values must be among them.
	for _, name := range []string{"receive", "cancelBatch", "applyPositions", "publish", "unpublishIndex", "render", "mixVoices", "decide"} {
		if !slices.Contains(audioSide, name) {
			t.Errorf("%s is not found on the audio side", name)
		}
	}
	if n := len(audioSide); n < 150 {
		t.Errorf("%d functions are found on the audio side, too few to be all", n)
	}
}

// TestWallsHold checks that violations are found. Their functions have different names, so that one check of types is
// enough.
func TestWallsHold(t *testing.T) {
	violations := []struct{ name, text, want string }{
		{
			name: "control reads the audio side", text: "func (m *Mixer) PeekNow() int64 { return m.audio.(*audio).now }",
			want: "PeekNow, of the control side, names audio.now",
		},
		{
			name: "control holds the audio side", text: "func (m *Mixer) PeekAudio() any { return m.audio }",
			want: "PeekAudio names Mixer.audio",
		},
		{
			name: "control calls the audio side",
			text: "func (m *Mixer) PeekVoice() any { a := (*audio).current; return a }",
			want: "current, of the control side, names ",
		},
		{
			name: "a helper of control reads a slot",
			text: "func PeekSlot() any { return peekSlot(&slot{}) }; func peekSlot(s *slot) bool { return s.stopping }",
			want: "peekSlot, of the control side, names slot.stopping",
		},
		{
			name: "control reads a start's",
			text: "func (h Handle) PeekStart() any { r, _ := h.lockRecord(); return r.playing }",
			want: "PeekStart, of the control side, names recordAudio.playing",
		},
		{
			name: "control reads a group's", text: "func (g *Group) PeekGroup() int { return g.playing }",
			want: "PeekGroup, of the control side, names groupAudio.playing",
		},
		{
			name: "control looks into the scores", text: "func (k *scorer) Peek() int64 { return k.scoredAt }",
			want: "names scorer.scoredAt",
		},
		{
			name: "audio reads a number of control",
			text: "func (a *audio) peekSeq(h Handle) uint64 { return h.mixer.seq }",
			want: "peekSeq, of the audio side, names Mixer.seq",
		},
		{
			name: "audio calls control",
			text: "func (a *audio) peekRefiner(h Handle) { h.mixer.refiner.Wait() }",
			want: "peekRefiner, of the audio side, names Mixer.refiner",
		},
		{
			name: "audio reads a start's pitch", text: "func (a *audio) peekPitch(r *record) any { return r.extra.Load().pitchRange }",
			want: "peekPitch, of the audio side, names recordControl.pitchRange",
		},
		{
			name: "a voice waits",
			text: "func (s *slot) peekLock(m *sync.Mutex) { m.Lock() }",
			want: "peekLock, of the audio side, names sync.Lock",
		},
		{
			name: "a helper of the audio side prints",
			text: "func (s *slot) peekPrint() { peekPrint() }; func peekPrint() { fmt.Println() }",
			want: "peekPrint, of the audio side, names fmt.Println",
		},
	}
	text := "import (\"fmt\"; \"sync\")\n"
	for _, v := range violations {
		text += v.text + "\n"
	}
	all, _ := readWalls(t, text, "", "").check()
	for _, v := range violations {
		if !slices.ContainsFunc(all, func(f string) bool { return strings.Contains(f, v.want) }) {
			t.Errorf("%s: found are %q, want %q", v.name, all, v.want)
		}
	}
	found, _ := readWalls(t, "", "type Mixer struct {", "\nending ending\n").check()
	if !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, "ending is state of both sides") }) {
		t.Errorf("a struct of both sides: found are %q", found)
	}
}
