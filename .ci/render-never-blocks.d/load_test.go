package audit

import (
	"go/types"
	"testing"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// program is a set of packages with all their imports, and the call graph.
type program struct {
	ssa   *ssa.Program
	graph *callgraph.Graph
}

// load reads packages from source. overlay replaces the contents of files by absolute path.
func load(t *testing.T, folder, tags string, overlay map[string][]byte, patterns ...string) *program {
	t.Helper()
	list, err := packages.Load(&packages.Config{
		Mode: packages.LoadAllSyntax, Dir: folder, BuildFlags: []string{"-tags=" + tags}, Overlay: overlay,
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		for _, e := range p.Errors {
			t.Error(e)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	prog, _ := ssautil.AllPackages(list, ssa.InstantiateGenerics)
	prog.Build()
	// With types alone, a call of a func() could reach any such function. Two rounds of variable type analysis
	// (VTA) narrow it down to the functions that are assigned.
	all := ssautil.AllFunctions(prog)
	graph := vta.CallGraph(all, vta.CallGraph(all, nil))
	return &program{prog, graph}
}

// method returns a method of the pointer to a type.
func (p *program) method(t *testing.T, path, typ, name string) *ssa.Function {
	t.Helper()
	pkg := p.ssa.ImportedPackage(path)
	if pkg == nil || pkg.Type(typ) == nil {
		t.Fatalf("there is no %s.%s", path, typ)
	}
	f := p.ssa.LookupMethod(types.NewPointer(pkg.Type(typ).Type()), pkg.Pkg, name)
	if f == nil {
		t.Fatalf("%s.%s has no method %s", path, typ, name)
	}
	return f
}
