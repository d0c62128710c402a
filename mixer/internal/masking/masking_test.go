package masking

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/sounds"
)

const slots, virtual = 8, 400

// randomTable returns a table with random real voices, and restore priorities of its virtual voices. Some of these have
// equal energies.
func randomTable(r *rand.Rand) (*Table, []int32) {
	t, priorities := New(slots, virtual, make([]float32, slots+virtual)), make([]int32, virtual)
	for j := range priorities {
		if priorities[j] = int32(r.IntN(20) / 19); j%4 > 0 {
			randomEnergies(r, &t.energy[j])
		} else {
			t.energy[j][0][3] = 1e6
		}
	}
	for i := range slots {
		loudness := float32(math.Exp(18 + 4*r.Float64()))
		for h := range 2 {
			for b := range sounds.Bands {
				t.hops[i][h].Energy[b] = loudness * r.Float32()
				t.hops[i][h].Spread[b] = loudness * r.Float32()
			}
		}
	}
	return t, priorities
}

func randomEnergies(r *rand.Rand, e *energies) {
	loudness := float32(math.Exp(8 + 16*r.Float64()))
	for h := range e {
		for b := range e[h] {
			e[h][b] = loudness * r.Float32()
		}
	}
}

// rate computes the scores of all voices and returns the number of scores that are not exact.
func rate(t *Table, again bool, first int, priorities []int32) (bounds int) {
	t.Begin(false)
	for i := range slots {
		t.Add(i)
	}
	for i := range slots {
		t.Score(i, true)
	}
	t.BeginVirtual(again, first)
	for j, priority := range priorities {
		if !t.IsBounded(j, priority) {
			t.Rate(j, priority)
		}
		bounds += boolInt(t.score[slots+j] != t.audible(j))
	}
	return bounds
}

// firstOnes returns the n virtual voices that are restored first, by the scores of t.
func firstOnes(t *Table, priorities []int32, n int) []int {
	order := make([]int, virtual)
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := t.score[slots+i], t.score[slots+j]
		if (x == 0) != (y == 0) {
			return cmp.Compare(y, x)
		}
		return cmp.Or(cmp.Compare(priorities[i], priorities[j]), cmp.Compare(y, x))
	})
	return order[:n]
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestMaskFirst changes the masking of real voices and the energy of virtual ones. It checks that the first virtual
// voices to restore are the same whether all are rated or only the possible ones, and that no score is below its exact
// value.
func TestMaskFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	table, priorities := randomTable(r)
	bounded := 0
	for round := range 300 {
		for i := range slots {
			g := float32(math.Exp(6*r.Float64() - 3))
			for b := range sounds.Bands {
				table.hops[i][r.IntN(2)].Spread[b] *= g
			}
		}
		for j := range virtual {
			if r.IntN(3) == 0 {
				e := &table.energy[j]
				randomEnergies(r, e)
				switch r.IntN(20) {
				case 0:
					*e = energies{}
				case 1:
					for b := range sounds.Bands {
						e[0][b], e[1][b] = 1e24, 1e24
					}
				}
			}
		}
		n := 1 + r.IntN(MaxRanked)
		bounded += rate(table, false, n, priorities)
		got, bounds := firstOnes(table, priorities, n), slices.Clone(table.score[slots:])
		if left := rate(table, false, MaxRanked+1, priorities); left > 0 {
			t.Fatalf("round %d: %d scores are not exact", round, left)
		}
		if want := firstOnes(table, priorities, n); !slices.Equal(got, want) {
			t.Fatalf("round %d: %v come back first, want %v", round, got, want)
		}
		checkBounds(t, table, bounds)
	}
	if bounded < 300*virtual/3 {
		t.Errorf("%d of %d scores are bounds", bounded, 300*virtual)
	}
}

// checkBounds fails if a bound is below the exact score in table.
func checkBounds(t *testing.T, table *Table, bounds []float32) {
	t.Helper()
	for j, most := range bounds {
		if exact := table.score[slots+j]; most < exact {
			t.Fatalf("voice %d is said to have at most %v, and has %v", j, most, exact)
		}
	}
}

// TestMaskAgain changes how much the real voices mask. It checks that the first virtual voice to restore is the same
// whether all are rated again or only the possible ones.
func TestMaskAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	table, priorities := randomTable(r)
	bounded := 0
	for round := range 400 {
		if round%20 == 0 {
			for j := range virtual {
				randomEnergies(r, &table.energy[j])
			}
			rate(table, false, 1+r.IntN(MaxRanked+2), priorities)
		}
		for i := range slots {
			if r.IntN(3) == 0 {
				g := float32(0.2 + 2*r.Float64())
				for b := range sounds.Bands {
					table.hops[i][r.IntN(2)].Spread[b] *= g
				}
			}
		}
		bounded += rate(table, true, 1, priorities)
		got, bounds := firstOnes(table, priorities, 1), slices.Clone(table.score[slots:])
		rate(table, false, MaxRanked+1, priorities)
		if want := firstOnes(table, priorities, 1); got[0] != want[0] {
			t.Fatalf("round %d: voice %d comes back first, want %d", round, got[0], want[0])
		}
		checkBounds(t, table, bounds)
		copy(table.score[slots:], bounds)
	}
	if bounded < 400*virtual/2 {
		t.Errorf("%d of %d scores are bounds", bounded, 400*virtual)
	}
}

// TestStaleVoicesHaveNoScore checks that a voice with an outdated energy ranks before the other voices until it is
// rated.
func TestStaleVoicesHaveNoScore(t *testing.T) {
	table, priorities := randomTable(rand.New(rand.NewPCG(1, 2)))
	rate(table, false, 1, priorities)
	table.MarkStale(5)
	if !table.Stale(5) || !math.IsInf(float64(table.score[slots+5]), 1) {
		t.Errorf("a stale voice has the score %v", table.score[slots+5])
	}
	table.BeginVirtual(true, 1)
	if table.IsBounded(5, 1) {
		t.Error("a stale voice has a bound")
	}
}
