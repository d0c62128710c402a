package main

import "strings"

// nearest returns the one of some names that is nearest to a name, the first of several.
func nearest(name string, names []string) string {
	best, least := "", 0
	for _, n := range names {
		if d := distance(name, n); best == "" || d < least {
			best, least = n, d
		}
	}
	return best
}

// distance returns how many letters must be inserted, left out or replaced to make
// b of a; what b begins with is near to it.
func distance(a, b string) int {
	if strings.HasPrefix(b, a) && a != "" {
		return 0
	}
	a = a[:min(len(a), 64)]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := before
			if a[i] != b[j] {
				replaced++
			}
			before = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
