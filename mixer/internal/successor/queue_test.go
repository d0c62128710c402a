package successor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/pool"
)

// TestQueueEqualsSlices compares a queue, which grows in between, with two slices.
func TestQueueEqualsSlices(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		room := 4
		q := New(room)
		var waiting []Start
		var ready []readyStart
		var started pool.Handle
		remove := func(i int, stopped bool) {
			if i >= 0 {
				ready = append(ready, readyStart{waiting[i].ID, stopped})
				waiting = slices.Delete(waiting, i, i+1)
			}
		}
		for step := range 500 {
			handle := pool.Handle(1 + r.IntN(int(started)+2))
			switch op := r.IntN(7); {
			case op == 0 && len(waiting)+len(ready) < room:
				started++
				q.Ready(started, op == 0)
				ready = append(ready, readyStart{started, op == 0})
			case op < 3 && len(waiting)+len(ready) < room:
				started++
				s := Start{Predecessor: handle, ID: started, AtLoopEnd: op == 1}
				q.Wait(s)
				s.LoopEndAt = Never
				waiting = append(waiting, s)
			case op == 3:
				i := slices.IndexFunc(waiting, func(s Start) bool { return s.Predecessor == handle })
				stopped, want := r.IntN(2) == 0, pool.Handle(0)
				if i >= 0 {
					want = waiting[i].ID
				}
				if got := q.Release(handle, stopped); got != want {
					t.Fatalf("seed %d, step %d: released is %d, want %d", seed, step, got, want)
				}
				remove(i, stopped)
			case op == 4:
				q.Cancel(handle)
				remove(slices.IndexFunc(waiting, func(s Start) bool { return s.ID == handle }), true)
			case op == 5:
				want := readyStart{}
				if len(ready) > 0 {
					want, ready = ready[0], ready[1:]
				}
				if id, stopped := q.NextReady(); (readyStart{id, stopped}) != want {
					t.Fatalf("seed %d, step %d: ready is %d, stopped %v; want %+v", seed, step, id, stopped, want)
				}
			case op == 6 && room < 40:
				room += r.IntN(5)
				larger := New(2 * room) // NextReady removes starts only when all have begun
				q.MoveTo(&larger)
			}
			if !slices.Equal(q.Waiting(), waiting) {
				t.Fatalf("seed %d, step %d: waiting are %v, want %v", seed, step, q.Waiting(), waiting)
			}
		}
	}
}

// TestQueueDoesNotAllocate checks the calls of the audio side.
func TestQueueDoesNotAllocate(t *testing.T) {
	q := New(2)
	if n := testing.AllocsPerRun(100, func() {
		q.Wait(Start{Predecessor: 1, ID: 2})
		q.Wait(Start{Predecessor: 3, ID: 4})
		q.Release(3, true)
		q.Cancel(2)
		for id, _ := q.NextReady(); id != 0; id, _ = q.NextReady() {
			if id != 4 && id != 2 {
				t.Fatalf("ready is %d", id)
			}
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
