package steal

import (
	"container/heap"
	"math"
)

// flow is a network in which units go from the first node to the node end along the
// cheapest paths.
type flow struct {
	end   int32
	first []int32 // by node, its last arc that was added; none: -1
	arcs  []arc   // each beside the one that leads back

	// A shift of costs under which no arc with room has a negative one.
	potential []int64
	distance  []int64
	via       []int32 // the arc that leads here
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
	n := int32(len(g.arcs))
	g.arcs = append(g.arcs, arc{int32(to), g.first[from], int32(room), cost}, arc{int32(from), g.first[to], 0, -cost})
	g.first[from], g.first[to] = n, n+1
	return n
}

// node returns the number of a new node of a potential.
func (g *flow) node(potential int64) int {
	g.first, g.potential = append(g.first, -1), append(g.potential, potential)
	return len(g.first) - 1
}

// augment adds one unit along the cheapest path and returns what that costs. A path
// that costs something is not worth it: then the flow stays.
func (g *flow) augment() int64 {
	g.search()
	cost := g.potential[g.end] - g.potential[0]
	for n := g.end; cost < 0 && n != 0; {
		e := g.via[n]
		g.arcs[e].room--
		g.arcs[e^1].room++
		n = g.arcs[e^1].to
	}
	return cost
}

// search finds the distances from the first node up to that of the end (Dijkstra), and
// moves the potentials by them, so that they are distances again.
func (g *flow) search() {
	const far = math.MaxInt64
	nodes := len(g.first)
	if g.distance == nil {
		g.distance, g.via = make([]int64, nodes), make([]int32, nodes)
	}
	for n := range g.distance {
		g.distance[n] = far
	}
	g.distance[0] = 0
	near := &nearest{{}}
	for (*near)[0].node != g.end {
		at := heap.Pop(near).(place)
		if at.distance > g.distance[at.node] {
			continue
		}
		for e := g.first[at.node]; e >= 0; e = g.arcs[e].next {
			a := &g.arcs[e]
			if d := at.distance + a.cost + g.potential[at.node] - g.potential[a.to]; a.room > 0 && d < g.distance[a.to] {
				g.distance[a.to], g.via[a.to] = d, e
				heap.Push(near, place{a.to, d})
			}
		}
	}
	last := (*near)[0].distance
	for n, d := range g.distance {
		g.potential[n] += min(d, last) - last
	}
}

// place is a node at a distance.
type place struct {
	node     int32
	distance int64
}

// nearest is a heap of nodes, the nearest first.
type nearest []place

func (h nearest) Len() int           { return len(h) }
func (h nearest) Less(i, j int) bool { return h[i].distance < h[j].distance }
func (h nearest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *nearest) Push(x any)        { *h = append(*h, x.(place)) }
func (h *nearest) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
