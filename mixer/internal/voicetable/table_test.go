package voicetable

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// voice is a voice of the tests. Its number is the number of voices before it.
type voice struct {
	number, output int
	endless        bool
}

// TestTableEqualsSlices adds, moves, swaps and removes voices at random, and compares the table with a slice of the
// voices by index: the voices, the counts of both kinds, and both orders.
func TestTableEqualsSlices(t *testing.T) {
	const slots, finite, endless = 6, 5, 4
	for _, outputs := range []int{1, 3} {
		for seed := range uint64(50) {
			r := rand.New(rand.NewPCG(seed, uint64(outputs)))
			table, err := New[voice](Config{Slots: 4, MaxSlots: slots, Finite: finite, Endless: endless, Outputs: outputs})
			if err != nil {
				t.Fatal(err)
			}
			want, ranks, started := make([]*voice, slots+finite+endless), make([]int, slots), 0
			free := make([][]int, outputs) // by output: the free ranks; the rank that was released last is taken first
			for i := range free {
				free[i] = []int{0, 1, 2, 3, 4, 5}
			}
			indices := func(from, to int) (used []int) {
				for i := from; i < to; i++ {
					if want[i] != nil {
						used = append(used, i)
					}
				}
				return used
			}
			rank := func(i int) {
				left := &free[want[i].output]
				ranks[i], *left = (*left)[0], (*left)[1:]
			}
			unrank := func(i int) { free[want[i].output] = append([]int{ranks[i]}, free[want[i].output]...) }
			for step := range 400 {
				real, virtual := indices(0, slots), indices(slots, len(want))
				count := func(kind bool) (n int) {
					for _, i := range virtual {
						n += boolInt(want[i].endless == kind && i != table.Hidden())
					}
					return n
				}
				v := &voice{started, r.IntN(outputs), r.IntN(2) == 0}
				switch op := r.IntN(8); {
				case op < 2 && len(real) < table.Limit():
					i := table.AddReal(v.output, v)
					if want[i] != nil || i >= slots {
						t.Fatalf("seed %d, step %d: slot %d is in use or no slot", seed, step, i)
					}
					want[i] = v
					rank(i)
					started++
				case op == 2 && table.CanAddVirtual(v.endless):
					i := table.AddVirtual(v.endless, v, 0)
					if i < slots || want[i] != nil {
						t.Fatalf("seed %d, step %d: virtual index %d is in use or a slot", seed, step, i)
					}
					want[i] = v
					started++
				case op == 3 && len(real)+len(virtual) > 0:
					all := append(real, virtual...)
					i := all[r.IntN(len(all))]
					if table.Remove(i); i < slots {
						unrank(i)
					}
					want[i] = nil
				case op == 4 && len(real) > 0 && len(virtual) > 0:
					i, j := real[r.IntN(len(real))], virtual[r.IntN(len(virtual))]
					table.Swap(i, j, want[j].output, want[i].endless, 0)
					moves := want[i].output != want[j].output
					if moves {
						unrank(i)
					}
					if want[i], want[j] = want[j], want[i]; moves {
						rank(i)
					}
				case op == 5 && len(virtual) > 0:
					i := virtual[r.IntN(len(virtual))]
					want[i].endless = v.endless
					table.SetEndless(i, v.endless)
				case op == 6:
					table.SetLimit(1 + r.IntN(slots))
				}
				table.Hide(-1)
				real, virtual = indices(0, slots), indices(slots, len(want))
				if all := append(real, virtual...); r.IntN(4) == 0 && len(all) > 0 {
					table.Hide(all[r.IntN(len(all))])
				}
				hidden := table.Hidden()
				if got, want := table.Free(), table.Limit()-len(real)+boolInt(slices.Contains(real, hidden)); got != want {
					t.Fatalf("seed %d, step %d: %d free slots, want %d", seed, step, got, want)
				}
				all, ends := table.Counts()
				if all != count(true)+count(false) || ends != count(false) || table.Virtual() != len(virtual) || table.Len() != len(real) {
					t.Fatalf("seed %d, step %d: %d virtual voices, %d have an end; want %d and %d", seed, step, all, ends, count(true)+count(false), count(false))
				}
				for _, kind := range []bool{false, true} {
					most := map[bool]int{false: finite, true: endless}[kind]
					if got := table.CanAddVirtual(kind); got != (count(kind) < most && all < finite+endless) || table.HasRoom(kind) != (count(kind) < most) {
						t.Fatalf("seed %d, step %d: a voice can become virtual is %v; endless is %v", seed, step, got, kind)
					}
				}
				table.Hide(-1)
				slices.SortFunc(real, func(i, j int) int {
					if outputs == 1 {
						return i - j
					}
					return cmp.Or(want[i].output-want[j].output, ranks[i]-ranks[j])
				})
				ordered := append(slices.Clone(real), virtual...)
				var visited []int
				for i, next := table.NextInOrder(0); i >= 0; i, next = table.NextInOrder(next) {
					visited = append(visited, i)
				}
				if !slices.Equal(visited, ordered) || !slices.IsSortedFunc(ordered, func(i, j int) int { return table.Position(i) - table.Position(j) }) {
					t.Fatalf("seed %d, step %d: the order is %v, want %v", seed, step, visited, ordered)
				}
				var entries []int
				for _, e := range table.Real() {
					if entries = append(entries, e.Index); e.Voice != want[e.Index] {
						t.Fatalf("seed %d, step %d: slot %d of Real has another voice", seed, step, e.Index)
					}
				}
				if !slices.Equal(entries, real) {
					t.Fatalf("seed %d, step %d: Real has the slots %v, want %v", seed, step, entries, real)
				}
				used := indices(0, len(want))
				for i := table.Next(0); i >= 0; i = table.Next(i + 1) {
					if len(used) == 0 || used[0] != i || table.At(i) != want[i] {
						t.Fatalf("seed %d, step %d: Next finds index %d, want the first of %v", seed, step, i, used)
					}
					used = used[1:]
				}
				if len(used) > 0 {
					t.Fatalf("seed %d, step %d: Next leaves out %v", seed, step, used)
				}
			}
		}
	}
}

// TestLaggingVoicesAdvance lets virtual voices lag in stretches of random lengths. Each voice must be advanced by every
// frame exactly once, and it must not lag across a change of its step.
func TestLaggingVoicesAdvance(t *testing.T) {
	const voices = 50
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		table, err := New[voice](Config{Slots: 1, MaxSlots: 1, Endless: voices, Outputs: 1})
		if err != nil {
			t.Fatal(err)
		}
		now, advanced, steadyTo, lagged := int64(1)<<33-500, map[int]int64{}, map[int]int64{}, 0
		catchUp := func(i int) {
			if n := table.CatchUp(i, now); n > 0 {
				advanced[i] += n
			}
			if advanced[i] != now {
				t.Fatalf("seed %d, frame %d: voice %d has advanced to %d", seed, now, i, advanced[i])
			}
		}
		for range 300 {
			if i := table.Base() + r.IntN(voices); r.IntN(3) == 0 && table.CanAddVirtual(true) {
				i = table.AddVirtual(true, &voice{}, now)
				advanced[i], steadyTo[i] = now, 0
			} else if _, used := advanced[i]; used {
				switch catchUp(i); r.IntN(3) {
				case 0:
					table.Remove(i)
					delete(advanced, i)
				case 1:
					table.MayChange(i)
					steadyTo[i] = 0
				}
			}
			n := 1 + r.Int64N(200)
			for g := table.NextDueGroup(0, now+n); g >= 0; g = table.NextDueGroup(g+1, now+n) {
				due := slices.Clone(table.Due(g, now, n))
				for _, v := range due {
					catchUp(v.Index)
				}
				for _, v := range due {
					frames := r.Int64N(600)
					advanced[v.Index] += n
					steadyTo[v.Index] = now + n + frames
					table.SetSteady(v.Index, now+n, frames)
				}
			}
			now += n
			for i, to := range advanced {
				if to > now || to < now && steadyTo[i] < now {
					t.Fatalf("seed %d, frame %d: voice %d has advanced to %d, and its step is constant until %d", seed, now, i, to, steadyTo[i])
				}
				lagged += boolInt(to < now)
			}
		}
		if lagged < 300 {
			t.Errorf("seed %d: voices lag only %d times", seed, lagged)
		}
	}
}
