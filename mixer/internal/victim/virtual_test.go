package victim

import (
	"math/rand/v2"
	"testing"
)

// chooseByWalk is virtualIndex.choose with a linear search.
func (u *virtualIndex) chooseByWalk(limit int32, kind Kind) Choice {
	c := Choice{Slot: -1, RunnerUp: -1}
	second := -1
	less := func(i, j int) bool {
		switch {
		case j < 0:
			return true
		case u.prio[i] != u.prio[j]:
			return u.prio[i] < u.prio[j]
		case u.remaining[i] != u.remaining[j]:
			return u.remaining[i] < u.remaining[j]
		}
		return u.number[i] < u.number[j]
	}
	for i, prio := range u.prio {
		if prio > limit || prio == Unstealable || kind != Any && u.endless[i] != (kind == Endless) {
			continue
		}
		c.Candidates++
		if less(i, c.Slot) {
			c.Slot, second = i, c.Slot
		} else if less(i, second) {
			second = i
		}
	}
	if c.Slot < 0 {
		return c
	}
	c.Audibility = float64(u.remaining[c.Slot])
	for i, prio := range u.prio {
		c.Peers += boolInt(prio == u.prio[c.Slot] && (kind == Any || u.endless[i] == (kind == Endless)))
	}
	if second >= 0 {
		c.RunnerUp, c.RunnerUpPrio = float64(u.remaining[second]), u.prio[second]
	}
	return c
}

// TestVirtualIndex changes scores at random and compares choose with a search through all voices: the victim
// and the data of its event. It covers ties, protected voices, free places, priorities of a single voice, limits
// above and below them, and voices that change from endless to finite.
func TestVirtualIndex(t *testing.T) {
	for _, virtual := range []int{1, 63, 64, 65, 700, 1500} {
		r := rand.New(rand.NewPCG(5, uint64(virtual)))
		prio, endless, remaining, numbers := make([]int32, virtual), make([]bool, virtual), make([]float32, virtual), make([]uint64, virtual)
		for i := range prio {
			prio[i] = Unstealable
		}
		u := newVirtualIndex(prio, endless, remaining, numbers)
		priorities, kinds, number, alone, ties, none := int32(1), 2000, uint64(0), 0, 0, 0
		set := func(i int, p int32) {
			number++
			prio[i], numbers[i] = p, number
			u.markPrio(i)
		}
		for round := range 5000 {
			if round%100 == 0 {
				priorities, kinds = 1+r.Int32N(4), 1+r.IntN(2000)
				for i := range prio { // otherwise most would be free
					set(i, r.Int32N(priorities))
				}
			}
			for range 1 + r.IntN(4) {
				i := r.IntN(virtual)
				switch r.IntN(10) {
				case 0, 1:
					set(i, Unstealable)
				case 2:
					if to := r.IntN(virtual); to != i { // the voice moves
						prio[to], endless[to], remaining[to], numbers[to] = prio[i], endless[i], remaining[i], numbers[i]
						u.markAudibility(to)
						u.markPrio(to)
						set(i, Unstealable)
					}
				case 3:
					if r.IntN(20) == 0 {
						set(i, -1)
					}
				case 4:
					endless[i] = !endless[i]
					u.markPrio(i)
				default:
					set(i, r.Int32N(priorities))
					remaining[i] = float32(r.IntN(kinds))
					u.markAudibility(i)
				}
			}
			if r.IntN(2) == 0 { // an audibility alone
				i := r.IntN(virtual)
				remaining[i] = float32(r.IntN(kinds))
				u.markAudibility(i)
			}
			u.markPrio(-1 - r.IntN(5)) // a real voice
			u.markAudibility(-1 - r.IntN(5))
			limit, kind := r.Int32N(6)-1, []Kind{Any, Endless, Finite}[r.IntN(3)]
			var got Choice
			u.choose(&got, limit, kind)
			want := u.chooseByWalk(limit, kind)
			if got != want {
				t.Fatalf("%d virtual voices, round %d, limit %d, kind %d: %+v, want %+v", virtual, round, limit, kind, got, want)
			}
			none += boolInt(want.Slot < 0)
			alone += boolInt(want.Candidates > 1 && want.Peers == 1)
			ties += boolInt(want.Candidates > 1 && want.Audibility == want.RunnerUp && want.Peers > 1)
		}
		if virtual > 1 && (alone < 20 || ties < 50 || none < 5) {
			t.Errorf("%d virtual voices: %d were alone, %d were ties, %d times there was none", virtual, alone, ties, none)
		}
	}
}
