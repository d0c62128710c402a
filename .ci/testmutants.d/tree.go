package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A pkg is a package of the tree.
type pkg struct {
	ImportPath   string
	Dir          string
	GoFiles      []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	TestImports  []string
	XTestImports []string

	lines     int
	edits     []*edit
	longTests []string // the tests with a long variant
}

func (p *pkg) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// A tree is a Go module, or several of a workspace, and its packages.
type tree struct {
	ctx       context.Context // of the go commands
	root      string
	packages  map[string]*pkg
	importers map[string][]string // of each package: the tested packages that import it directly
}

// loadTree lists the packages that match the patterns, and reads their files.
func loadTree(ctx context.Context, root string, patterns []string) (*tree, error) {
	t := &tree{ctx: ctx, root: root, packages: map[string]*pkg{}, importers: map[string][]string{}}
	list, err := t.list(patterns)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		t.packages[p.ImportPath] = p
		if err := t.read(p); err != nil {
			return nil, err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(t.packages)) {
		p := t.packages[path]
		if !p.tested() {
			continue
		}
		imports := slices.Concat(p.Imports, p.TestImports, p.XTestImports)
		slices.Sort(imports)
		for _, i := range slices.Compact(imports) {
			if i != path && t.packages[i] != nil {
				t.importers[i] = append(t.importers[i], path)
			}
		}
	}
	return t, nil
}

// list returns the packages that match the patterns.
func (t *tree) list(patterns []string) ([]*pkg, error) {
	c := exec.CommandContext(t.ctx, "go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports"}, patterns...)...)
	c.Dir, c.Env = t.root, t.environment("")
	var messages bytes.Buffer
	c.Stderr = &messages
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, &messages)
	}
	var list []*pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := d.Decode(p); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
}

// environment returns the variables of a go command in the tree. GOFLAGS passes the overlay on to go commands
// that tests start.
func (t *tree) environment(overlay string, more ...string) []string {
	flags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -buildvcs=false")
	if overlay != "" {
		flags += " -overlay=" + overlay
	}
	work := "GOWORK=off"
	if _, err := os.Stat(filepath.Join(t.root, "go.work")); err == nil {
		work = "GOWORK=" + filepath.Join(t.root, "go.work")
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, longSwitch+"=") })
	return append(env, append([]string{"GOFLAGS=" + flags, work, "CGO_ENABLED=0", "PWD=" + t.root}, more...)...)
}

// read finds the edits and the long tests of a package. Examples and the package longtest have no edits.
func (t *tree) read(p *pkg) error {
	relative, err := filepath.Rel(t.root, p.Dir)
	if err != nil {
		return err
	}
	relative = filepath.ToSlash(relative)
	if !strings.HasPrefix(relative, "examples/") && !strings.HasSuffix(p.ImportPath, longPackage) {
		for _, name := range p.GoFiles {
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return err
			}
			list, err := editsOf(strings.TrimPrefix(relative+"/"+name, "./"), source)
			if err != nil {
				return err
			}
			if len(list) > 0 {
				p.edits = append(p.edits, list...)
				p.lines += codeLines(source)
			}
		}
	}
	for _, names := range [][]string{p.TestGoFiles, p.XTestGoFiles} {
		long, err := longTests(p.Dir, names)
		if err != nil {
			return err
		}
		p.longTests = append(p.longTests, long...)
	}
	return nil
}

const (
	longSwitch  = "VOICEPOOL_LONG"
	longPackage = "internal/longtest"
)

// longTests returns the tests of a package that have long variants: tests that use longtest, directly or
// through a declaration of the package.
func longTests(folder string, names []string) ([]string, error) {
	uses := map[string]map[string]bool{} // of each declaration: the names in it
	long := map[string]bool{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		note := func(n ast.Node, declared ...string) {
			ast.Inspect(n, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					for _, d := range declared {
						if uses[d] == nil {
							uses[d] = map[string]bool{}
						}
						uses[d][id.Name] = true
						if id.Name == "longtest" {
							long[d] = true
						}
					}
				}
				return true
			})
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				note(d, d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok {
						for _, n := range v.Names {
							note(v, n.Name)
						}
					}
				}
			}
		}
	}
	for again := true; again; {
		again = false
		for d, names := range uses {
			if long[d] || strings.HasPrefix(d, "Test") && d == "TestMain" {
				continue
			}
			for n := range names {
				if n != d && long[n] && uses[n] != nil {
					long[d], again = true, true
					break
				}
			}
		}
	}
	var tests []string
	for d := range long {
		if (strings.HasPrefix(d, "Test") || strings.HasPrefix(d, "Fuzz")) && d != "TestMain" {
			tests = append(tests, d)
		}
	}
	slices.Sort(tests)
	return tests, nil
}

// dependsOn reports whether a package or its tests import another, directly or not.
func (t *tree) dependsOn(from, on string) bool {
	seen := map[string]bool{}
	var walk func(path string, tests bool) bool
	walk = func(path string, tests bool) bool {
		if path == on {
			return true
		}
		p := t.packages[path]
		if p == nil || seen[path] {
			return false
		}
		seen[path] = true
		imports := p.Imports
		if tests {
			imports = slices.Concat(imports, p.TestImports, p.XTestImports)
		}
		return slices.ContainsFunc(imports, func(i string) bool { return walk(i, false) })
	}
	return walk(from, true)
}

// turns returns the packages of n edits in order. First, each tested package gets one turn. Then the next turn
// always goes to the package whose number of edits is furthest below its share by lines. The turns of a smaller
// n are a prefix of the turns of a larger n.
func turns(packages []*pkg, seed uint64, n int) []*pkg {
	packages = slices.DeleteFunc(slices.Clone(packages), func(p *pkg) bool { return len(p.edits) == 0 })
	slices.SortFunc(packages, func(a, b *pkg) int { return cmp.Compare(a.ImportPath, b.ImportPath) })
	draw := rand.New(rand.NewPCG(seed, 0))
	draw.Shuffle(len(packages), func(i, j int) { packages[i], packages[j] = packages[j], packages[i] })
	given, total := map[*pkg]int{}, 0
	for _, p := range packages {
		total += p.lines
	}
	var list []*pkg
	for _, p := range packages {
		if p.tested() && len(list) < n {
			list, given[p] = append(list, p), 1
		}
	}
	for len(list) < n {
		var next *pkg
		furthest := 0.0
		for _, p := range packages {
			below := float64(p.lines)/float64(total)*float64(len(list)+1) - float64(given[p])
			if given[p] < len(p.edits) && (next == nil || below > furthest) {
				next, furthest = p, below
			}
		}
		if next == nil {
			break
		}
		list = append(list, next)
		given[next]++
	}
	return list
}

// drawn returns the edits of a package in the random order of a seed: first a kind, then an edit of that kind.
func drawn(p *pkg, seed uint64) []*edit {
	name := fnv.New64a()
	name.Write([]byte(p.ImportPath))
	draw := rand.New(rand.NewPCG(seed, name.Sum64()))
	left := map[string][]*edit{}
	for _, e := range p.edits {
		left[e.Kind] = append(left[e.Kind], e)
	}
	var list []*edit
	for len(list) < len(p.edits) {
		kind := kinds[draw.IntN(len(kinds))]
		if of := left[kind]; len(of) > 0 {
			i := draw.IntN(len(of))
			list = append(list, of[i])
			left[kind] = slices.Delete(of, i, i+1)
		}
	}
	return list
}
