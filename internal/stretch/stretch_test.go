package stretch

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// means computes the best averages by definition, in O(n^2).
func means(k []float64) []float64 {
	g := make([]float64, len(k))
	for i := range k {
		sum := 0.0
		for j := i; j < len(k); j++ {
			sum += k[j]
			if n := j + 1 - i; n >= 3 {
				g[i] = max(g[i], sum/float64(n))
			}
		}
		if len(k)-i < 3 {
			g[i] = sum / 3
		}
	}
	return g
}

// TestOnceAgainstDefinition compares hull and bisection with the definition: the averages and their ends.
func TestOnceAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		energy := rapid.OneOf(rapid.Float64Range(0, 1), rapid.Just(0.0), rapid.Just(0.25), rapid.Float64Range(0, 1e-12))
		k := rapid.SliceOfN(energy, 0, 200).Draw(t, "k")
		got, ends := Once(k)
		want := means(k)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12*(1+want[i]) {
				t.Fatalf("hop %d of %d: %v, by definition %v", i, len(k), got[i], want[i])
			}
			sum := 0.0
			for _, x := range k[i:ends[i]] {
				sum += x
			}
			if mean := sum / float64(max(ends[i]-i, Least)); math.Abs(mean-want[i]) > 1e-12*(1+want[i]) {
				t.Fatalf("hop %d of %d: the mean up to %d is %v, the best %v", i, len(k), ends[i], mean, want[i])
			}
		}
	})
}

func TestOnceByHand(t *testing.T) {
	for _, c := range []struct{ k, want []float64 }{
		{nil, nil},
		{[]float64{3}, []float64{1}},
		{[]float64{3, 6}, []float64{3, 2}},
		{[]float64{3, 6, 9}, []float64{6, 5, 3}},
		{[]float64{0, 0, 0, 0, 8}, []float64{1.6, 2, 8. / 3, 8. / 3, 8. / 3}}, // a pause with a future
		{[]float64{9, 9, 9, 0, 0, 0}, []float64{9, 6, 3, 0, 0, 0}},            // the longest stretch is not always the best
	} {
		got, _ := Once(c.k)
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-15 {
				t.Errorf("%v: %v, want %v", c.k, got, c.want)
				break
			}
		}
	}
}

// TestLoop checks that the best average of an unrolled loop looks exactly ahead hops ahead.
func TestLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hops, ahead := rapid.IntRange(1, 20).Draw(t, "hops"), rapid.IntRange(3, 30).Draw(t, "ahead")
		k := rapid.SliceOfN(rapid.Float64Range(0, 1), hops+ahead, hops+ahead).Draw(t, "k")
		got, ends := Loop(k, hops, ahead)
		for i := range hops {
			want := means(k[i : i+ahead])[0]
			sum := 0.0
			for _, x := range k[i:ends[i]] {
				sum += x
			}
			mean := sum / float64(ends[i]-i)
			if math.Abs(got[i]-want) > 1e-12 || math.Abs(mean-want) > 1e-12 || ends[i] > i+ahead {
				t.Fatalf("hop %d: %v up to %d, by definition %v", i, got[i], ends[i], want)
			}
		}
	})
}

func BenchmarkOnce(b *testing.B) {
	k := make([]float64, 30000) // ten minutes
	for i := range k {
		k[i] = float64(len(k) - i)
	}
	for b.Loop() {
		Once(k)
	}
}
