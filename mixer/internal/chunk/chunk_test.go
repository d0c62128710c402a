package chunk

import "testing"

// TestValuesAreDistinctZeros checks that each value is zero and returned once, and that few calls allocate.
func TestValuesAreDistinctZeros(t *testing.T) {
	var a Allocator[[2]int]
	seen := map[*[2]int]bool{}
	for i := range 1000 {
		x := a.Next()
		if *x != [2]int{} || seen[x] {
			t.Fatalf("value %d is %v", i, *x)
		}
		seen[x] = true
		x[0] = i + 1
	}
	chunks := 0.0
	for range 1000 {
		chunks += testing.AllocsPerRun(1, func() { a.Next() })
	}
	if chunks > 10 {
		t.Errorf("%v of 1000 calls allocate", chunks)
	}
}
