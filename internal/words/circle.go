package words

import "strings"

// Edge is a directed edge between two names. Text describes it in a sentence.
type Edge struct{ From, To, Text string }

// Circles reports whether the edges contain a cycle.
func Circles(edges []Edge) bool {
	leads, into := map[string][]string{}, map[string]int{}
	for _, w := range edges {
		leads[w.From] = append(leads[w.From], w.To)
		into[w.To]++
	}
	var free []string
	for name := range leads {
		if into[name] == 0 {
			free = append(free, name)
		}
	}
	gone := 0
	for len(free) > 0 {
		name := free[len(free)-1]
		free = free[:len(free)-1]
		for _, to := range leads[name] {
			gone++
			if into[to]--; into[to] == 0 {
				free = append(free, to)
			}
		}
	}
	return gone < len(edges)
}

// Circle describes the shortest cycle through a name by the Text of its edges, joined by commas. It returns ""
// without such a cycle.
func Circle(edges []Edge, name string) string {
	type step struct {
		edge   int
		before *step
	}
	from := map[string][]int{}
	for i := range edges {
		from[edges[i].From] = append(from[edges[i].From], i)
	}
	var last *step
	seen := map[string]bool{}
	for wave := []*step{nil}; len(wave) > 0 && last == nil; {
		var next []*step
		for _, s := range wave {
			at := name
			if s != nil {
				at = edges[s.edge].To
			}
			for _, i := range from[at] {
				w := &edges[i]
				if w.To == name && last == nil {
					last = &step{i, s}
				}
				if !seen[w.To] {
					seen[w.To] = true
					next = append(next, &step{i, s})
				}
			}
		}
		wave = next
	}
	var says []string
	for s := last; s != nil; s = s.before {
		says = append([]string{edges[s.edge].Text}, says...)
	}
	return strings.Join(says, ", ")
}
