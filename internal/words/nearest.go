package words

import "strings"

// Nearest returns the one of some names that is nearest to a name, the first of several.
func Nearest(name string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		d := 0
		if name == "" || !strings.HasPrefix(n, name) { // what a name begins with is near to it
			d = Distance(name[:min(len(name), 64)], n)
		}
		if best == "" || d < least {
			best, least = n, d
		}
	}
	return best
}

// Distance returns how many letters must be inserted, left out, replaced or
// swapped with their neighbour to make b of a.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
