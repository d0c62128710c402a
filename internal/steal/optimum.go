package steal

import (
	"math"
	"slices"
)

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

// flow is a network in which units go from the first node to the node end along the
// cheapest paths.
type flow struct {
	end   int32
	nodes []node
	arcs  []arc // each beside the one that leads back
}

// node is where arcs begin and end. What is looked at together lies together.
type node struct {
	first     int32 // its last arc that was added; none: -1
	via       int32 // the arc that leads here
	distance  int64
	potential int64 // a shift of costs under which no arc with room has a negative one
}

// arc leads to a node.
type arc struct {
	to   int32
	next int32 // of the arcs of the same node
	room int32 // so many more units
	cost int64 // of each
}

// add adds an arc between two nodes and returns its number.
func (g *flow) add(from, to, room int, cost int64) int32 {
	n, a, b := int32(len(g.arcs)), &g.nodes[from], &g.nodes[to]
	g.arcs = append(g.arcs, arc{int32(to), a.first, int32(room), cost}, arc{int32(from), b.first, 0, -cost})
	a.first, b.first = n, n+1
	return n
}

// node returns the number of a new node of a potential.
func (g *flow) node(potential int64) int {
	g.nodes = append(g.nodes, node{first: -1, potential: potential})
	return len(g.nodes) - 1
}

// augment adds one unit along the cheapest path and returns what that costs. A path
// that costs something is not worth it: then the flow stays.
func (g *flow) augment() int64 {
	g.search()
	cost := g.nodes[g.end].potential - g.nodes[0].potential
	for n := g.end; cost < 0 && n != 0; {
		e := g.nodes[n].via
		g.arcs[e].room--
		g.arcs[e^1].room++
		n = g.arcs[e^1].to
	}
	return cost
}

// search finds the distances from the first node up to that of the end (Dijkstra), and
// moves the potentials by them, so that they are distances again.
func (g *flow) search() {
	for n := range g.nodes {
		g.nodes[n].distance = math.MaxInt64
	}
	g.nodes[0].distance = 0
	end, near := &g.nodes[g.end], &nearest{{}}
	for (*near)[0].distance < end.distance {
		at := near.pop()
		from := &g.nodes[at.node]
		if at.distance > from.distance {
			continue
		}
		for e := from.first; e >= 0; e = g.arcs[e].next {
			a := &g.arcs[e]
			if a.room == 0 {
				continue
			}
			to := &g.nodes[a.to]
			if d := at.distance + a.cost + from.potential - to.potential; d < to.distance {
				to.distance, to.via = d, e
				near.push(place{a.to, d})
			}
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		n.potential += min(n.distance, end.distance) - end.distance
	}
}

// place is a node at a distance.
type place struct {
	node     int32
	distance int64
}

// nearest is a heap of places, the nearest first.
type nearest []place

func (h *nearest) push(p place) {
	all := append(*h, p)
	for i := len(all) - 1; i > 0 && all[i].distance < all[(i-1)/2].distance; i = (i - 1) / 2 {
		all[i], all[(i-1)/2] = all[(i-1)/2], all[i]
	}
	*h = all
}

func (h *nearest) pop() place {
	all := *h
	first, last := all[0], len(all)-1
	all[0] = all[last]
	all = all[:last]
	for i, k := 0, 1; k < last; k = 2*i + 1 {
		if k+1 < last && all[k+1].distance < all[k].distance {
			k++
		}
		if all[k].distance >= all[i].distance {
			break
		}
		all[i], all[k], i = all[k], all[i], k
	}
	*h = all
	return first
}
