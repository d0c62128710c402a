// Command draw-functions draws functions at random for a reading test: a person who has not seen the code explains
// each function from its name, signature and comment, and compares the answers with the bodies. The same seed
// draws the same functions of the same tree.
//
//	go run .ci/draw-functions.d/main.go [-n 20] [-bodies] SEED FOLDER...
//
// It draws from all packages below the folders, without tests.
package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"log"
	"math/rand/v2"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	n := flag.Int("n", 20, "number of functions")
	bodies := flag.Bool("bodies", false, "print the bodies, too")
	flag.Parse()
	if flag.NArg() < 2 {
		log.Fatal("usage: draw-functions [-n 20] [-bodies] SEED FOLDER...")
	}
	files := token.NewFileSet()
	type function struct {
		file    string
		name    *ast.Ident
		declare *ast.FuncDecl
	}
	var all []function
	for _, folder := range flag.Args()[1:] {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return fs.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			f, err := parser.ParseFile(files, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
					all = append(all, function{path, f.Name, d})
				}
			}
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	r := rand.New(rand.NewChaCha8(sha256.Sum256([]byte(flag.Arg(0)))))
	for i, k := range r.Perm(len(all))[:min(*n, len(all))] {
		f := all[k]
		if !*bodies {
			f.declare.Body = nil
		}
		var b bytes.Buffer
		if err := printer.Fprint(&b, files, f.declare); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d. package %s (%s)\n\n%s\n\n", i+1, f.name.Name, filepath.ToSlash(filepath.Dir(f.file)), b.String())
	}
}
