package playlist

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestListsEqualSlices moves records between play numbers at random, with more records from time to time, and compares
// each list with a slice.
func TestListsEqualSlices(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 6))
		var p Lists
		want := map[uint64][]int{}
		records := 1
		for step := range 600 {
			if r.IntN(20) == 0 {
				records += r.IntN(6)
			}
			record, play := r.IntN(records), uint64(r.IntN(12))
			p.Set(record, play, records)
			for k := range want {
				want[k] = slices.DeleteFunc(want[k], func(x int) bool { return x == record })
			}
			want[play] = append(want[play], record)
			for play := uint64(1); play < 14; play++ {
				var got []int
				for i := p.First(play); i >= 0; i = p.Next(i, play) {
					got = append(got, i)
				}
				if !slices.Equal(got, want[play]) {
					t.Fatalf("seed %d, step %d: play %d has %v, want %v", seed, step, play, got, want[play])
				}
			}
		}
	}
}
