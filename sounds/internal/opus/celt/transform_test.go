package celt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestInverse compares with the sums that define the transform.
func TestInverse(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for i := range 4 {
		n := overlap << i
		in := make([]float64, n)
		for k := range in {
			in[k] = 2*random.Float64() - 1
		}
		out := make([]float32, n+overlap/2)
		newInverse(n).apply(out, in, 1, window())
		// Between the overlaps the window is flat.
		for j := overlap; j < n+overlap/2; j++ {
			want := 0.0
			at := j - overlap/2 + n/2
			for k, x := range in {
				want += x * math.Cos(math.Pi/float64(n)*(float64(at)+0.5+float64(n)/2)*(float64(k)+0.5))
			}
			if math.Abs(want-float64(out[j])) > 1e-4 {
				t.Fatalf("sample %d of %d is %v, want %v", j, n, out[j], want)
			}
		}
	}
}
