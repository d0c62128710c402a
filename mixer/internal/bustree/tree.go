// Package bustree holds the tree of buses of a mixer: the bus that each bus is mixed into, its output, its sends, and
// the mixing order of all buses. New checks that the names of buses, parents, outputs, sends and keys fit
// together, and that no bus is mixed into itself.
//
// A Tree is constant after New, so both sides of the mixer read it at any time. Only New, Nearest and Names allocate.
package bustree

import (
	"fmt"
	"slices"

	"voicepool/internal/words"
)

// Bus describes a bus by the names that it refers to. The zero value has no name, which is an error.
type Bus struct {
	Name   string
	Parent string   // the bus that it is mixed into; "": the master
	Output string   // the output that it must be on; "": any
	Sends  []string // the buses that it sends to
	Keys   []Key    // by effect: the bus that the effect listens to
}

// Key is the bus that an effect, such as a compressor, listens to. The zero value is an effect that listens to its own
// bus.
type Key struct {
	Effect string // the kind of the effect, for messages
	Bus    string // "": its own bus
}

// Tree is the hierarchy of buses. Buses have indices; the master has index 0.
type Tree struct {
	Nodes        []Node // by index
	ParentsFirst []int  // all indices, each bus before the buses below it
	Roots        []int  // by output: the index of its master bus
	MixOrder     []int  // all indices, each bus after the buses below it, after the buses that send to it and after its keys
}

// Node is a bus in the tree. The slices must not be changed.
type Node struct {
	Name   string
	Parent int   // an index; -1 for the master
	Above  int   // the index of the bus that it is mixed into; -1 for the master bus of an output
	Output int   // the index of the output that it is heard on
	Sends  []int // the indices of the buses that it sends to
	Keys   []int // by effect: the index of the bus that it listens to; -1: its own bus

	first, last int // the bus and all buses below it have the places first..last-1 in ParentsFirst
}

// New returns the tree of buses. The first of buses is the master, and the last are the master buses of the outputs
// after the first. outputs are the names of all outputs. The error, for the first fault found, has no prefix: a name is
// missing, used twice or unknown, or a bus comes to itself. Any goroutine may call New.
func New(buses []Bus, outputs []string) (*Tree, error) {
	roots := max(len(outputs)-1, 0)
	if err := checkNames(buses[1:len(buses)-roots], outputs); err != nil {
		return nil, err
	}
	t := newTree(buses, roots)
	for i := range buses {
		if err := t.link(i, &buses[i], outputs); err != nil {
			return nil, err
		}
	}
	keys := make([][]int, len(buses))
	for i := range keys {
		keys[i] = t.Nodes[i].Keys
	}
	order, err := t.Order(t.MixOrder, keys)
	if err != nil {
		return nil, err
	}
	t.MixOrder = order
	return t, nil
}

// Order sorts the bus indices in up into mixing order: each bus comes after the buses below it, after the buses that
// send to it and after its keys. keys holds by bus the indices of the buses that its effects listen to; -1 is the bus
// itself. Otherwise the order of up is kept. In up, parents must be last. The result may be up itself. If a bus would
// be mixed after itself, the error contains its name and the loop.
func (t *Tree) Order(up []int, keys [][]int) ([]int, error) {
	edges := t.edges(keys)
	ordered := t.order(up, edges)
	if len(ordered) < len(up) {
		bus, circle := t.loop(up, edges)
		return nil, fmt.Errorf("bus %q comes to itself: %s", bus, circle)
	}
	return ordered, nil
}

// checkNames returns an error if a name of a bus or an output is missing or used twice. The master is not among buses.
func checkNames(buses []Bus, outputs []string) error {
	used := map[string]bool{"master": true}
	for i := range buses {
		switch name := buses[i].Name; {
		case name == "":
			return fmt.Errorf("bus %d of Buses has no name", i+1)
		case name == "master":
			return fmt.Errorf("a bus is called \"master\", which is the name of the whole mix")
		case used[name]:
			return fmt.Errorf("two buses are called %q", name)
		}
		used[buses[i].Name] = true
	}
	for i, name := range outputs {
		switch {
		case name == "":
			return fmt.Errorf("output %d of Outputs has no name", i+1)
		case i > 0 && name == "master":
			return fmt.Errorf("output %d of Outputs is called \"master\", which the first alone may be", i+1)
		case used[name] && name != "master":
			return fmt.Errorf("two outputs or buses are called %q", name)
		}
		used[name] = true
	}
	return nil
}

// newTree returns the tree of buses without sends and keys. The last roots of buses are the master buses of the outputs
// after the first. A bus is below the bus that its Parent names; an unknown parent counts as the master. MixOrder lists
// parents last. Buses whose parents form a loop are in neither order.
func newTree(buses []Bus, roots int) *Tree {
	index := map[string]int{"": 0}
	for i := range buses {
		index[buses[i].Name] = i
	}
	t := &Tree{Nodes: make([]Node, len(buses)), Roots: []int{0}}
	below := make([][]int, len(buses))
	for i := range buses {
		parent := index[buses[i].Parent]
		t.Nodes[i] = Node{Name: buses[i].Name, Parent: parent, Above: parent}
		if i > 0 {
			below[parent] = append(below[parent], i)
		}
	}
	t.Nodes[0].Parent, t.Nodes[0].Above = -1, -1
	for i := len(buses) - roots; i < len(buses); i++ {
		t.Nodes[i].Above, t.Nodes[i].Output = -1, len(t.Roots)
		t.Roots = append(t.Roots, i)
	}
	var visit func(i int)
	visit = func(i int) {
		t.Nodes[i].first = len(t.ParentsFirst)
		t.ParentsFirst = append(t.ParentsFirst, i)
		for _, j := range below[i] {
			if t.Nodes[j].Above >= 0 {
				t.Nodes[j].Output = t.Nodes[i].Output
			}
			visit(j)
		}
		t.Nodes[i].last = len(t.ParentsFirst)
		t.MixOrder = append(t.MixOrder, i)
	}
	visit(0)
	return t
}

// link checks the names in b, the bus with index i, and stores the indices of its sends and keys. outputs are the names
// of all outputs.
func (t *Tree) link(i int, b *Bus, outputs []string) error {
	n := &t.Nodes[i]
	if b.Parent != "" && t.Find(b.Parent) < 0 {
		return fmt.Errorf("the parent of bus %q, %q, is no bus%s", b.Name, b.Parent, t.Nearest(b.Parent, b.Name))
	}
	if n.last == 0 { // newTree leaves out the buses of a loop
		return fmt.Errorf("bus %q is below itself", b.Name)
	}
	for _, name := range b.Sends {
		to := t.Find(name)
		switch {
		case name == b.Name:
			return fmt.Errorf("bus %q sends to itself", b.Name)
		case to <= 0:
			return fmt.Errorf("bus %q sends to %q, which is no bus%s", b.Name, name, t.Nearest(name, b.Name))
		case slices.Contains(n.Sends, to):
			return fmt.Errorf("bus %q sends to %q twice", b.Name, name)
		}
		n.Sends = append(n.Sends, to)
	}
	switch k := slices.Index(outputs, b.Output); {
	case b.Output == "":
	case k < 0:
		return fmt.Errorf("the output of bus %q, %q, is no output", b.Name, b.Output)
	case k != n.Output:
		return fmt.Errorf("bus %q is on output %q, and its parent %q is not", b.Name, b.Output, b.Parent)
	}
	for _, key := range b.Keys {
		at := t.Find(key.Bus)
		if at < 0 && key.Bus != "" {
			return fmt.Errorf("the key of the %s of bus %q, %q, is no bus%s", key.Effect, b.Name, key.Bus, t.Nearest(key.Bus, b.Name))
		}
		n.Keys = append(n.Keys, at)
	}
	return nil
}

// edge means that the bus with index from is mixed before the bus with index to. text explains it, with both names.
type edge struct {
	from, to int
	text     string
}

// edges returns the edges of all parents, sends and keys, which are given by bus.
func (t *Tree) edges(keys [][]int) (all []edge) {
	for i := range t.Nodes {
		n := &t.Nodes[i]
		switch {
		case n.Parent < 0:
		case n.Above < 0:
			all = append(all, edge{i, n.Parent, "%q is below the %s"})
		default:
			all = append(all, edge{i, n.Parent, "%q goes into %q"})
		}
		for _, to := range n.Sends {
			all = append(all, edge{i, to, "%q sends to %q"})
		}
		for _, key := range keys[i] {
			if key >= 0 {
				all = append(all, edge{key, i, "%[2]q listens to %[1]q"})
			}
		}
	}
	return all
}

// order sorts the bus indices in up, which has parents last, into mixing order: each bus comes after the buses with
// edges to it. Otherwise the order of up is kept. Buses in a loop and buses after them are left out, so the result is
// then shorter than up. order may return up itself.
func (t *Tree) order(up []int, edges []edge) []int {
	if len(edges) < len(up) { // only parents
		return up
	}
	predecessors := make([][]int, len(t.Nodes)) // by bus: the buses that come before it
	for _, e := range edges {
		predecessors[e.to] = append(predecessors[e.to], e.from)
	}
	done, ordered := make([]bool, len(t.Nodes)), make([]int, 0, len(up))
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

// loop returns the name of a bus that must be mixed after itself, and circle, which explains the loop in words. There
// must be a loop. up lists all indices. circle is "" if no explanation is found.
func (t *Tree) loop(up []int, edges []edge) (bus, circle string) {
	named := make([]words.Edge, len(edges))
	for i, e := range edges {
		from, to := t.Nodes[e.from].Name, t.Nodes[e.to].Name
		named[i] = words.Edge{From: from, To: to, Text: fmt.Sprintf(e.text, from, to)}
	}
	for _, i := range up {
		if circle = words.Circle(named, t.Nodes[i].Name); circle != "" {
			return t.Nodes[i].Name, circle
		}
	}
	return t.Nodes[up[0]].Name, ""
}

// Below reports whether the bus with index i is bus j or below it.
func (t *Tree) Below(i, j int) bool {
	at := t.Nodes[i].first
	return t.Nodes[j].first <= at && at < t.Nodes[j].last
}

// PassesThrough reports whether the output of the bus with index i passes through the gains and insert of bus j, which
// may be the same.
func (t *Tree) PassesThrough(i, j int) bool {
	return t.Nodes[i].Output == t.Nodes[j].Output && t.Below(i, j)
}

// Find returns the index of the bus called name, or -1.
func (t *Tree) Find(name string) int {
	return slices.IndexFunc(t.Nodes, func(n Node) bool { return n.Name == name })
}

// Names returns the names of the buses with the given indices.
func (t *Tree) Names(indices []int) []string {
	var names []string
	for _, i := range indices {
		names = append(names, t.Nodes[i].Name)
	}
	return names
}

// Nearest returns a text for the end of a message, such as `; the nearest is "sfx"`. It names the bus whose name is
// nearest to name. The master and the bus with the name by are left out. The result is "" without further buses.
func (t *Tree) Nearest(name, by string) string {
	var names []string
	for i := range t.Nodes[1:] {
		if other := t.Nodes[1+i].Name; other != by {
			names = append(names, other)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("; the nearest is %q", words.Nearest(name, names))
}
