package steal

import (
	"math"
	"slices"
)

// flow is the network. Its nodes are moments (the starts of voices, on the grid,
// and the end) and, for each voice, the moments inside it.
type flow struct {
	moments  []int64 // frames
	through  []int   // units that go from a moment to the next
	voices   []flowVoice
	starting [][]int // voices by the moment of their start
	leaving  [][]int // voices by the moment at which a unit leaves them
	node     []int32 // voice of a node inside a voice
	scale    float64 // of energies
	value    int64   // of the flow

	potential []int64
	distance  []int64
	from      []int32 // the node before
	via       []int32 // the voice whose arc leads here, or chain
	done      []bool
	heap      heap
	touched   []int32 // nodes with a distance
}

// chain stands for the arcs between moments that belong to no voice.
const chain = -1

// flowVoice is a voice in the network. Its inner nodes are first, first+1, ..., one
// fewer than it has stretches: the inner node k-1 lies between the stretches k-1
// and k, at the moment start+k.
type flowVoice struct {
	start int // moment
	first int // node
	worth []int64
	heard int // so many stretches carry a unit
}

func newFlow(parts []Part, frames int64) *flow {
	g := &flow{voices: make([]flowVoice, len(parts))}
	for i := range parts {
		g.moments = append(g.moments, parts[i].From/Grid*Grid)
	}
	g.moments = append(g.moments, frames)
	slices.Sort(g.moments)
	g.moments = slices.Compact(g.moments)
	g.through = make([]int, len(g.moments))
	g.starting, g.leaving = make([][]int, len(g.moments)), make([][]int, len(g.moments))
	total := 0.0
	for i := range parts {
		total += parts[i].Energy(0, frames)
	}
	if total > 0 {
		g.scale = 0x1p50 / total
	}
	nodes := len(g.moments)
	g.node = make([]int32, nodes)
	for i := range parts {
		v := &g.voices[i]
		v.start, _ = slices.BinarySearch(g.moments, parts[i].From/Grid*Grid)
		v.first = nodes
		for m := v.start; m+1 < len(g.moments) && (m == v.start || g.moments[m] < parts[i].To); m++ {
			v.worth = append(v.worth, int64(parts[i].Energy(g.moments[m], g.moments[m+1])*g.scale))
		}
		if len(v.worth) == 0 { // it starts in the last 5 ms of nothing
			continue
		}
		g.starting[v.start] = append(g.starting[v.start], i)
		for range len(v.worth) - 1 {
			g.node = append(g.node, int32(i))
			nodes++
		}
	}
	g.potential, g.distance = make([]int64, nodes), make([]int64, nodes)
	g.from, g.via, g.done = make([]int32, nodes), make([]int32, nodes), make([]bool, nodes)
	for i := range g.distance {
		g.distance[i] = math.MaxInt64
	}
	g.settle()
	return g
}

// settle gives every node its distance from the first moment as its potential, in
// the order of time.
func (g *flow) settle() {
	at := func(m, i int) int64 { // of a voice at a moment
		v := &g.voices[i]
		if k := m - v.start; k > 0 && k < len(v.worth) {
			return g.potential[v.first+k-1]
		}
		return g.potential[v.start]
	}
	var living []int
	for m := range g.moments {
		best := int64(0)
		if m > 0 {
			best = g.potential[m-1]
		}
		living = slices.DeleteFunc(living, func(i int) bool {
			v := &g.voices[i]
			k := m - v.start
			d := at(m-1, i) - v.worth[k-1]
			best = min(best, d)
			if k == len(v.worth) {
				return true
			}
			g.potential[v.first+k-1] = d
			return false
		})
		g.potential[m] = best
		living = append(living, g.starting[m]...)
	}
}

// augment adds one unit to the flow along the shortest path, and reports whether
// that is worth anything.
func (g *flow) augment() bool {
	end := int32(len(g.moments) - 1)
	g.search(end)
	length := g.potential[end] - g.potential[0]
	if length >= 0 {
		return false
	}
	g.value -= length
	var path []int32
	for n := end; n != 0; n = g.from[n] {
		path = append(path, n)
	}
	slices.Reverse(path)
	changed := map[int32]bool{}
	for _, n := range path {
		i := g.via[n]
		switch {
		case i == chain && n > g.from[n]:
			g.through[g.from[n]]++
		case i == chain:
			g.through[n]--
		default:
			v := &g.voices[i]
			if !changed[i] {
				changed[i] = true
				g.leave(i, -1)
			}
			v.heard = v.stretches(n)
		}
	}
	for i := range changed {
		g.leave(i, 1)
	}
	return true
}

// leave notes where a unit leaves a voice, or, with -1, takes the note away.
func (g *flow) leave(i int32, by int) {
	v := &g.voices[i]
	if v.heard == 0 {
		return
	}
	at := &g.leaving[v.start+v.heard]
	if by > 0 {
		*at = append(*at, int(i))
	} else {
		*at = slices.DeleteFunc(*at, func(j int) bool { return j == int(i) })
	}
}

// stretches returns how many stretches of the voice carry a unit after one has gone
// along one of its arcs to a node.
func (v *flowVoice) stretches(to int32) int {
	if k := int(to) - v.first + 1; k > 0 && k < len(v.worth) { // along a stretch, or back; or the unit did not leave here after all
		return k
	}
	return int(to) - v.start
}

// search finds the distances from the first moment, up to that of a node, and
// moves the potentials by them, so that they are distances again.
func (g *flow) search(end int32) {
	for _, n := range g.touched {
		g.distance[n], g.done[n] = math.MaxInt64, false
	}
	g.touched = g.touched[:0]
	g.heap = g.heap[:0]
	g.reach(0, 0, 0, chain)
	for {
		n, d := g.heap.pop()
		if g.done[n] {
			continue
		}
		g.done[n] = true
		if n == end {
			break
		}
		// An arc of a cost from n to m counts cost + potential(n) - potential(m),
		// which is never negative.
		base := d + g.potential[n]
		g.arcs(n, func(m int32, cost int64, voice int) {
			if !g.done[m] {
				g.reach(m, base+cost-g.potential[m], n, int32(voice))
			}
		})
	}
	last := g.distance[end]
	for _, n := range g.touched {
		if g.done[n] {
			g.potential[n] += g.distance[n] - last
		}
	}
}

func (g *flow) reach(n int32, distance int64, from, via int32) {
	if distance >= g.distance[n] {
		return
	}
	if g.distance[n] == math.MaxInt64 {
		g.touched = append(g.touched, n)
	}
	g.distance[n], g.from[n], g.via[n] = distance, from, via
	g.heap.push(n, distance)
}

// arcs calls f with all that can be reached from a node: along arcs with room, and
// back along those that carry units.
func (g *flow) arcs(n int32, f func(m int32, cost int64, voice int)) {
	if int(n) >= len(g.moments) {
		i := int(g.node[n])
		v := &g.voices[i]
		k := int(n) - v.first + 1
		if k >= v.heard {
			f(v.place(k+1), -v.worth[k], i)
		}
		if k <= v.heard {
			f(v.place(k-1), v.worth[k-1], i)
		}
		if k != v.heard {
			f(int32(v.start+k), 0, i)
		}
		return
	}
	if int(n)+1 < len(g.moments) {
		f(n+1, 0, chain)
	}
	if n > 0 && g.through[n-1] > 0 {
		f(n-1, 0, chain)
	}
	for _, i := range g.starting[n] {
		if v := &g.voices[i]; v.heard == 0 {
			f(v.place(1), -v.worth[0], i)
		}
	}
	for _, i := range g.leaving[n] {
		if v := &g.voices[i]; v.heard == len(v.worth) { // its last stretch leads here
			f(v.place(v.heard-1), v.worth[v.heard-1], i)
		} else {
			f(v.place(v.heard), 0, i)
		}
	}
}

// place returns the node at which k stretches of the voice are over.
func (v *flowVoice) place(k int) int32 {
	if k == 0 || k == len(v.worth) {
		return int32(v.start + k)
	}
	return int32(v.first + k - 1)
}
