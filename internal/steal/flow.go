package steal

import "math"

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
