package cue

import (
	"fmt"
	"strings"
)

// suggest returns "; did you mean ...?" with the nearest of the names, or ""
// where none is near enough to be meant.
func suggest(word string, names []string) string {
	if len(word) > 64 {
		return ""
	}
	best, least := "", max(len(word)/3+1, 2)
	for _, name := range names {
		if strings.EqualFold(name, word) {
			best = name
			break
		}
		if d := distance(word, name, least); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance returns how many letters must be inserted, left out, replaced or
// swapped with their neighbour to make b of a; most or more means too many.
func distance(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
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
