package audit

import (
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
)

// escape is a place where the compiler allocates on the heap.
type escape struct {
	file         string // absolute
	line, column int
	what         string
}

var escapeLine = regexp.MustCompile(`^(.+\.go):(\d+):(\d+): (.* escapes to heap|moved to heap: .*)$`)

// escapes builds what and returns the heap allocations that the compiler reports for the packages matching
// patterns. It leaves out append, which allocates only without spare capacity, and constant text, such as the
// argument of a panic.
func escapes(t *testing.T, folder, tags, what, patterns string) []escape {
	t.Helper()
	command := exec.Command("go", "build", "-o", "/dev/null", "-tags="+tags, "-gcflags="+patterns+"=-m", what)
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	list := parseEscapes(folder, string(out))
	if len(list) == 0 {
		t.Fatalf("the compiler says of nothing in %s that it escapes", what)
	}
	return list
}

func parseEscapes(folder, out string) []escape {
	var list []escape
	for line := range strings.Lines(out) {
		m := escapeLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || strings.HasPrefix(m[4], "append ") || strings.HasPrefix(m[4], `"`) {
			continue
		}
		file := m[1]
		if !filepath.IsAbs(file) {
			file = filepath.Join(folder, file)
		}
		file, _ = filepath.Abs(file)
		l, _ := strconv.Atoi(m[2])
		c, _ := strconv.Atoi(m[3])
		list = append(list, escape{file, l, c, m[4]})
	}
	return list
}

// heap adds the escapes inside walked functions. For an inlined function, the compiler reports the position of
// the call.
func (w *walker) heap(list []escape) {
	told := map[escape]bool{} // a generic function is compiled several times
	for _, e := range list {
		if told[e] || w.passed[position{e.file, e.line}] {
			continue
		}
		told[e] = true
		if f := w.at(e); f != nil {
			w.findings = append(w.findings, finding{token.Position{Filename: e.file, Line: e.line, Column: e.column}, f.String() + ": " + e.what, w.path(f)})
		}
	}
}

// at returns a walked function that contains the escape, or nil.
func (w *walker) at(e escape) *ssa.Function {
	for f := range w.seen {
		if f.Syntax() == nil {
			continue
		}
		begin := w.program.ssa.Fset.Position(f.Syntax().Pos())
		end := w.program.ssa.Fset.Position(f.Syntax().End())
		if begin.Filename == e.file && begin.Line <= e.line && e.line <= end.Line {
			return f
		}
	}
	return nil
}
