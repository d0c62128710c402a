package mixer

import (
	"testing"

	"pgregory.net/rapid"

	"voicepool/pool"
)

// TestFinishedAgainstAList compares finishedStarts with a list under the same random calls, including an
// overflow of their numbers.
func TestFinishedAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := finishedStarts{maxLen: rapid.SampledFrom([]int{1, 32, 100}).Draw(t, "most")}
		var list []finishedStart
		add := func(n int) {
			for range n {
				x := f.add(pool.Handle(rapid.Uint64().Draw(t, "id")))
				x.number = uint64(len(list) + 1)
				list = append(list, *x)
			}
		}
		if rapid.Bool().Draw(t, "round") {
			add(200)
			f.count, list = 1<<32-40, nil // as if all starts in between were forgotten
			clear(f.heads)
			add(len(f.all))
		}
		for range rapid.IntRange(1, 30).Draw(t, "times") {
			add(rapid.IntRange(0, 9).Draw(t, "more"))
			kept := list[max(0, len(list)-max(len(f.all), 1)):]
			if len(list) >= f.maxLen && len(kept) < f.maxLen {
				t.Fatalf("%d are kept of %d", len(kept), len(list))
			}
			for _, x := range kept {
				if got := f.find(x.id); got.number < x.number || got.id != x.id {
					t.Fatalf("the entry of %v is %+v, want %+v", x.id, got, x)
				}
			}
			for _, x := range list[:len(list)-len(kept)] {
				if got := f.find(x.id); got.number == x.number {
					t.Fatalf("%v is known longer than there is room", x.id)
				}
			}
		}
	})
}
