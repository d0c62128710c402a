package batches

import (
	"math/rand/v2"
	"testing"
)

// TestBatchesEqualModel fires and drops batches at random, some by countdowns, and compares them with a model: for each
// batch its frame, whether it was dropped, and the countdown that it waits for.
func TestBatchesEqualModel(t *testing.T) {
	type model struct {
		fired   int64
		dropped bool
		awaits  int // a countdown, from 1; 0: the batch does not wait
		isZero  bool
	}
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		var p Pending
		batches, want := make([]Batch, 12), make([]model, 12)
		countdowns, left := make([]Countdown, 4), make([]int64, 4)
		for i := range want {
			want[i].fired = -1
		}
		for now := range int64(60) {
			due := map[int]bool{} // fired by this step
			for range r.IntN(4) {
				i, c := r.IntN(len(batches)), r.IntN(len(countdowns))
				w := &want[i]
				idle := !w.dropped && w.fired < 0 && w.awaits == 0
				switch r.IntN(5) {
				case 0:
					if p.Fire(&batches[i], nil, now); idle {
						w.fired, due[i] = now, true
					}
				case 1:
					if p.Fire(&batches[i], &countdowns[c], now); idle {
						w.awaits, w.isZero = c+1, true
					}
				case 2:
					if got := p.Drop(&batches[i]); got != !w.dropped {
						t.Fatalf("seed %d, frame %d: batch %d is dropped is %v", seed, now, i, !got)
					}
					w.dropped, w.awaits = true, 0
				default:
					n := r.Int64N(5) - 2
					p.Add(&countdowns[c], n)
					left[c] += n
					for j := range want {
						want[j].isZero = want[j].isZero || want[j].awaits == c+1 && left[c] <= 0
					}
				}
			}
			if r.IntN(2) == 0 {
				p.FireAtZero(now)
				for i := range want {
					if w := &want[i]; w.awaits > 0 && w.isZero {
						if w.isZero = false; left[w.awaits-1] <= 0 {
							w.fired, w.awaits, due[i] = now, 0, true
						}
					}
				}
			}
			for b := p.NextFired(); b != nil; b = p.NextFired() {
				found := false
				for i := range batches {
					if b == &batches[i] && due[i] {
						found = true
						delete(due, i)
					}
				}
				if !found {
					t.Fatalf("seed %d, frame %d: a batch fires early or twice", seed, now)
				}
			}
			waits := 0
			for i := range want {
				w := &want[i]
				if w.awaits > 0 {
					waits++
				}
				if frame, fired := batches[i].Base(); frame != w.fired || fired != (w.fired >= 0) || batches[i].Dropped() != w.dropped {
					t.Fatalf("seed %d, frame %d: batch %d was fired at %d, want %+v", seed, now, i, frame, *w)
				}
			}
			if len(due) > 0 || p.Waits() != (waits > 0) {
				t.Fatalf("seed %d, frame %d: %d batches did not fire; any batch waits is %v, want %d batches", seed, now, len(due), p.Waits(), waits)
			}
			for c := range countdowns {
				awaited := false
				for i := range want {
					awaited = awaited || want[i].awaits == c+1 && !want[i].isZero
				}
				if countdowns[c].IsAwaited() != awaited {
					t.Fatalf("seed %d, frame %d: countdown %d is awaited is %v", seed, now, c, !awaited)
				}
			}
		}
	}
}
