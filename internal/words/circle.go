package words

import "strings"

// Way is a step from one name to another, and how a sentence says it.
type Way struct{ From, To, Says string }

// Circle returns the shortest way from a name back to it, as its steps say; empty: there is none.
func Circle(ways []Way, name string) string {
	type step struct {
		way    int
		before *step
	}
	var last *step
	seen := map[string]bool{}
	for wave := []*step{nil}; len(wave) > 0 && last == nil; {
		var next []*step
		for _, s := range wave {
			at := name
			if s != nil {
				at = ways[s.way].To
			}
			for i := range ways {
				w := &ways[i]
				if w.From != at {
					continue
				}
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
		says = append([]string{ways[s.way].Says}, says...)
	}
	return strings.Join(says, ", ")
}
