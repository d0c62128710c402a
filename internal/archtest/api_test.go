package archtest

import (
	"bytes"
	"flag"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var updateAPI = flag.Bool("api.update", false, "write testdata/api.txt, what the packages export")

// apiPackage is a package for games and tests, as compiled for Linux on amd64.
type apiPackage struct {
	dir      string
	doc      *doc.Package
	declared []declaration
}

// declaration is an exported declaration. TestAPI removes the comments of node.
type declaration struct {
	name, comment string
	node          ast.Node
}

// apiPackages returns every package outside internal except commands and examples.
func apiPackages(t *testing.T) []apiPackage {
	t.Helper()
	list, err := parseAPI()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 15 {
		t.Fatalf("%d packages, too few to be all", len(list))
	}
	return list
}

// parseAPI parses the packages once for all tests.
var parseAPI = sync.OnceValues(func() (list []apiPackage, err error) {
	on := build.Default
	on.GOOS, on.GOARCH, on.CgoEnabled = "linux", "amd64", false
	for _, dir := range slices.Sorted(maps.Keys(arrows)) {
		if strings.Contains("/"+dir+"/", "/internal/") || strings.HasPrefix(dir, "examples/") || dir == "" {
			continue
		}
		found, err := on.ImportDir(dir, 0)
		if err != nil {
			return nil, err
		}
		if found.Name == "main" {
			continue
		}
		set, files := token.NewFileSet(), []*ast.File(nil)
		for _, name := range slices.Concat(found.GoFiles, found.TestGoFiles, found.XTestGoFiles) {
			f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		d, err := doc.NewFromFiles(set, files, "voicepool/"+dir)
		if err != nil {
			return nil, err
		}
		p := apiPackage{dir: dir, doc: d}
		p.each(func(name, comment string, node ast.Node) {
			p.declared = append(p.declared, declaration{name, comment, node})
		})
		list = append(list, p)
	}
	return list, nil
})

// each calls tell for every exported declaration, with its name, comment and node.
func (p apiPackage) each(tell func(name, comment string, node ast.Node)) {
	values := func(list []*doc.Value, of string) {
		for _, v := range list {
			for _, spec := range v.Decl.Specs {
				s := spec.(*ast.ValueSpec)
				tell(s.Names[0].Name, of+v.Doc+s.Doc.Text()+s.Comment.Text(), &ast.GenDecl{Tok: v.Decl.Tok, Specs: []ast.Spec{s}})
			}
		}
	}
	funcs := func(list []*doc.Func) {
		for _, f := range list {
			tell(strings.TrimPrefix(strings.TrimPrefix(f.Recv, "*")+"."+f.Name, "."), f.Doc, f.Decl)
		}
	}
	values(p.doc.Consts, "")
	values(p.doc.Vars, "")
	funcs(p.doc.Funcs)
	for _, typ := range p.doc.Types {
		tell(typ.Name, typ.Doc, typ.Decl)
		values(typ.Consts, typ.Doc) // the names of an enumeration document themselves
		values(typ.Vars, "")
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
}

// TestAPI compares the exported API with internal/archtest/testdata/api.txt, so that changes are visible in
// reviews. `go test -run TestAPI ./internal/archtest -api.update` writes the file.
func TestAPI(t *testing.T) {
	const golden = "internal/archtest/testdata/api.txt"
	var now bytes.Buffer
	for _, p := range apiPackages(t) {
		var lines []string
		for _, d := range p.declared {
			ast.Inspect(d.node, func(n ast.Node) bool { // without comments
				switch n := n.(type) {
				case *ast.GenDecl:
					n.Doc = nil
				case *ast.FuncDecl:
					n.Doc, n.Body = nil, nil
				case *ast.TypeSpec:
					n.Doc, n.Comment = nil, nil
				case *ast.ValueSpec:
					n.Doc, n.Comment = nil, nil
				case *ast.Field:
					n.Doc, n.Comment = nil, nil
				}
				return true
			})
			var text bytes.Buffer
			if err := printer.Fprint(&text, token.NewFileSet(), d.node); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(text.String()) {
				indent := strings.Repeat("    ", len(line)-len(strings.TrimLeft(line, "\t")))
				if words := strings.Fields(line); len(words) > 0 { // ignores column widths
					lines = append(lines, p.dir+": "+indent+strings.Join(words, " "))
				}
			}
		}
		now.WriteString(strings.Join(append(lines, ""), "\n"))
	}
	if *updateAPI {
		if err := os.WriteFile(golden, now.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	old, fresh := strings.Split(string(before), "\n"), strings.Split(now.String(), "\n")
	for _, line := range fresh {
		if !slices.Contains(old, line) {
			t.Errorf("new in the API: %s", line)
		}
	}
	for _, line := range old {
		if !slices.Contains(fresh, line) {
			t.Errorf("gone from the API: %s", line)
		}
	}
	if !t.Failed() && now.String() != string(before) {
		t.Errorf("%s has the same lines in another order: write it with -api.update", golden)
	}
}

// TestAPIIsDocumented requires a comment for every exported name and an Example in every package.
func TestAPIIsDocumented(t *testing.T) {
	for _, p := range apiPackages(t) {
		if p.doc.Doc == "" {
			t.Errorf("%s: the package has no comment", p.dir)
		}
		examples := len(p.doc.Examples)
		for _, d := range p.declared {
			if d.comment == "" && !strings.HasSuffix(d.name, ".String") {
				t.Errorf("%s.%s has no comment", p.doc.Name, d.name)
			}
		}
		for _, f := range p.doc.Funcs {
			examples += len(f.Examples)
		}
		for _, typ := range p.doc.Types {
			examples += len(typ.Examples)
			for _, f := range slices.Concat(typ.Funcs, typ.Methods) {
				examples += len(f.Examples)
			}
		}
		if examples == 0 && p.dir != "bank/rules" { // it has only types for package bank

			t.Errorf("%s has no Example", p.dir)
		}
	}
}
