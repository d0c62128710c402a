package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"voicepool/bank"
	"voicepool/mixer"
)

// packages are the packages in the matrix, with their folders.
var packages = map[string]string{"voicepool/mixer": "mixer", "voicepool/bank": "bank"}

// call is an exported method of a type, or a function.
type call struct {
	name  string // for example mixer.Bus.SetGain
	typ   reflect.Type
	index int // of the method in typ
	audio bool
}

// exportedCalls returns the methods of all exported types of the packages that are reachable by reflection
// from a mixer and a bank. Other types and functions in the source must be in functions.
func exportedCalls(t *testing.T, functions map[string]func(*rig) error) (calls []call) {
	t.Helper()
	types := reachable(reflect.TypeFor[*mixer.Mixer](), reflect.TypeFor[mixer.Handles](), reflect.TypeFor[mixer.Config](), reflect.TypeFor[*bank.Bank](), reflect.TypeFor[bank.Options](), reflect.TypeFor[bank.MemoryError]())
	comments := map[string]string{}
	for path, folder := range packages {
		for name, comment := range declarations(t, folder) {
			comments[filepath.Base(path)+"."+name] = comment
		}
	}
	known := map[string]bool{}
	for _, typ := range types {
		if typ.Kind() != reflect.Interface {
			typ = reflect.PointerTo(typ) // has the methods of both
		}
		for i := range typ.NumMethod() {
			name := strings.TrimPrefix(typ.String(), "*") + "." + typ.Method(i).Name
			known[name] = true
			if typ.Kind() == reflect.Interface {
				continue // implemented by the user
			}
			comment := strings.Join(strings.Fields(comments[name]), " ")
			calls = append(calls, call{name, typ, i, strings.Contains(comment, "Audio side") || strings.Contains(comment, "goroutine that ")})
		}
	}
	for name := range comments {
		if !known[name] && functions[name] == nil {
			t.Errorf("the option matrix does not call %s: give it a function in functions, or a way to its type in exportedCalls", name)
		}
	}
	slices.SortFunc(calls, func(a, b call) int { return strings.Compare(a.name, b.name) })
	return calls
}

// reachable returns the exported types of the packages that are reachable through fields, parameters and
// results.
func reachable(from ...reflect.Type) (types []reflect.Type) {
	seen := map[reflect.Type]bool{}
	var visit func(typ reflect.Type)
	visit = func(typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Chan:
			visit(typ.Elem())
		case reflect.Map:
			visit(typ.Key())
			visit(typ.Elem())
		case reflect.Func:
			for i := range typ.NumIn() {
				visit(typ.In(i))
			}
			for i := range typ.NumOut() {
				visit(typ.Out(i))
			}
		}
		if _, ours := packages[typ.PkgPath()]; !ours || !ast.IsExported(typ.Name()) {
			return
		}
		types = append(types, typ)
		if typ.Kind() == reflect.Struct {
			for i := range typ.NumField() {
				if typ.Field(i).IsExported() {
					visit(typ.Field(i).Type)
				}
			}
		}
		with := typ
		if typ.Kind() != reflect.Interface {
			with = reflect.PointerTo(typ)
		}
		for i := range with.NumMethod() {
			visit(with.Method(i).Type)
		}
	}
	for _, typ := range from {
		visit(typ)
	}
	return types
}

// declarations returns the comments of the exported methods and functions of a package.
func declarations(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, e.Name()), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				typ := f.Recv.List[0].Type
				if pointer, ok := typ.(*ast.StarExpr); ok {
					typ = pointer.X
				}
				receiver, ok := typ.(*ast.Ident)
				if !ok || !receiver.IsExported() {
					continue
				}
				name = receiver.Name + "." + name
			}
			found[name] = f.Doc.Text()
		}
	}
	return found
}
