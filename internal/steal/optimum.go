package steal

import "slices"

// Optimum is the best that a pool can do that knows the future: which voices it
// hears, and until when, if a voice that is cut never comes back.
type Optimum struct {
	KError float64 // dB, as long as voices add up in power
	Cuts   []int64 // by part, the frame from which it is not heard; its first frame: never heard
}

// Optima returns the optimum for pools of several sizes, in their order.
//
// It is a flow of least cost. Slots are units that flow through time, from one
// start of a voice to the next; at a start they may go through the voice instead,
// where each stretch carries one unit and is worth the energy that is heard, and
// leave it at any later start. Each path that is added to the flow is one slot more,
// so one run serves all sizes. Costs are integers: no decision hangs on a rounding.
func Optima(parts []Part, frames int64, pools []int) []Optimum {
	g := newSlots(parts, frames)
	out := make([]Optimum, len(pools))
	most := slices.Max(pools)
	value, enough := int64(0), false
	for pool := 1; pool <= most; pool++ {
		if !enough {
			cost := min(g.augment(), 0)
			value -= cost
			enough = cost == 0 // more slots change nothing
		}
		for k := range pools {
			if pools[k] == pool {
				out[k] = Optimum{KError: ratio(g.total-float64(value)/g.scale, g.total), Cuts: g.cuts(parts)}
			}
		}
	}
	return out
}

// slots is the flow of slots. Its first nodes are the moments: the starts of voices, on
// the grid, and the end. Others lie between the stretches of a voice.
type slots struct {
	flow
	moments   []int64   // frames
	start     []int     // by part, the moment
	stretches [][]int32 // by part, the arcs
	total     float64   // of the energies of parts
	scale     float64   // of energies
}

func newSlots(parts []Part, frames int64) *slots {
	g := &slots{start: make([]int, len(parts)), stretches: make([][]int32, len(parts))}
	for i := range parts {
		g.moments = append(g.moments, parts[i].From/Grid*Grid)
		g.total += parts[i].Energy(0, frames)
	}
	g.moments = append(g.moments, frames)
	slices.Sort(g.moments)
	g.moments = slices.Compact(g.moments)
	if g.total > 0 {
		g.scale = 0x1p50 / g.total
	}
	worth := make([][]int64, len(parts))
	for i := range parts {
		g.start[i], _ = slices.BinarySearch(g.moments, parts[i].From/Grid*Grid)
		for m := g.start[i]; m+1 < len(g.moments) && (m == g.start[i] || g.moments[m] < parts[i].To); m++ {
			worth[i] = append(worth[i], int64(parts[i].Energy(g.moments[m], g.moments[m+1])*g.scale))
		}
	}
	for range g.moments {
		g.end = int32(g.node(0))
	}
	at := slices.Clone(g.start) // by part, the node that its stretches have come to
	for m := 1; m <= int(g.end); m++ {
		best := g.nodes[m-1].potential
		for i := range slices.Backward(parts) {
			k := m - g.start[i]
			if k < 1 || k > len(worth[i]) {
				continue
			}
			from, to, w := at[i], m, worth[i][k-1]
			reached := g.nodes[from].potential - w
			best = min(best, reached)
			if k < len(worth[i]) {
				to = g.node(reached)
				g.add(to, m, 1, 0)
			}
			g.stretches[i] = append(g.stretches[i], g.add(from, to, 1, -w))
			at[i] = to
		}
		g.nodes[m].potential = best
	}
	for m := range g.end {
		g.add(int(m), int(m)+1, len(parts), 0)
	}
	return g
}

// cuts returns where each part is cut: after the last stretch that carries a unit.
func (g *slots) cuts(parts []Part) []int64 {
	cuts := make([]int64, len(parts))
	for i, stretches := range g.stretches {
		heard := 0
		for heard < len(stretches) && g.arcs[stretches[heard]].room == 0 {
			heard++
		}
		cuts[i] = min(max(g.moments[g.start[i]+heard], parts[i].From), parts[i].To)
	}
	return cuts
}

// Grid is how many frames apart bound and optimum look at the energies of voices:
// 5 ms.
const Grid = Rate / 200

// Bound returns the least K-error that a pool of each size can have, in dB, that
// hears the strongest voices of every 5 ms: no choice can do better, not even one
// that may swap voices at any time, as long as voices add up in power.
func Bound(parts []Part, frames int64, pools []int) []float64 {
	starting := make([][]int, frames/Grid+1)
	for i := range parts {
		starting[parts[i].From/Grid] = append(starting[parts[i].From/Grid], i)
	}
	lost := make([]float64, len(pools))
	total := 0.0
	var living []int
	var energies []float64
	for bin, fresh := range starting {
		from := int64(bin) * Grid
		living = slices.DeleteFunc(append(living, fresh...), func(i int) bool { return parts[i].To <= from })
		energies = energies[:0]
		for _, i := range living {
			energies = append(energies, parts[i].Energy(from, from+Grid))
		}
		slices.Sort(energies)
		for _, e := range energies {
			total += e
		}
		for k, pool := range pools {
			for _, e := range energies[:max(len(energies)-pool, 0)] {
				lost[k] += e
			}
		}
	}
	for k := range lost {
		lost[k] = ratio(lost[k], total)
	}
	return lost
}

// Span is a time in which a part is not heard: frames of the scene.
type Span struct {
	Part     int
	From, To int64
}

// PowerError returns the K-error, in dB, of parts that are unheard for some times,
// as long as voices add up in power and go without a tail: what is to be compared
// with a bound and with Optimum.KError.
func PowerError(parts []Part, unheard []Span, frames int64) float64 {
	lost, total := 0.0, 0.0
	for i := range parts {
		total += parts[i].Energy(0, frames)
	}
	for _, s := range unheard {
		lost += parts[s.Part].Energy(s.From, s.To)
	}
	return ratio(lost, total)
}
