package audit

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// finding is a violation of the rules.
type finding struct {
	at   token.Position
	what string
	path string // the calls from the root
}

func (f finding) String() string { return fmt.Sprintf("%s: %s\n\t%s", f.at, f.what, f.path) }

func (p position) String() string { return fmt.Sprintf("%s:%d", p.file, p.line) }

// walker walks all functions that a root can reach.
type walker struct {
	program  *program
	rules    rules
	seen     map[*ssa.Function]*ssa.Function // the first caller
	todo     []*ssa.Function
	findings []finding
	bodiless int
	allowed  map[string]bool   // calls that the rules allow
	passed   map[position]bool // lines of branches that the rules allow
}

// position is a line of a file.
type position struct {
	file string
	line int
}

// walk checks root and all functions it can reach.
func walk(p *program, root *ssa.Function, r rules) *walker {
	w := &walker{program: p, rules: r, seen: map[*ssa.Function]*ssa.Function{root: nil}, todo: []*ssa.Function{root}, allowed: map[string]bool{}, passed: map[position]bool{}}
	for len(w.todo) > 0 {
		f := w.todo[0]
		w.todo = w.todo[1:]
		w.inspect(f)
	}
	slices.SortFunc(w.findings, func(a, b finding) int { return strings.Compare(a.String(), b.String()) })
	return w
}

func (w *walker) inspect(f *ssa.Function) {
	if len(f.Blocks) == 0 {
		w.bodiless++
		if !among(w.rules.assembly, packageOf(f)) {
			w.find(f, f.Pos(), "has no body in Go")
		}
		return
	}
	called := map[ssa.CallInstruction][]*ssa.Function{}
	if node := w.program.graph.Nodes[f]; node != nil {
		for _, e := range node.Out {
			called[e.Site] = append(called[e.Site], e.Callee.Func)
		}
	}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if what := offence(i); what != "" {
				w.find(f, i.Pos(), what)
			}
			if call, ok := i.(ssa.CallInstruction); ok {
				w.call(f, call, called[call])
			}
		}
	}
	for _, inner := range f.AnonFuncs { // regardless of their callers
		w.reach(f, inner, inner.Pos())
	}
}

// call adds the functions that a call can reach.
func (w *walker) call(f *ssa.Function, i ssa.CallInstruction, callees []*ssa.Function) {
	c := i.Common()
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return
	}
	if static := c.StaticCallee(); static != nil {
		w.reach(f, static, i.Pos())
		return
	}
	if name := describe(c); among(w.rules.unknown, name) {
		w.allowed[name] = true
	} else if len(callees) == 0 {
		w.find(f, i.Pos(), "calls "+name+", which may be anything")
	}
	for _, callee := range callees {
		w.reach(f, callee, i.Pos())
	}
}

func (w *walker) reach(from, f *ssa.Function, at token.Pos) {
	if b := (branch{shortName(from), shortName(f)}); slices.Contains(w.rules.branches, b) {
		p := w.program.ssa.Fset.Position(at)
		w.passed[position{p.Filename, p.Line}] = true
		w.allowed[b.caller+" > "+b.callee] = true
		return
	}
	if path := packageOf(f); !among(w.rules.packages, path) {
		w.find(from, at, fmt.Sprintf("calls %s, of the package %s", f, path))
		return
	}
	if _, ok := w.seen[f]; !ok {
		w.seen[f] = from
		w.todo = append(w.todo, f)
	}
}

func (w *walker) find(f *ssa.Function, at token.Pos, what string) {
	if !at.IsValid() {
		at = f.Pos()
	}
	w.findings = append(w.findings, finding{w.program.ssa.Fset.Position(at), f.String() + " " + what, w.path(f)})
}

// path returns the calls from the root to f.
func (w *walker) path(f *ssa.Function) string {
	var names []string
	for ; f != nil; f = w.seen[f] {
		names = append(names, f.RelString(nil))
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}

// packageOf returns the path of the package that declares f, also for closures, instances of generic functions
// and method wrappers.
func packageOf(f *ssa.Function) string {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	switch {
	case f.Object() != nil && f.Object().Pkg() != nil:
		return f.Object().Pkg().Path()
	case f.Pkg != nil:
		return f.Pkg.Pkg.Path()
	}
	return "" // error.Error, which has no package
}

// shortName returns the name of a function with the path of its package.
func shortName(f *ssa.Function) string {
	name := f.Name()
	if o := f.Origin(); o != nil {
		name = o.Name()
	}
	return packageOf(f) + "." + name
}

func (w *walker) packages() []string {
	set := map[string]bool{}
	for f := range w.seen {
		set[packageOf(f)] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func (w *walker) exceptions() []string { return slices.Sorted(maps.Keys(w.allowed)) }
