package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oldNames has the table of names that were replaced.
const oldNames = "internal/archtest/testdata/old_names.txt"

// oldName is a row of the table. A declaration has the kind func, decl or word. decl includes func, and word includes
// both.
type oldName struct{ scope, kind, old, new string }

// covers reports whether the scope of o contains folder.
func (o *oldName) covers(folder string) bool {
	return o.scope == "." || folder == o.scope || strings.HasPrefix(folder, o.scope+"/")
}

// readOldNames returns the table, with the rows of declarations by their names.
func readOldNames(t *testing.T) (list []oldName, declared map[string][]oldName) {
	t.Helper()
	text, err := os.ReadFile(oldNames)
	if err != nil {
		t.Fatal(err)
	}
	declared = map[string][]oldName{}
	for i, line := range strings.Split(string(text), "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) < 4 || !slices.Contains([]string{"file", "folder", "decl", "func", "word"}, f[1]) {
			t.Fatalf("%s:%d: the row is %q, want a scope, a kind, an old and a new name", oldNames, i+1, line)
		}
		if _, err := os.Stat(f[0]); err != nil {
			t.Errorf("%s:%d: there is no folder %s", oldNames, i+1, f[0])
		}
		o := oldName{f[0], f[1], f[2], strings.Join(f[3:], " ")}
		if list = append(list, o); o.kind != "file" && o.kind != "folder" {
			declared[o.old] = append(declared[o.old], o)
		}
	}
	return list, declared
}

// declaredNames calls found with the kind and the name of each declaration in a file: func for types, functions and
// methods, decl for fields and values of the package, and word for parameters and local variables.
func declaredNames(file *ast.File, found func(kind string, name *ast.Ident)) {
	top := map[*ast.Ident]bool{}
	for _, d := range file.Decls {
		if d, ok := d.(*ast.GenDecl); ok {
			for _, s := range d.Specs {
				if s, ok := s.(*ast.ValueSpec); ok {
					for _, name := range s.Names {
						top[name] = true
					}
				}
			}
		}
	}
	fields := func(kind string, list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, f := range list.List {
			for _, name := range f.Names {
				found(kind, name)
			}
		}
	}
	local := func(list ...ast.Expr) {
		for _, e := range list {
			if name, ok := e.(*ast.Ident); ok {
				found("word", name)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			found("func", n.Name)
			fields("word", n.Recv)
		case *ast.TypeSpec:
			found("func", n.Name)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				found(map[bool]string{true: "decl", false: "word"}[top[name]], name)
			}
		case *ast.StructType:
			fields("decl", n.Fields)
		case *ast.InterfaceType:
			fields("func", n.Methods)
		case *ast.FuncType:
			fields("word", n.Params)
			fields("word", n.Results)
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				local(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				local(n.Key, n.Value)
			}
		}
		return true
	})
}

// TestNoOldNames finds names of the table that have come back: as files, folders and declarations, and on pages as
// paths and qualified names.
func TestNoOldNames(t *testing.T) {
	list, declared := readOldNames(t)
	names, files := 0, 0
	levels := map[string]int{"func": 0, "decl": 1, "word": 2}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, folder := d.Name(), path.Dir(filepath.ToSlash(file))
		if d.IsDir() {
			if name == ".git" || name == "node_modules" || name == "testdata" {
				return fs.SkipDir
			}
			for _, o := range list {
				if o.kind == "folder" && o.old == name && o.covers(folder) {
					t.Errorf("%s: the folder has an old name, want %s", file, o.new)
				}
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		files++
		for _, o := range list {
			if o.kind == "file" && o.covers(folder) {
				ok, err := path.Match(o.old, strings.Replace(name, "_test.go", ".go", 1))
				if err != nil {
					return err
				}
				if ok {
					t.Errorf("%s: the file has an old name, want %s", file, o.new)
				}
			}
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		declaredNames(parsed, func(kind string, name *ast.Ident) {
			names++
			for _, o := range declared[name.Name] {
				if levels[kind] <= levels[o.kind] && o.covers(folder) {
					t.Errorf("%v: %s is an old name, want %s", set.Position(name.Pos()), name.Name, o.new)
				}
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if names < 50000 || files < 1000 {
		t.Errorf("found %d names in %d files, too few to be all", names, files)
	}
	spans := map[string]*oldName{}
	for i := range list {
		switch o := &list[i]; o.kind {
		case "file", "folder":
			spans[o.scope+"/"+o.old] = o
		default:
			spans[path.Base(o.scope)+"."+o.old] = o
		}
	}
	code := regexp.MustCompile("`[^`\n]+`")
	for _, page := range pages {
		text, err := os.ReadFile(page.file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, span := range code.FindAllString(presentText(page.file, line), -1) {
				if o := spans[strings.Trim(span, "`")]; o != nil {
					t.Errorf("%s: %s is an old name, want %s", position(page.file, i+1), span, o.new)
				}
			}
		}
	}
}

// TestDeclaredNames checks which names declaredNames finds, and their kinds.
func TestDeclaredNames(t *testing.T) {
	const source = `package p
const a = 1
var b, c int
type d struct { e int; f func(g int) (h int) }
type i interface { j(k int) }
func (l d) m(n int) (o int) {
	var p int
	q := func(r int) {}
	for s, t := range u {}
	type v int
	w = 1
}`
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	declaredNames(file, func(kind string, name *ast.Ident) { found[kind] = append(found[kind], name.Name) })
	for _, list := range found {
		slices.Sort(list)
	}
	if got, want := fmt.Sprint(found), "map[decl:[a b c e f] func:[d i j m v] word:[g h k l n o p q r s t]]"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}
