package history

import (
	"testing"

	"pgregory.net/rapid"

	"voicepool/pool"
)

// TestHistory compares a History with a list under the same random calls, including an
// overflow of their numbers.
func TestHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := New(rapid.SampledFrom([]int{1, 32, 100}).Draw(t, "most"))
		var list []Entry
		add := func(n int) {
			for range n {
				x := h.Add(pool.Handle(rapid.Uint64().Draw(t, "id")))
				x.Number = uint64(len(list) + 1)
				list = append(list, *x)
			}
		}
		if rapid.Bool().Draw(t, "round") {
			add(200)
			h.count, list = 1<<32-40, nil // as if all starts in between were forgotten
			clear(h.heads)
			add(len(h.entries))
		}
		for range rapid.IntRange(1, 30).Draw(t, "times") {
			add(rapid.IntRange(0, 9).Draw(t, "more"))
			kept := list[max(0, len(list)-max(len(h.entries), 1)):]
			if len(list) >= h.maxLen && len(kept) < h.maxLen {
				t.Fatalf("%d are kept of %d", len(kept), len(list))
			}
			for _, x := range kept {
				if got := h.Find(x.ID); got.Number < x.Number || got.ID != x.ID {
					t.Fatalf("the entry of %v is %+v, want %+v", x.ID, got, x)
				}
			}
			for _, x := range list[:len(list)-len(kept)] {
				if got := h.Find(x.ID); got.Number == x.Number {
					t.Fatalf("%v is known longer than there is room", x.ID)
				}
			}
		}
	})
}
