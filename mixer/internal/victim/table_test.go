package victim

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// row holds the scores of a voice as a test has set them.
type row struct {
	prio                                int32
	number                              uint64
	audibility, remaining, gain, masked float32
	endless                             bool
}

// key returns the value of a key.
func (r *row) key(key Key) float32 {
	return [...]float32{r.audibility, r.remaining, r.gain, 0, r.masked}[key]
}

// compare compares rows by the order of victims.
func (r *row) compare(s *row, key Key) int {
	return cmp.Or(cmp.Compare(r.prio, s.prio), cmp.Compare(r.key(key), s.key(key)), cmp.Compare(r.number, s.number))
}

// chooseByWalk returns the choice among the rows that candidate selects, by a walk over all of them.
func chooseByWalk(rows []row, key Key, candidate func(i int) bool) Choice {
	c, second := Choice{Slot: -1, RunnerUp: -1}, -1
	for i := range rows {
		x := &rows[i]
		if x.prio == Unstealable || !candidate(i) {
			continue
		}
		c.Candidates++
		switch {
		case c.Slot < 0 || x.compare(&rows[c.Slot], key) < 0:
			if c.Slot < 0 || x.prio != rows[c.Slot].prio {
				c.Peers = 0
			}
			c.Slot, second = i, c.Slot
		case second < 0 || x.compare(&rows[second], key) < 0:
			second = i
		}
		c.Peers += boolInt(x.prio == rows[c.Slot].prio)
	}
	if c.Slot < 0 {
		return c
	}
	reported := ByAudibility
	if key == ByRemaining {
		reported = key
	}
	c.Audibility = float64(rows[c.Slot].key(reported))
	if second >= 0 {
		c.RunnerUp, c.RunnerUpPrio = float64(rows[second].key(reported)), rows[second].prio
	}
	return c
}

// TestTable changes scores at random, by setters and moves, and compares every kind of choice with a walk:
// by each key, with and without virtual voices, and among a part of the voices.
func TestTable(t *testing.T) {
	for _, slots := range []int{3, 40, 700} {
		const virtual = 150
		r := rand.New(rand.NewPCG(7, uint64(slots)))
		scores, rows, number := New(slots, virtual, ByGain), make([]row, slots+virtual), uint64(0)
		scores.Masked = make([]float32, len(rows))
		for i := range rows {
			rows[i].prio = Unstealable
		}
		ties, none, victim := 0, 0, -1
		for round := range 6000 {
			priorities, kinds := 1+int32(round/100%4), []int{2, 40, 3000}[round/50%3]
			for i := range rows {
				if x := &rows[i]; round%50 == 0 {
					number++
					*x = row{r.Int32N(priorities), number, float32(r.IntN(kinds)), float32(r.IntN(kinds)), float32(r.IntN(kinds)), float32(r.IntN(kinds)), r.IntN(2) == 0}
					scores.Set(i, x.prio, number, false)
					scores.SetAudibility(i, x.audibility)
					scores.SetRemaining(i, x.remaining)
					scores.Gain[i], scores.Masked[i] = x.gain, x.masked
					scores.SetEndless(i, x.endless)
				}
			}
			for range 1 + r.IntN(2) {
				i := r.IntN(len(rows))
				if victim >= 0 && r.IntN(2) == 0 { // its scores matter the most
					i = victim
				}
				x, value := &rows[i], float32(r.IntN(kinds))
				switch r.IntN(10) {
				case 0:
					number++
					x.prio, x.number = Unstealable, number
					scores.Set(i, r.Int32N(priorities), number, true)
				case 1:
					if to := r.IntN(len(rows)); to != i {
						rows[to] = *x
						scores.Move(i, to)
						number++
						x.prio, x.number = Unstealable, number
						scores.Set(i, Unstealable, number, false)
					}
				case 2:
					x.endless = !x.endless
					scores.SetEndless(i, x.endless)
				case 3:
					x.gain, scores.Gain[i] = value, value
				case 4:
					x.masked, scores.Masked[i] = value, value
				case 5:
					x.remaining = value
					scores.SetRemaining(i, value)
				case 6:
					x.audibility = value
					scores.SetAudibility(i, value)
				default:
					number++
					x.prio, x.number = r.Int32N(priorities), number
					scores.Set(i, x.prio, number, false)
				}
			}
			q := Query{Limit: priorities, Key: []Key{ByAudibility, ByRemaining, ByGain, ByAge, ByMasked}[max(r.IntN(8)-3, 0)], Virtual: r.IntN(3) == 0}
			if r.IntN(4) == 0 { // seldom, because the index of slots starts again with a new limit
				q.Limit = r.Int32N(6) - 1
			}
			spared := -1
			if r.IntN(3) == 0 {
				spared = r.IntN(3)
				q.Eligible = scores.Eligible(q.Virtual)
				for i := range q.Eligible {
					if i%3 == spared {
						q.Eligible[i] = Unstealable
					}
				}
			}
			var got Choice
			scores.Choose(&got, &q)
			want := chooseByWalk(rows, q.Key, func(i int) bool {
				return rows[i].prio <= q.Limit && (i < slots || q.Virtual) && i%3 != spared
			})
			if got != want {
				t.Fatalf("%d slots, round %d, %+v: %+v, want %+v", slots, round, q, got, want)
			}
			victim = want.Slot
			ties += boolInt(want.Candidates > 1 && want.Audibility == want.RunnerUp)
			none += boolInt(want.Slot < 0)
			limit, kind := r.Int32N(6)-1, []Kind{Any, Endless, Finite}[r.IntN(3)]
			scores.ChooseVirtual(&got, limit, kind)
			want = chooseByWalk(rows, ByRemaining, func(i int) bool { return i >= slots && rows[i].prio <= limit && kind.Includes(rows[i].endless) })
			if got != want {
				t.Fatalf("%d slots, round %d, virtual voices up to %d of kind %d: %+v, want %+v", slots, round, limit, kind, got, want)
			}
			lowest := slices.MinFunc(rows[:slots], func(a, b row) int { return cmp.Compare(a.prio, b.prio) }).prio
			if got := scores.LowestPrio(); got != lowest {
				t.Fatalf("%d slots, round %d: the lowest priority is %d, want %d", slots, round, got, lowest)
			}
			i, j := r.IntN(len(rows)), r.IntN(len(rows))
			if got, want := scores.Less(i, j, q.Key), rows[i].compare(&rows[j], q.Key) < 0; got != want {
				t.Fatalf("%d slots, round %d: Less is %v, want %v", slots, round, got, want)
			}
		}
		if ties < 50 || none < 20 {
			t.Errorf("%d slots: %d ties, %d choices without a candidate", slots, ties, none)
		}
	}
}

// TestRestore compares the two ways to find the voices to restore with the definition: audible voices, then the
// highest priority, the loudest, the oldest.
func TestRestore(t *testing.T) {
	const slots, virtual = 5, 90
	for _, key := range []Key{ByAudibility, ByMasked} {
		r := rand.New(rand.NewPCG(8, uint64(key)))
		scores, rows, number := New(slots, virtual, key), make([]row, slots+virtual), uint64(0)
		silent := 0
		for round := range 500 {
			for range r.IntN(20) {
				number++
				i, used := slots+r.IntN(virtual), r.IntN(4) > 0
				x := &rows[i]
				*x = row{prio: r.Int32N(5) - 2, number: number, audibility: float32(r.IntN(4)), masked: float32(r.IntN(4))}
				if !used {
					x.prio = Unstealable
				}
				scores.Set(i, x.prio, number, r.IntN(9) == 0)
				scores.SetAudibility(i, x.audibility)
				if key == ByMasked {
					scores.Masked[i] = x.masked
				}
				scores.SetRestorePrio(i, Unstealable)
				if used {
					scores.SetRestorePrio(i, -x.prio)
				}
			}
			var want, got []int32
			for i := range rows {
				if rows[i].number > 0 && rows[i].prio != Unstealable {
					want = append(want, int32(i))
					silent += boolInt(rows[i].key(key) == 0)
				}
			}
			slices.SortFunc(want, func(i, j int32) int {
				x, y := &rows[i], &rows[j]
				return cmp.Or(cmp.Compare(boolInt(x.key(key) == 0), boolInt(y.key(key) == 0)), cmp.Compare(y.prio, x.prio), cmp.Compare(y.key(key), x.key(key)), cmp.Compare(x.number, y.number))
			})
			if got := scores.RestoreOrder(); !slices.Equal(got, want) {
				t.Fatalf("key %d, round %d: the order is %v, want %v", key, round, got, want)
			}
			scores.PrepareRestore()
			for i := scores.NextRestore(); i >= 0; i = scores.NextRestore() {
				got = append(got, int32(i))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("key %d, round %d: one by one the order is %v, want %v", key, round, got, want)
			}
		}
		if silent < 1000 {
			t.Errorf("key %d: %d voices were silent", key, silent)
		}
	}
}
