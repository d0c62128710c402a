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
// leave it at any later start. Each shortest path that is added to the flow, found
// with Dijkstra's algorithm under potentials, is one slot more, so one run serves
// all sizes. Costs are integers: there is no rounding in a decision.
func Optima(parts []Part, frames int64, pools []int) []Optimum {
	g := newFlow(parts, frames)
	out := make([]Optimum, len(pools))
	total := 0.0
	for i := range parts {
		total += parts[i].Energy(0, frames)
	}
	record := func(pool int) {
		for k := range pools {
			if pools[k] == pool {
				out[k] = Optimum{KError: ratio(total-float64(g.value)/g.scale, total), Cuts: g.cuts(parts)}
			}
		}
	}
	most := slices.Max(pools)
	for n := range most {
		if !g.augment() {
			for k := n + 1; k <= most; k++ { // more slots change nothing
				record(k)
			}
			break
		}
		record(n + 1)
	}
	return out
}

// cuts returns where each part is cut.
func (g *flow) cuts(parts []Part) []int64 {
	cuts := make([]int64, len(parts))
	for i := range parts {
		v := &g.voices[i]
		switch {
		case v.heard == 0:
			cuts[i] = parts[i].From
		case v.heard == len(v.worth):
			cuts[i] = parts[i].To
		default:
			cuts[i] = max(g.moments[v.start+v.heard], parts[i].From)
		}
	}
	return cuts
}
