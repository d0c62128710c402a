package dsp

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// slowWeakest checks one slot after the other.
func slowWeakest(prio []int32, key []float32, limit int32) Weakest {
	w := Weakest{Prio: math.MaxInt32, Alone: true}
	for i, p := range prio {
		if p > limit {
			continue
		}
		w.Candidates++
		switch k := key[i]; {
		case w.Candidates == 1 || p < w.Prio:
			w.Prio, w.Key, w.Alone, w.At = p, k, true, i
		case p > w.Prio:
		case w.Alone:
			w.Next, w.Alone = max(k, w.Key), false
			if k < w.Key {
				w.Key, w.At = k, i
			}
		case k < w.Key:
			w.Key, w.Next, w.At = k, w.Key, i
		default:
			w.Next = min(w.Next, k)
		}
	}
	return w
}

// slots returns n slots as in a pool: few priorities, many equal keys, and some protected slots.
func slots(t testing.TB, r *rand.Rand, n, priorities int) (prio []int32, key []float32) {
	prio, key = fenced[int32](t, n), fenced[float32](t, n)
	prio, key = prio[len(prio)-n:], key[len(key)-n:]
	for i := range prio {
		prio[i], key[i] = int32(r.IntN(priorities)-1), r.Float32()
		switch r.IntN(8) {
		case 0:
			prio[i] = math.MaxInt32
		case 1:
			key[i] = []float32{0, 0.5, math.SmallestNonzeroFloat32, 3e38, float32(math.Inf(1))}[r.IntN(5)]
		}
	}
	return prio, key
}

// FindWeakest returns the result of Find.
func FindWeakest(prio []int32, key []float32, limit int32) (w Weakest) {
	w.Find(prio, key, limit)
	return w
}

func TestFindWeakest(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	r := rand.New(rand.NewPCG(11, 12))
	for n := range 200 {
		for _, priorities := range []int{1, 2, 5, 1000} {
			prio, key := slots(t, r, n, priorities)
			for _, limit := range []int32{math.MinInt32, -2, -1, 0, 3, 999, math.MaxInt32 - 1, math.MaxInt32} {
				want := slowWeakest(prio, key, limit)
				for _, level = range sets() {
					got := FindWeakest(prio, key, limit)
					if got.Candidates != want.Candidates || want.Candidates > 0 &&
						(got.Prio != want.Prio || got.Key != want.Key || got.At != want.At || got.Alone != want.Alone || !want.Alone && got.Next != want.Next) {
						t.Fatalf("%v: of %d slots up to priority %d: %+v, want %+v", level, n, limit, got, want)
					}
				}
			}
		}
	}
}

func TestFindOldest(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	r := rand.New(rand.NewPCG(15, 16))
	for n := range 120 {
		for range 4 {
			prio, key := slots(t, r, n, 2)
			number := fenced[uint64](t, n)
			number = number[len(number)-n:]
			for i, x := range r.Perm(n) {
				number[i] = uint64(x+1) << r.IntN(2) << 40
			}
			for i, x := range r.Perm(n) { // no two are the same
				number[i] += uint64(x)
			}
			for i := range prio {
				p, k := prio[i], key[i]
				want := -1
				for j := range prio {
					if prio[j] == p && key[j] == k && (want < 0 || number[j] < number[want]) {
						want = j
					}
				}
				for _, level = range sets() {
					if got := FindOldest(prio, key, number, p, k); got != want {
						t.Fatalf("%v: of %d slots with %d and %v: %d, want %d", level, n, p, k, got, want)
					}
					if got := FindOldest(prio, key, number, p, -1); got != -1 {
						t.Fatalf("%v: of %d slots with %d and -1: %d", level, n, p, got)
					}
				}
			}
		}
	}
}

// choose returns the victim and the runner-up, -1 if missing: the lowest priority, then the lowest key, then
// the lowest number. A pool uses the tested functions in this way.
func choose(prio []int32, key []float32, number []uint64, limit int32) (slot, second, candidates int) {
	w := FindWeakest(prio, key, limit)
	if w.Candidates == 0 {
		return -1, -1, 0
	}
	if !w.Alone && w.Next == w.Key {
		slot, second = twoOldest(prio, key, number, w.Prio, w.Key)
		return slot, second, w.Candidates
	}
	slot, second = w.At, -1
	switch {
	case w.Alone && w.Candidates > 1: // the runner-up has another priority
		prio[slot] = math.MaxInt32
		rest := FindWeakest(prio, key, limit)
		second, _ = twoOldest(prio, key, number, rest.Prio, rest.Key)
		prio[slot] = w.Prio
	case !w.Alone:
		second, _ = twoOldest(prio, key, number, w.Prio, w.Next)
	}
	return slot, second, w.Candidates
}

// twoOldest returns the two slots with the lowest numbers of a priority and key.
func twoOldest(prio []int32, key []float32, number []uint64, p int32, k float32) (first, second int) {
	first, second = -1, -1
	for i := range prio {
		switch {
		case prio[i] != p || key[i] != k:
		case first < 0:
			first = i
		case number[i] < number[first]:
			first, second = i, first
		case second < 0 || number[i] < number[second]:
			second = i
		}
	}
	return first, second
}

func TestChoose(t *testing.T) {
	defer func(old instructions) { level = old }(level)
	r := rand.New(rand.NewPCG(17, 18))
	for n := range 150 {
		prio, key := slots(t, r, n, 1+n%4)
		number, order := make([]uint64, n), make([]int, n)
		for i, x := range r.Perm(n) {
			number[i], order[i] = uint64(x), i
		}
		slices.SortFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(prio[i], prio[j]), cmp.Compare(key[i], key[j]), cmp.Compare(number[i], number[j]))
		})
		for limit := int32(-2); limit < 4; limit++ {
			want := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return prio[i] > limit })
			count := len(want)
			want = append(want, -1, -1)
			for _, level = range sets() {
				slot, second, candidates := choose(prio, key, number, limit)
				if slot != want[0] || second != want[1] || candidates != count {
					t.Fatalf("%v: of %d slots up to priority %d: %d, then %d, of %d candidates; want %d, then %d, of %d",
						level, n, limit, slot, second, candidates, want[0], want[1], count)
				}
			}
		}
	}
}

func BenchmarkVictim(b *testing.B) {
	defer func(old instructions) { level = old }(level)
	r := rand.New(rand.NewPCG(15, 16))
	for _, n := range []int{32, 256, 1024, 4096} {
		prio, key := make([]int32, n), make([]float32, n)
		for i := range key {
			key[i] = r.Float32()
		}
		for _, l := range sets() {
			b.Run(fmt.Sprintf("%d/%v", n, l), func(b *testing.B) {
				level = l
				least := time.Duration(math.MaxInt64)
				for b.Loop() {
					start := time.Now()
					for range 8 {
						FindWeakest(prio, key, 0)
					}
					least = min(least, time.Since(start))
				}
				b.ReportMetric(float64(least.Nanoseconds())/8, "ns/choice")
			})
		}
	}
}
