package flac

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPredict compares predictors of every order with their definition.
func TestPredict(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for order := 1; order <= 32; order++ {
		for _, n := range []int{order, order + 1, 11, 12, 13, 40, 200} {
			if n < order {
				continue
			}
			factors, x, shift := make([]int64, order), make([]int64, n), uint(r.IntN(16))
			for i := range factors {
				factors[i] = int64(r.IntN(1<<15)) - 1<<14
			}
			for i := range x {
				x[i] = int64(r.IntN(1<<16)) - 1<<15
			}
			want := slices.Clone(x)
			for i := order; i < n; i++ {
				sum := int64(0)
				for j, f := range factors {
					sum += f * want[i-order+j]
				}
				want[i] += sum >> shift
			}
			if predict(x, factors, shift); !slices.Equal(x, want) {
				t.Fatalf("%d factors, %d samples: %v, want %v", order, n, x, want)
			}
		}
	}
}
