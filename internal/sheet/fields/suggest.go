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

// maxHints limits the work for suggestions per file, in cells of distance tables: about a quarter of a
// second. In a file with many names and errors, only the first errors get suggestions.
const maxHints = 50_000_000

// Suggest returns "; did you mean ...?" with the name nearest to word, for the end of a message. names returns the
// names to choose from. Suggest returns "" if no name is near enough, if word is longer than 64 bytes, or if the
// limit of errors or work is reached.
func (r *Reader) Suggest(word string, names func() []string) string {
	const (
		longest = 64
		perName = 40 // cost of listing and sorting a name
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

// meant returns a suggestion like Suggest with a key of keys. If word is a key of another program, it suggests the
// key with the same meaning.
func (r *Reader) meant(word string, keys []string) string {
	if key := words.Synonym(word, keys); key != "" {
		return fmt.Sprintf("; did you mean %q?", key)
	}
	return r.Suggest(word, func() []string { return keys })
}
