package steal

import (
	"math"
	"slices"
)

// Optimum is the best result of a pool with knowledge of the future: which voices it plays and until when, if a cut
// voice is never restored.
type Optimum struct {
	KError float64 // dB, if voices add up in power
	Cuts   []int64 // by part, the frame at which it is cut; its first frame: never played
}

// Optima computes the best result that any choice of victims can reach, for a pool of each size in pools. The choice
// uses knowledge of the future, but a voice that was cut is never restored. Each result has the remaining error, at
// least -60 dB, and the frame of the cut for each part. The error assumes that the powers of voices add up. The results
// are in the order of pools. pools must not be empty, and its sizes must be positive. The parameter frames is the
// length of the scene.
//
// The method is a minimum-cost flow. Slots are units that flow through time, from one start of a voice to the next. At
// a start a unit may take the path through the voice instead. Each stretch of a voice carries one unit and is worth
// its energy. A unit may leave the voice at any later start. Each path added to the flow is one more slot, so one run
// solves all sizes. Costs are integers, so no decision depends on rounding.
func Optima(parts []Part, frames int64, pools []int) []Optimum {
	g := newSlots(parts, frames)
	out := make([]Optimum, len(pools))
	most := slices.Max(pools)
	value, enough := int64(0), false
	for pool := 1; pool <= most; pool++ {
		if !enough {
			cost := min(g.augment(), 0)
			value -= cost
			enough = cost == 0 // further slots have no effect
		}
		for k := range pools {
			if pools[k] == pool {
				out[k] = Optimum{KError: ratio(g.total-float64(value)/g.scale, g.total), Cuts: g.cuts(parts)}
			}
		}
	}
	return out
}

// slots is the flow network of Optima. Its first nodes are the moments: the starts of voices, on the grid, and the
// end of the scene. Other nodes are between the stretches of a voice. A stretch is the piece of a voice between two
// moments.
type slots struct {
	flow
	moments    []int64   // frames
	start      []int     // by part, the moment
	arcsByPart [][]int32 // by part, the arcs
	total      float64   // energy of all parts
	scale      float64   // cost per energy
}

// newSlots builds the network of the minimum-cost flow that Optima computes for the voices in parts. The parameter
// frames is the length of the scene. The network has no flow yet. Its nodes have the initial potentials that the
// search for paths needs.
func newSlots(parts []Part, frames int64) *slots {
	g := &slots{start: make([]int, len(parts)), arcsByPart: make([][]int32, len(parts))}
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
	at := slices.Clone(g.start) // by part, the node at the end of its last stretch
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
			g.arcsByPart[i] = append(g.arcsByPart[i], g.add(from, to, 1, -w))
			at[i] = to
		}
		g.nodes[m].potential = best
	}
	for m := range g.end {
		g.add(int(m), int(m)+1, len(parts), 0)
	}
	return g
}

// cuts returns for each part the frame where the computed flow cuts it. A part plays while its stretches, the pieces
// between starts of voices, carry flow. A part that is never played is cut at its first frame. A part that plays
// completely is cut at its end.
func (g *slots) cuts(parts []Part) []int64 {
	cuts := make([]int64, len(parts))
	for i, stretches := range g.arcsByPart {
		played := 0
		for played < len(stretches) && g.arcs[stretches[played]].capacity == 0 {
			played++
		}
		cuts[i] = min(max(g.moments[g.start[i]+played], parts[i].From), parts[i].To)
	}
	return cuts
}

// Grid is the time resolution of Bound and Optima in frames: 5 ms.
const Grid = Rate / 200

// Bound returns for each pool size in pools a lower bound for the error of any policy that chooses victims. The error
// is the power of the lost voices relative to all voices, in dB, at least -60. The bound is the error of a pool that
// plays the strongest voices of every 5 ms. It assumes that the powers of voices add up. The parameter frames is the
// length of the scene.
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

// Span is a range of frames of the scene during which a part is not played.
type Span struct {
	Part     int
	From, To int64
}

// PowerError returns how much of a scene is lost if the given spans of its parts are silent. The result is the lost
// energy relative to the whole energy, K-weighted, in dB and at least -60. It assumes that the powers of voices add up
// and that voices have no tails. The parameter frames is the length of the scene. The result is comparable to Bound
// and to Optimum.KError.
func PowerError(parts []Part, silent []Span, frames int64) float64 {
	lost, total := 0.0, 0.0
	for i := range parts {
		total += parts[i].Energy(0, frames)
	}
	for _, s := range silent {
		lost += parts[s.Part].Energy(s.From, s.To)
	}
	return ratio(lost, total)
}

// flow is a network in which units flow from the first node to the node end along the cheapest paths.
type flow struct {
	end   int32
	nodes []node
	arcs  []arc // in pairs: each arc is followed by its reverse
}

// node is an end of arcs. Its fields are used together, so they are stored together.
type node struct {
	first     int32 // last added arc; -1: no arc
	via       int32 // arc on the cheapest path to this node
	distance  int64
	potential int64 // shift of costs with which no arc with capacity has a negative cost
}

// arc leads to a node.
type arc struct {
	to       int32
	next     int32 // next arc of the same node
	capacity int32 // remaining capacity
	cost     int64 // per unit
}

// add adds an arc to the network and returns the number of the arc. It leads from the node with the number from to the
// node with the number to. The parameter capacity is the number of units that the arc can carry, cost the cost per
// unit. The reverse arc is added, too: it has the next number, no capacity and the negative cost.
func (g *flow) add(from, to, capacity int, cost int64) int32 {
	n, a, b := int32(len(g.arcs)), &g.nodes[from], &g.nodes[to]
	g.arcs = append(g.arcs, arc{int32(to), a.first, int32(capacity), cost}, arc{int32(from), b.first, 0, -cost})
	a.first, b.first = n, n+1
	return n
}

// node adds a node without arcs to the network and returns its number. potential is its initial potential.
func (g *flow) node(potential int64) int {
	g.nodes = append(g.nodes, node{first: -1, potential: potential})
	return len(g.nodes) - 1
}

// augment sends one more unit along the cheapest path from the first node to g.end and returns the cost of that path.
// If the cost is not negative, no unit is sent. The potentials of the nodes change in any case.
func (g *flow) augment() int64 {
	g.search()
	cost := g.nodes[g.end].potential - g.nodes[0].potential
	for n := g.end; cost < 0 && n != 0; {
		e := g.nodes[n].via
		g.arcs[e].capacity--
		g.arcs[e^1].capacity++
		n = g.arcs[e^1].to
	}
	return cost
}

// search finds the cheapest paths from the first node of the network to the others, as far as g.end, with the
// algorithm of Dijkstra. It stores in each node the distance and the arc that leads to it. Then it updates the
// potentials of the nodes, which shift the costs of arcs. A path to g.end must exist. With the shift, no arc with
// capacity may have a negative cost.
func (g *flow) search() {
	for n := range g.nodes {
		g.nodes[n].distance = math.MaxInt64
	}
	g.nodes[0].distance = 0
	end, near := &g.nodes[g.end], &distanceHeap{{}}
	for (*near)[0].distance < end.distance {
		at := near.pop()
		from := &g.nodes[at.node]
		if at.distance > from.distance {
			continue
		}
		for e := from.first; e >= 0; e = g.arcs[e].next {
			a := &g.arcs[e]
			if a.capacity == 0 {
				continue
			}
			to := &g.nodes[a.to]
			if d := at.distance + a.cost + from.potential - to.potential; d < to.distance {
				to.distance, to.via = d, e
				near.push(nodeDistance{a.to, d})
			}
		}
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		n.potential += min(n.distance, end.distance) - end.distance
	}
}

// nodeDistance is a node and its distance.
type nodeDistance struct {
	node     int32
	distance int64
}

// distanceHeap is a heap of nodes, ordered by distance.
type distanceHeap []nodeDistance

// push adds p to the heap, which is ordered by distance.
func (h *distanceHeap) push(p nodeDistance) {
	all := append(*h, p)
	for i := len(all) - 1; i > 0 && all[i].distance < all[(i-1)/2].distance; i = (i - 1) / 2 {
		all[i], all[(i-1)/2] = all[(i-1)/2], all[i]
	}
	*h = all
}

// pop removes and returns the node with the smallest distance. The heap must not be empty.
func (h *distanceHeap) pop() nodeDistance {
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
