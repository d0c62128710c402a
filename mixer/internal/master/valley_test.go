package master

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestValley compares the gains with their definition, computed from the start for every frame.
func TestValley(t *testing.T) {
	for _, ahead := range []int{0, 1, 2, 12, 72, 1152} {
		const millis = 80
		rate := 48000.0
		v := newValley(ahead, int64(float64(1<<32)*1000/rate/millis))
		flat := ahead * 3 / 20
		slope := ahead - flat + 1
		r := rand.New(rand.NewPCG(uint64(ahead), 3))
		n := 4000
		need, held := make([]float64, n), make([]float64, n)
		last := 1.0
		for i := range need {
			need[i] = 1
			if r.IntN(100) == 0 {
				need[i] = r.Float64()
			}
			last += (1 - last) * 1000 / rate / millis
			for j := max(0, i-slope-2*flat); j <= i; j++ {
				last = min(last, need[j])
			}
			held[i] = last
		}
		average := func(x []float64, i, n int) (sum float64) {
			for j := i - n + 1; j <= i; j++ {
				if j < 0 {
					sum++
				} else {
					sum += x[j]
				}
			}
			return sum / float64(n)
		}
		outer := slope/2 + 1
		once := make([]float64, n)
		for i := range held {
			once[i] = average(held, i, slope+1-outer)
			want := average(once, i, outer)
			if got := v.next(int64(need[i] * unity)); math.Abs(float64(got)-want) > 1e-6 {
				t.Fatalf("ahead %d: the gain at place %d is %v, the definition says %v", ahead, i, got, want)
			}
		}
	}
}

// TestValleyIsFlat checks the promised number of frames around a place: their gain is at most what the place
// needs. Later the gain returns to exactly 1.
func TestValleyIsFlat(t *testing.T) {
	for _, ahead := range []int{0, 1, 7, 72, 1152} {
		v := newValley(ahead, 1<<32/4000)
		if !v.flat() {
			t.Errorf("ahead %d: not flat from the start", ahead)
		}
		const place, n = 2000, 300000
		gains := make([]float32, n)
		for i := range gains {
			need := int64(unity)
			if i == place {
				need = unity / 2
			}
			gains[i] = v.next(need)
		}
		for i := place - ahead*3/20; i <= place+1+ahead*3/20; i++ {
			if g := gains[i+ahead]; g > 0.5 {
				t.Errorf("ahead %d: frame %+d has a gain of %v, want at most 0.5", ahead, i-place, g)
			}
		}
		if first := gains[place-1]; ahead > 0 && first != 1 {
			t.Errorf("ahead %d: it is down before it knows: %v", ahead, first)
		}
		if !v.flat() || gains[n-1] != 1 {
			t.Errorf("ahead %d: it does not come back: %v", ahead, gains[n-1])
		}
	}
}
