package fields

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicepool/internal/words"
)

// Sorted returns the keys of a map in their order.
func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// maxHints is what may be spent on the suggestions of one file, in cells of distance: about a
// quarter of a second. A file with many names and many faults has them for the first faults.
const maxHints = 50_000_000

// Suggest returns "; did you mean ...?" with the nearest of the names, or "" where none is near
// enough to be meant, or nobody would see it.
func (r *Reader) Suggest(word string, names func() []string) string {
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
		if d := words.Distance(word, name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// meant returns what a key is called here that has another name elsewhere, or else the nearest one.
func (r *Reader) meant(word string, keys []string) string {
	if key := words.Synonym(word, keys); key != "" {
		return fmt.Sprintf("; did you mean %q?", key)
	}
	return r.Suggest(word, func() []string { return keys })
}
