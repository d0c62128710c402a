package mixer

import (
	"fmt"
	"slices"

	"voicepool/internal/words"
)

// tree is the hierarchy of buses, the master first. It is constant, so both sides read it.
type tree []branch

// branch is a bus in the tree.
type branch struct {
	name        string
	parent      int // an index; -1 for the master
	above       int // index of the bus that it is mixed into; -1 for the master bus of an output
	output      int // index of the output that it is heard on
	first, last int // the bus and all buses below it have places first..last-1
}

// newTree returns the tree of buses. The first of buses is the master, and the last roots of them are the master
// buses of the outputs after the first. A bus is below the bus that its Parent names; an unknown parent counts as the
// master. down lists the indices of buses with parents first, up with parents last. Buses whose parents form a loop
// are in neither list.
func newTree(buses []BusConfig, roots int) (t tree, down, up []int) {
	index := map[string]int{"": 0}
	for i := range buses {
		index[buses[i].Name] = i
	}
	t = make(tree, len(buses))
	below := make([][]int, len(buses))
	for i := range buses {
		parent := index[buses[i].Parent]
		t[i] = branch{name: buses[i].Name, parent: parent, above: parent}
		if i > 0 {
			below[parent] = append(below[parent], i)
		}
	}
	t[0].parent, t[0].above = -1, -1
	for i := 1; i <= roots; i++ {
		root := &t[len(t)-1-roots+i]
		root.above, root.output = -1, i
	}
	var visit func(i int)
	visit = func(i int) {
		t[i].first = len(down)
		down = append(down, i)
		for _, j := range below[i] {
			if t[j].above >= 0 {
				t[j].output = t[i].output
			}
			visit(j)
		}
		t[i].last = len(down)
		up = append(up, i)
	}
	visit(0)
	return t, down, up
}

// order sorts the bus indices in up into mixing order. A bus comes after the buses below it, after the buses that its
// effects listen to, and after the buses that send to it. Otherwise the order of up is kept. Buses in a loop and
// buses after them are left out, so the result is then shorter than up. buses are in the order of the tree; the buses
// that effects and sends name must exist. order may return up itself.
func (t tree) order(buses []BusConfig, up []int) []int {
	predecessors, some := make([][]int, len(t)), false // by bus: the buses that come before it
	addPredecessor := func(i, predecessor int) {
		predecessors[i], some = append(predecessors[i], predecessor), true
	}
	for i := range buses {
		for j := range buses[i].Effects {
			if key := buses[i].Effects[j].Key; key != "" {
				addPredecessor(i, t.find(key))
			}
		}
		for j := range buses[i].Sends {
			addPredecessor(t.find(buses[i].Sends[j].To), i)
		}
	}
	if !some {
		return up
	}
	for i := range t {
		if parent := t[i].parent; parent >= 0 {
			addPredecessor(parent, i)
		}
	}
	done, ordered := make([]bool, len(t)), make([]int, 0, len(up))
	ready := func(i int) bool {
		return !done[i] && !slices.ContainsFunc(predecessors[i], func(j int) bool { return !done[j] })
	}
	for {
		at := slices.IndexFunc(up, ready)
		if at < 0 {
			return ordered
		}
		ordered, done[up[at]] = append(ordered, up[at]), true
	}
}

// findLoop looks for a loop: a bus that must be mixed after itself, because of parents, sends and effects. bus is the
// name of such a bus, and circle explains the loop in words, if possible. Both are "" without a loop. buses are in
// the order of the tree.
func (t tree) findLoop(buses []BusConfig) (bus, circle string) {
	_, _, up := newTree(buses, t.roots())
	ordered := t.order(buses, up)
	if len(ordered) == len(up) {
		return "", ""
	}
	var ways []words.Edge
	way := func(from, to int, says string) {
		ways = append(ways, words.Edge{From: t[from].name, To: t[to].name, Text: fmt.Sprintf(says, t[from].name, t[to].name)})
	}
	for i := range t {
		switch parent := t[i].parent; {
		case parent >= 0 && t[i].above < 0:
			way(i, parent, "%q is below the %s")
		case parent >= 0:
			way(i, parent, "%q goes into %q")
		}
		for j := range buses[i].Sends {
			way(i, t.find(buses[i].Sends[j].To), "%q sends to %q")
		}
		for j := range buses[i].Effects {
			if key := buses[i].Effects[j].Key; key != "" {
				way(t.find(key), i, "%[2]q listens to %[1]q")
			}
		}
	}
	for _, i := range up {
		if circle = words.Circle(ways, t[i].name); circle != "" {
			return t[i].name, circle
		}
	}
	return t[up[0]].name, ""
}

// roots returns the number of master buses of the outputs after the first.
func (t tree) roots() (n int) {
	for i := range t {
		n = max(n, t[i].output)
	}
	return n
}

// below reports whether the bus with index i is bus j or below it.
func (t tree) below(i, j int) bool {
	at := t[i].first
	return t[j].first <= at && at < t[j].last
}

// passesThrough reports whether the output of the bus with index i passes through the gains and insert of bus j,
// which may be the same.
func (t tree) passesThrough(i, j int) bool { return t[i].output == t[j].output && t.below(i, j) }

// find returns the index of the bus called name, or -1.
func (t tree) find(name string) int {
	return slices.IndexFunc(t, func(b branch) bool { return b.name == name })
}

// nearest returns a text for the end of a message, such as `; the nearest is "sfx"`. It names the bus whose name is
// nearest to name. The master and the bus with the name by are left out. The result is "" without further buses.
func (t tree) nearest(name, by string) string {
	var names []string
	for i := range t[1:] {
		if b := &t[1+i]; b.name != by {
			names = append(names, b.name)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("; the nearest is %q", words.Nearest(name, names))
}
