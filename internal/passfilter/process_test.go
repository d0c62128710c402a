package passfilter_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/internal/passfilter"
	"voicepool/pcm"
)

// TestFilterTail checks that the tail of a bus filter is at most as long as reported, for any full-scale
// input, and that the filter then becomes idle.
func TestFilterTail(t *testing.T) {
	const audible = 3.1623e-5
	longest, next := 0.0, longtest.Every(5)
	for _, rate := range []int{8000, 48000, 192000} {
		for _, hz := range []float64{20, 100, 700, 3000, 12000, 20000} {
			for _, high := range []bool{false, true} {
				for _, input := range []string{"level", "noise", "tone", "square"} {
					if !next() {
						continue
					}
					var f passfilter.Filter
					if high {
						f.Start(rate, 0, hz)
					} else {
						f.Start(rate, hz, 0)
					}
					tail, one := f.Tail(0), passfilter.Tail(hz, rate)
					if tail != one {
						t.Errorf("%v Hz at %d: the tail is %d and %d", hz, rate, tail, one)
					}
					r := rand.New(rand.NewPCG(1, 2))
					n := rate / 2
					block := make([]pcm.Frame, n+8*int(tail)+2000)
					for i := range n {
						x := 1.0
						switch input {
						case "noise":
							x = 2*r.Float64() - 1
						case "tone":
							x = math.Sin(2 * math.Pi * hz * float64(i) / float64(rate))
						case "square":
							x = math.Copysign(1, math.Sin(2*math.Pi*hz*float64(i)/float64(rate)))
						}
						block[i] = pcm.Frame{float32(x), -float32(x)}
					}
					if !f.Process(block, 0) {
						t.Fatalf("%v Hz at %d: no sound", hz, rate)
					}
					last := 0
					for i, x := range block {
						if math.Abs(float64(x[0])) >= audible {
							last = i + 1
						}
					}
					longest = max(longest, float64(last-n)/float64(tail))
					if int64(last-n) > tail {
						t.Errorf("%v Hz at %d, high %v, %s: it rings for %d frames, and says %d", hz, rate, high, input, last-n, tail)
					}
					if f.HasTail() || block[len(block)-1] != (pcm.Frame{}) {
						t.Errorf("%v Hz at %d, high %v, %s: it does not come to rest", hz, rate, high, input)
					}
				}
			}
		}
	}
	t.Logf("at most %.2f of the bound", longest)
	if longest < 0.5 {
		t.Error("the bound is far from what rings")
	}
}
