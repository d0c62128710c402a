package cue

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"pgregory.net/rapid"
)

// show writes a node down, whatever style it was in.
func (n *node) show() string {
	switch n.kind {
	case nothing:
		return "null"
	case scalar:
		return fmt.Sprintf("%q", n.text)
	}
	var parts []string
	for _, item := range n.items {
		parts = append(parts, item.show())
	}
	for _, p := range n.pairs {
		parts = append(parts, fmt.Sprintf("%d:%d %q=%s", p.line, p.column, p.key, p.value.show()))
	}
	return fmt.Sprint(n.kind, parts)
}

// showLibrary does the same with the syntax tree of the YAML library. Some of
// its own mistakes are no ground for comparison: ok is false.
func showLibrary(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return "null", true
	case *ast.StringNode:
		return fmt.Sprintf("%q", n.Value), true
	case ast.ScalarNode:
		return fmt.Sprintf("%q", n.GetToken().Value), true
	case *ast.SequenceNode:
		var parts []string
		for _, v := range n.Values {
			part, ok := showLibrary(v)
			if !ok {
				return "", false
			}
			parts = append(parts, part)
		}
		return fmt.Sprint(list, parts), true
	case *ast.MappingNode:
		var parts []string
		for _, v := range n.Values {
			part, ok := showLibrary(v.Value)
			if _, isText := v.Key.(ast.ScalarNode); !ok || !isText {
				return "", false
			}
			at := v.Key.GetToken()
			parts = append(parts, fmt.Sprintf("%d:%d %q=%s", at.Position.Line, at.Position.Column, at.Value, part))
		}
		return fmt.Sprint(mapping, parts), true
	}
	return "", false
}

// compare reads a text with the library and with our reader.
func compare(t interface{ Fatalf(string, ...any) }, src string) (compared bool) {
	root, wrong := readTree([]byte(src))
	file, err := parser.ParseBytes([]byte(src), 0)
	if wrong != nil || err != nil || len(file.Docs) != 1 {
		return false
	}
	want, ok := showLibrary(file.Docs[0].Body)
	if !ok {
		return false
	}
	got := "null"
	if root != nil {
		got = root.show()
	}
	if got != want {
		t.Fatalf("%s\nis read as\n%s\nthe library says\n%s", src, got, want)
	}
	return true
}

// TestAgreesWithLibrary compares the trees of every sheet that the tests have.
func TestAgreesWithLibrary(t *testing.T) {
	data, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for c := range strings.SplitSeq(string(data), "=====\n") {
		sheet, _, _ := strings.Cut(c, "-----\n")
		if compare(t, sheet) {
			n++
		}
	}
	if n < 45 {
		t.Errorf("only %d sheets could be compared", n)
	}
}

// TestAgreesAtRandom compares random trees, in random styles.
func TestAgreesAtRandom(t *testing.T) {
	tried, compared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		tried++
		src := "top:" + drawBlock(t, 0, 0) + "\n"
		if compare(t, src) {
			compared++
		} else if _, wrong := readTree([]byte(src)); wrong != nil {
			t.Fatalf("%s\nis refused: %v", src, wrong)
		}
	})
	if compared < tried*9/10 {
		t.Errorf("only %d of %d trees could be compared", compared, tried)
	}
}

var drawScalar = rapid.SampledFrom([]string{
	"a", "-6.5", "1.5s", "coin", "true", "~", "null", "\"x: #y\"", "'it''s'", "\"a\\u00e9\\n\"", "b-c", "a b", "x:y", "é#1", "./p/q.wav", "\"\"", "-x",
})

func drawFlow(t *rapid.T, depth int) string {
	kind := rapid.IntRange(0, 4).Draw(t, "flow")
	if depth > 3 || kind > 1 {
		return drawScalar.Filter(func(s string) bool { return s != "x:y" }).Draw(t, "scalar")
	}
	space := rapid.SampledFrom([]string{"", " ", "\n      ", " # why\n      "}).Draw(t, "space")
	var parts []string
	for i := range rapid.IntRange(0, 3).Draw(t, "count") {
		part := drawFlow(t, depth+1)
		if kind == 0 {
			part = fmt.Sprintf("k%d: %s", i, part)
		}
		parts = append(parts, part)
	}
	body := strings.Join(parts, " ,"+space)
	if kind == 0 {
		return "{" + body + "}"
	}
	return "[" + body + "]"
}

// drawBlock returns a value that follows a colon or a dash at an indentation.
func drawBlock(t *rapid.T, indent, depth int) string {
	kind := rapid.IntRange(0, 5).Draw(t, "block")
	if depth > 3 || kind > 3 {
		return " " + drawFlow(t, depth) + rapid.SampledFrom([]string{"", " # note", "\n# note", "\n"}).Draw(t, "note")
	}
	inner := indent + rapid.IntRange(1, 3).Draw(t, "indent")
	if kind == 1 && depth == 0 {
		inner = indent // a list under its key
	}
	var b strings.Builder
	for i := range rapid.IntRange(1, 3).Draw(t, "count") {
		mark := "-"
		if kind != 1 {
			mark = fmt.Sprintf("k%d:", i)
		}
		b.WriteString("\n" + strings.Repeat(" ", inner) + mark + drawBlock(t, inner, depth+1))
	}
	return b.String()
}
