package fields

import (
	"fmt"
	"strings"
	"testing"

	"voicepool/internal/sheet/yaml"
)

// TestMappingsOfAnyNumberOfKeys reads mappings of 1 to 200 keys, with and without a duplicate of each key.
func TestMappingsOfAnyNumberOfKeys(t *testing.T) {
	for n := 1; n <= 200; n++ {
		var text strings.Builder
		values := make([]int, n)
		var keys []Field
		for i := range values {
			key := fmt.Sprintf("key%d", i)
			keys = append(keys, Field{Key: key, To: &values[i], Within: Limits{To: 1000}})
			fmt.Fprintf(&text, "%s: %d\n", key, i+1)
		}
		root, wrong := yaml.Read([]byte(text.String()), "mapping")
		if wrong != nil {
			t.Fatal(wrong)
		}
		var r Reader
		if r.Read(root, "a mapping", keys); r.Failed() {
			t.Fatalf("%d keys: %v", n, r.SortedErrors())
		}
		for i, got := range values {
			if got != i+1 {
				t.Fatalf("key %d of %d is read as %d, want %d", i, n, got, i+1)
			}
		}
		root.Pairs = append(root.Pairs, root.Pairs[n-1])
		r.Read(root, "a mapping", keys)
		want := fmt.Sprintf(`"key%d" is in a mapping twice, first in line %d`, n-1, n)
		if len(r.SortedErrors()) != 1 || r.SortedErrors()[0].Msg != want {
			t.Fatalf("%d keys and the last one again: %v, want %s", n, r.SortedErrors(), want)
		}
	}
}
