package bank

import (
	"iter"
	"slices"
	"strings"

	"voicepool/voice"
)

// Sounds returns all sounds of the bank under the names that Play takes, in the order of the names,
// each variation by itself: what audiotest.Recording.KnowsNamed takes. Of layers it has the first one,
// and of what follows by `then` nothing. Reload may change them.
func (b *Bank) Sounds() iter.Seq2[string, *voice.Sound] {
	return func(yield func(string, *voice.Sound) bool) {
		b.mu.Lock()
		var all []*sound
		for _, s := range b.sounds {
			all = append(all, s)
		}
		b.mu.Unlock()
		slices.SortFunc(all, func(a, b *sound) int { return strings.Compare(a.rules.Name, b.rules.Name) })
		for _, s := range all {
			files := s.files
			if s.layers != nil {
				files = s.layers[0].sound.files
			}
			for _, file := range files {
				if !yield(s.rules.Name, file) {
					return
				}
			}
		}
	}
}
