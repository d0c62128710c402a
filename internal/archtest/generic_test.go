package archtest

import (
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

// reachedGenerics returns the generic types with methods that Mixer reaches by fields, and that a package which uses
// Mixer therefore compiles. Fields of interface types end a path.
func reachedGenerics(w *walls) []string {
	found, seen := map[string]bool{}, map[types.Type]bool{}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		t = types.Unalias(t)
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			if t.TypeArgs().Len() > 0 && t.Origin().NumMethods() > 0 {
				found[t.Obj().Pkg().Path()+"."+t.Obj().Name()] = true
			}
			visit(t.Underlying())
		case *types.Struct:
			for f := range t.Fields() {
				visit(f.Type())
			}
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
			visit(t.Elem())
		}
	}
	visit(w.pkg.Scope().Lookup("Mixer").Type())
	return slices.Sorted(maps.Keys(found))
}

// TestGenericTypes checks which generic types every importer of mixer compiles again, see
// docs/decisions/029-generic-types.md.
func TestGenericTypes(t *testing.T) {
	want := []string{
		"sync/atomic.Pointer", "voicepool/mixer/internal/chunk.Allocator", "voicepool/mixer/internal/commandqueue.Queue",
		"voicepool/mixer/internal/publish.SeqCell", "voicepool/mixer/internal/publish.StateWord",
	}
	if got := reachedGenerics(readWalls(t, "", "", "")); !slices.Equal(got, want) {
		t.Errorf("importers of mixer compile %s, want %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	planted := readWalls(t, "", "type Mixer struct {", "\npools []*pool.Pool[int]\n")
	if got := reachedGenerics(planted); !slices.Contains(got, "voicepool/pool.Pool") {
		t.Errorf("a pool in Mixer is not found: %q", got)
	}
}
