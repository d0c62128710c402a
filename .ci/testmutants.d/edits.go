package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// An edit replaces the text of a file between two offsets.
type edit struct {
	File   string // relative to the root of the tree
	Kind   string // negate, constant, delete or operator
	Func   string // the enclosing function, or the empty string
	Text   string // the line of the edit, without comments and the space around it
	Column int    // where in Text the edit begins
	Nth    int    // how many edits before this one in the file have the same fields above
	Line   int    // the number of the line, for readers: it is not part of the identity
	Old    string
	New    string

	from, to int
}

// key identifies an edit. It stays valid while the line, the function and the name of the file are unchanged.
func (e *edit) key() string {
	return fmt.Sprintf("%s|%s|%s|%s|%d|%d", e.File, e.Func, e.Kind, e.Text, e.Column, e.Nth)
}

// apply returns the source with the edit.
func (e *edit) apply(source []byte) []byte {
	return bytes.Join([][]byte{source[:e.from], []byte(e.New), source[e.to:]}, nil)
}

// kinds are the kinds of edits, in the order of the draws.
var kinds = []string{"negate", "constant", "delete", "operator"}

// longestDeleted is the largest number of lines of a statement to delete. Tests detect the loss of a longer
// statement too easily.
const longestDeleted = 5

var swapped = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.LAND: "||", token.LOR: "&&",
	token.SHL: ">>", token.SHR: "<<", token.AND: "|", token.OR: "&",
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "/=", token.QUO_ASSIGN: "*=",
	token.INC: "--", token.DEC: "++",
}

// editsOf returns all edits of a Go file in the order of the text. It returns no edits for a generated file.
func editsOf(name string, source []byte) ([]*edit, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if ast.IsGenerated(file) {
		return nil, nil
	}
	plain := bytes.Clone(source) // without comments, at the same offsets
	for _, group := range file.Comments {
		for i := files.Position(group.Pos()).Offset; i < files.Position(group.End()).Offset; i++ {
			if plain[i] != '\n' {
				plain[i] = ' '
			}
		}
	}
	var list []*edit
	seen := map[string]int{}
	function := ""
	add := func(kind string, from, to token.Pos, replacement string) {
		start, end := files.Position(from), files.Position(to)
		begin := bytes.LastIndexByte(plain[:start.Offset], '\n') + 1
		line, _, _ := bytes.Cut(plain[begin:], []byte("\n"))
		left := len(line) - len(bytes.TrimLeft(line, "\t "))
		e := &edit{
			File: name, Kind: kind, Func: function, Text: strings.TrimSpace(string(line)), Column: start.Offset - begin - left,
			Line: start.Line, Old: string(source[start.Offset:end.Offset]), New: replacement, from: start.Offset, to: end.Offset,
		}
		e.Nth = seen[e.key()]
		seen[e.key()]++
		list = append(list, e)
	}
	text := func(n ast.Node) string {
		return string(source[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset])
	}
	negate := func(condition ast.Expr) {
		if condition != nil {
			add("negate", condition.Pos(), condition.End(), "!("+text(condition)+")")
		}
	}
	operator := func(at token.Pos, old token.Token) {
		if other, ok := swapped[old]; ok {
			add("operator", at, at+token.Pos(len(old.String())), other)
		}
	}
	statements := func(list []ast.Stmt) {
		for _, s := range list {
			if deletable(s) && strings.Count(text(s), "\n") < longestDeleted {
				add("delete", s.Pos(), s.End(), "")
			}
		}
	}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // in a parameter list or a struct; it has no condition, and its tag is not a constant
			return false
		case *ast.IfStmt:
			negate(n.Cond)
		case *ast.ForStmt:
			negate(n.Cond)
		case *ast.BinaryExpr:
			operator(n.OpPos, n.Op)
		case *ast.AssignStmt:
			operator(n.TokPos, n.Tok)
		case *ast.IncDecStmt:
			operator(n.TokPos, n.Tok)
		case *ast.BlockStmt:
			statements(n.List)
		case *ast.CaseClause:
			statements(n.Body)
		case *ast.CommClause:
			statements(n.Body)
		case *ast.BasicLit:
			if other := changed(n); other != "" {
				add("constant", n.Pos(), n.End(), other)
			}
		case *ast.Ident:
			switch n.Name {
			case "true":
				add("constant", n.Pos(), n.End(), "false")
			case "false":
				add("constant", n.Pos(), n.End(), "true")
			}
		}
		return true
	}
	for _, d := range file.Decls {
		function = ""
		if f, ok := d.(*ast.FuncDecl); ok {
			function = f.Name.Name
			if f.Recv != nil && len(f.Recv.List) == 1 {
				function = strings.TrimLeft(text(f.Recv.List[0].Type), "*") + "." + function
			}
		}
		ast.Inspect(d, visit)
	}
	return list, nil
}

// deletable reports whether a function may compile without a statement.
func deletable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	case *ast.ReturnStmt:
		return true
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.BranchStmt, *ast.IfStmt,
		*ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// changed returns a different number for a literal, or "" if it cannot.
func changed(l *ast.BasicLit) string {
	switch l.Kind {
	case token.INT:
		if n, err := strconv.ParseUint(l.Value, 0, 63); err == nil {
			return strconv.FormatUint(n+1, 10)
		}
	case token.FLOAT:
		if x, err := strconv.ParseFloat(l.Value, 64); err == nil && x == 0 {
			return "1.0"
		}
		return "(" + l.Value + " * 1.25)"
	}
	return ""
}

// codeLines returns the number of lines with a token other than a comment.
func codeLines(source []byte) int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	lines, last := 0, 0
	for {
		at, tok, literal := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue // the scanner adds it
		}
		if line := file.Line(at); line != last {
			lines, last = lines+1, line
		}
	}
}
