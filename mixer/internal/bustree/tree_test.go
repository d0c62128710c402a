package bustree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// named returns buses with the given names and parents, such as "music<master", behind the master.
func named(pairs ...string) []Bus {
	buses := []Bus{{Name: "master"}}
	for _, pair := range pairs {
		name, parent, _ := strings.Cut(pair, "<")
		buses = append(buses, Bus{Name: name, Parent: parent})
	}
	return buses
}

// TestTree checks the relations in a small tree with two outputs.
func TestTree(t *testing.T) {
	tree, err := New(named("a", "b<a", "c<b", "d<radio", "radio"), []string{"main", "radio"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(tree.ParentsFirst, []int{0, 1, 2, 3, 5, 4}) || !slices.Equal(tree.MixOrder, []int{3, 2, 1, 4, 5, 0}) {
		t.Errorf("the orders are %v and %v", tree.ParentsFirst, tree.MixOrder)
	}
	if tree.Find("c") != 3 || tree.Find("main") != -1 || !slices.Equal(tree.Roots, []int{0, 5}) {
		t.Errorf("c is %d, main %d, the roots are %v", tree.Find("c"), tree.Find("main"), tree.Roots)
	}
	for i, want := range []Node{{Parent: -1, Above: -1}, {}, {Parent: 1, Above: 1}, {Parent: 2, Above: 2}, {Parent: 5, Above: 5, Output: 1}, {Above: -1, Output: 1}} {
		if n := tree.Nodes[i]; n.Parent != want.Parent || n.Above != want.Above || n.Output != want.Output {
			t.Errorf("bus %q is %+v, want %+v", n.Name, n, want)
		}
	}
	if !tree.Below(4, 0) || tree.PassesThrough(4, 0) || !tree.PassesThrough(4, 5) || !tree.PassesThrough(3, 1) || tree.PassesThrough(1, 3) {
		t.Error("a bus passes through the wrong buses")
	}
	if got := tree.Nearest("bb", "b"); got != `; the nearest is "a"` && got != `; the nearest is "c"` && got != `; the nearest is "d"` {
		t.Errorf("the nearest to bb is told as %q", got)
	}
	if got := tree.Names([]int{1, 4}); !slices.Equal(got, []string{"a", "d"}) {
		t.Errorf("the names are %q", got)
	}
}

// TestErrors checks the message for each fault.
func TestErrors(t *testing.T) {
	with := func(change func(b []Bus), pairs ...string) []Bus {
		b := named(pairs...)
		change(b)
		return b
	}
	for _, test := range []struct {
		want    string
		buses   []Bus
		outputs []string
	}{
		{want: `bus 2 of Buses has no name`, buses: named("a", "")},
		{want: `a bus is called "master", which is the name of the whole mix`, buses: named("master")},
		{want: `two buses are called "a"`, buses: named("a", "a")},
		{want: `output 1 of Outputs has no name`, buses: named(), outputs: []string{""}},
		{want: `output 2 of Outputs is called "master", which the first alone may be`, buses: named("master"), outputs: []string{"main", "master"}},
		{want: `two outputs or buses are called "a"`, buses: named("a"), outputs: []string{"a"}},
		{want: `the parent of bus "a", "musik", is no bus; the nearest is "music"`, buses: named("a<musik", "music")},
		{want: `bus "a" is below itself`, buses: named("a<b", "b<a")},
		{want: `bus "a" sends to itself`, buses: with(func(b []Bus) { b[1].Sends = []string{"a"} }, "a")},
		{want: `bus "a" sends to "master", which is no bus; the nearest is "b"`, buses: with(func(b []Bus) { b[1].Sends = []string{"master"} }, "a", "b")},
		{want: `bus "a" sends to "b" twice`, buses: with(func(b []Bus) { b[1].Sends = []string{"b", "b"} }, "a", "b")},
		{want: `the output of bus "a", "radio", is no output`, buses: with(func(b []Bus) { b[1].Output = "radio" }, "a"), outputs: []string{"main"}},
		{
			want: `bus "a" is on output "radio", and its parent "b" is not`, outputs: []string{"main", "radio"},
			buses: with(func(b []Bus) { b[1].Output = "radio" }, "a<b", "b", "radio"),
		},
		{
			want:  `the key of the compressor of bus "a", "bee", is no bus; the nearest is "bees"`,
			buses: with(func(b []Bus) { b[1].Keys = []Key{{}, {"compressor", "bee"}} }, "a", "bees"),
		},
		{
			want:  `bus "b" comes to itself: "b" goes into "a", "a" sends to "b"`,
			buses: with(func(b []Bus) { b[1].Sends = []string{"b"} }, "a", "b<a"),
		},
	} {
		_, err := New(test.buses, test.outputs)
		if err == nil || err.Error() != test.want {
			t.Errorf("the error is %v, want %s", err, test.want)
		}
	}
}

// TestOrder compares random trees with their definition: who is below whom, who comes before whom, and whether there is
// a loop.
func TestOrder(t *testing.T) {
	loops := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "buses")
		name := func(i int) string { return fmt.Sprint("bus", i) }
		buses := []Bus{{Name: "master"}}
		for i := 1; i <= n; i++ {
			b := Bus{Name: name(i)}
			if parent := rapid.IntRange(0, i-1).Draw(t, "parent"); parent > 0 {
				b.Parent = name(parent)
			}
			for to := 1; to <= n; to++ {
				if to != i && rapid.IntRange(0, 9).Draw(t, "send") == 0 {
					b.Sends = append(b.Sends, name(to))
				}
				if to != i && rapid.IntRange(0, 9).Draw(t, "key") == 0 {
					b.Keys = append(b.Keys, Key{"compressor", name(to)})
				}
			}
			buses = append(buses, b)
		}
		before := make([][]bool, n+1) // whether the first is mixed before the second
		for i := range before {
			before[i] = make([]bool, n+1)
		}
		index := map[string]int{"": 0, "master": 0}
		for i := range buses {
			index[buses[i].Name] = i
		}
		for i, b := range buses {
			if i > 0 {
				before[i][index[b.Parent]] = true
			}
			for _, to := range b.Sends {
				before[i][index[to]] = true
			}
			for _, key := range b.Keys {
				before[index[key.Bus]][i] = true
			}
		}
		for k := range before {
			for i := range before {
				for j := range before {
					before[i][j] = before[i][j] || before[i][k] && before[k][j]
				}
			}
		}
		loop := false
		for i := range before {
			loop = loop || before[i][i]
		}
		tree, err := New(buses, nil)
		if loop != (err != nil) {
			t.Fatalf("a loop: %v, the error: %v", loop, err)
		}
		if loop {
			loops++
			return
		}
		place := make([]int, n+1)
		for at, i := range tree.MixOrder {
			place[i] = at
		}
		if len(tree.MixOrder) != n+1 || len(tree.ParentsFirst) != n+1 {
			t.Fatalf("the orders are %v and %v", tree.MixOrder, tree.ParentsFirst)
		}
		for i := range before {
			for j := range before {
				if before[i][j] && place[i] > place[j] {
					t.Fatalf("%v has %d after %d", tree.MixOrder, i, j)
				}
				below := false
				for at := i; at >= 0; at = tree.Nodes[at].Parent {
					below = below || at == j
				}
				if tree.Below(i, j) != below {
					t.Fatalf("%d is below %d: %v", i, j, !below)
				}
			}
		}
	})
	if loops == 0 {
		t.Error("no tree had a loop")
	}
}
