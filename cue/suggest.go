package cue

import (
	"fmt"
	"strings"
)

// maxHints is what may be spent on the suggestions of one sheet, in cells of distance: about a
// quarter of a second. A sheet with many names and many faults has them for the first faults.
const maxHints = 50_000_000

// suggest returns "; did you mean ...?" with the nearest of the names, or "" where none is near
// enough to be meant, or nobody would see it.
func (r *reader) suggest(word string, names func() []string) string {
	const (
		longest = 64
		perName = 40 // for the name itself, of a list that was made and sorted
	)
	if len(word) > longest || len(r.wrong) >= maxWrong || r.hints >= maxHints {
		return ""
	}
	best, least := "", max(len(word)/3+1, 2)
	for _, name := range names() {
		r.hints += perName
		if strings.EqualFold(name, word) {
			best = name
			break
		}
		if apart := len(word) - len(name); apart >= least || -apart >= least {
			continue
		}
		r.hints += len(word) * len(name)
		if d := distance(word, name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance returns how many letters must be inserted, left out, replaced or
// swapped with their neighbour to make b of a.
func distance(a, b string) int {
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
