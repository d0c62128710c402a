package fields

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicepool/internal/words"
)

// Sorted returns the sorted keys of a map.
func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// maxSuggestionCost limits the work for suggestions per file, in cells of distance tables: about a quarter of a
// second. In a file with many names and errors, only the first errors get suggestions.
const maxSuggestionCost = 50_000_000

// Suggest returns "; did you mean ...?" with the name nearest to word, for the end of a message. names returns the
// names to choose from. Suggest returns "" if no name is near enough, if word is longer than 64 bytes, or if the
// limit of errors or work is reached.
func (r *Reader) Suggest(word string, names func() []string) string {
	const (
		maxLength = 64
		perName   = 40 // cost of listing and sorting a name
	)
	if len(word) > maxLength || len(r.errors) >= maxErrors || r.suggestionCost >= maxSuggestionCost {
		return ""
	}
	best, minDistance := "", max(len(word)/3+1, 2)
	for _, name := range names() {
		r.suggestionCost += perName
		if strings.EqualFold(name, word) {
			best = name
			break
		}
		if difference := len(word) - len(name); difference >= minDistance || -difference >= minDistance {
			continue
		}
		r.suggestionCost += len(word) * len(name)
		if d := words.Distance(word, name); d < minDistance {
			best, minDistance = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// suggestKey returns a suggestion like Suggest with a key of keys. If word is a key of another program, it suggests the
// key with the same meaning.
func (r *Reader) suggestKey(word string, keys []string) string {
	if key := words.Synonym(word, keys); key != "" {
		return fmt.Sprintf("; did you mean %q?", key)
	}
	return r.Suggest(word, func() []string { return keys })
}
