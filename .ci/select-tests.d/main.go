// Command select-tests prints a pattern for `go test -run` for each folder of a package. The pattern matches
// the tests, examples and fuzz targets whose source matches an expression, or which mention a declaration of
// the test files that does. The search is by names alone, so it selects too many tests rather than too few. A
// match in TestMain alone selects nothing; a match in an init function selects all tests of the package.
// Packages without a match are left out.
//
//	select-tests EXPRESSION FOLDER...
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 3 {
		log.Fatal("usage: select-tests EXPRESSION FOLDER...")
	}
	wanted := regexp.MustCompile(os.Args[1])
	for _, folder := range os.Args[2:] {
		names, err := tests(folder, wanted)
		if err != nil {
			log.Fatal(err)
		}
		if len(names) > 0 {
			fmt.Printf("%s\t^(%s)$\n", folder, strings.Join(names, "|"))
		}
	}
}

// group is the set of declarations with one name: functions, methods of any type, types, variables and
// constants.
type group struct {
	matches  bool
	mentions map[string]bool
}

func tests(folder string, wanted *regexp.Regexp) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	groups := map[string]*group{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		add := func(name string, node ast.Node) {
			g := groups[name]
			if g == nil {
				g = &group{mentions: map[string]bool{}}
				groups[name] = g
			}
			g.matches = g.matches || wanted.Match(source[set.Position(node.Pos()).Offset:set.Position(node.End()).Offset])
			ast.Inspect(node, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					g.mentions[id.Name] = true
				}
				return true
			})
		}
		for _, decl := range parsed.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				add(d.Name.Name, d)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						add(s.Name.Name, s)
					case *ast.ValueSpec:
						for _, name := range s.Names {
							add(name.Name, s)
						}
					}
				}
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, g := range groups {
			for name := range g.mentions {
				if other := groups[name]; !g.matches && other != nil && other.matches {
					g.matches, grown = true, true
				}
			}
		}
	}
	all := groups["init"] != nil && groups["init"].matches
	kind := regexp.MustCompile(`^(Test|Example|Fuzz)([^a-z]|$)`)
	for name, g := range groups {
		if kind.MatchString(name) && name != "TestMain" && (all || g.matches) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
