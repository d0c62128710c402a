package steal

import (
	"math"
	"math/bits"
	"slices"
	"testing"
)

// energetic returns a part with an energy for each cell of the grid.
func energetic(from int, energies ...float64) Part {
	w := &wave{samples: make([]float32, len(energies)*Grid)}
	sum := 0.0
	for _, e := range energies {
		for range Grid / grain {
			w.energy = append(w.energy, sum)
			sum += e / (Grid / grain)
		}
	}
	w.energy = append(w.energy, sum)
	return Part{From: int64(from) * Grid, To: int64(from+len(energies)) * Grid, Left: 1, wave: w}
}

// bestOf computes the optimum of each pool by brute force: each set of voices at a time leads to all its subsets
// plus the voices that start then.
func bestOf(parts []Part, bins int, pools []int) []float64 {
	impossible := math.Inf(-1)
	best := make([][]float64, len(pools)) // by pool and set of voices
	for k := range best {
		best[k] = slices.Repeat([]float64{impossible}, 1<<len(parts))
		best[k][0] = 0
	}
	worth, next := make([]float64, 1<<len(parts)), make([]float64, 1<<len(parts))
	for bin := range bins {
		from, to := int64(bin)*Grid, int64(bin+1)*Grid
		fresh := 0
		for i := range parts {
			if parts[i].From == from {
				fresh |= 1 << i
			}
			energy := parts[i].Energy(from, to)
			for set := range 1 << i {
				worth[set|1<<i] = worth[set] + energy
			}
		}
		for k, pool := range pools {
			for set := range next {
				next[set] = impossible
			}
			for set, value := range best[k] {
				if value == impossible {
					continue
				}
				set |= fresh
				for sub := set; ; sub = (sub - 1) & set {
					if bits.OnesCount(uint(sub)) <= pool {
						next[sub] = max(next[sub], value+worth[sub])
					}
					if sub == 0 {
						break
					}
				}
			}
			copy(best[k], next)
		}
	}
	most := make([]float64, len(pools))
	for k := range most {
		most[k] = slices.Max(best[k])
	}
	return most
}

func TestOptimum(t *testing.T) {
	r := newRandom(1, "optimum")
	for n := range 3000 {
		const bins = 9
		var parts []Part
		total := 0.0
		for range 2 + r.n(7) {
			from := r.n(bins)
			energies := make([]float64, 1+r.n(bins-from))
			for i := range energies {
				if r.n(4) > 0 { // some parts are silent for a while
					energies[i] = r.unit() * r.unit()
				}
				total += energies[i]
			}
			parts = append(parts, energetic(from, energies...))
		}
		if total == 0 {
			continue
		}
		pools := []int{1, 2, 3, 4, 9}
		optima, bounds := Optima(parts, bins*Grid, pools), Bound(parts, bins*Grid, pools)
		best := bestOf(parts, bins, pools)
		for k, pool := range pools {
			got, want := optima[k].KError, ratio(total-best[k], total)
			if math.Abs(got-want) > 1e-6 {
				t.Fatalf("scene %d, %d voices: %v dB, trying everything gives %v", n, pool, got, want)
			}
			var unheard []Span
			for i, cut := range optima[k].Cuts {
				unheard = append(unheard, Span{i, cut, bins * Grid})
			}
			if cut := PowerError(parts, unheard, bins*Grid); math.Abs(cut-got) > 1e-6 {
				t.Fatalf("scene %d, %d voices: %v dB, its cuts give %v", n, pool, got, cut)
			}
			if bounds[k] > got+1e-9 {
				t.Fatalf("scene %d, %d voices: the bound %v dB is above the optimum, %v", n, pool, bounds[k], got)
			}
			for bin := range int64(bins) { // at most as many voices as slots
				playing := 0
				for i := range parts {
					if parts[i].From <= bin*Grid && bin*Grid < min(optima[k].Cuts[i], parts[i].To) {
						playing++
					}
				}
				if playing > pool {
					t.Fatalf("scene %d: %d voices at %d, of a pool of %d", n, playing, bin, pool)
				}
			}
		}
	}
}

func TestBound(t *testing.T) {
	parts := []Part{energetic(0, 4, 4, 1), energetic(1, 2, 3), energetic(1, 3, 1, 7)}
	total := 4 + 4 + 1 + 2 + 3 + 3 + 1 + 7.
	for pool, want := range map[int]float64{1: 2 + 3 + 1 + 1, 2: 2 + 1, 3: 0} {
		if got := Bound(parts, 4*Grid, []int{pool})[0]; math.Abs(got-ratio(want, total)) > 1e-9 {
			t.Errorf("%d voices: %v dB, want %v", pool, got, ratio(want, total))
		}
	}
}
