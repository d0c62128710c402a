package bank

import (
	"iter"
	"slices"
	"strings"

	"voicepool/sounds"
)

// Sounds returns every variation of every sound of the bank, ordered by name. Each pair is the name for Play and one
// variation. audiotest.Recording.KnowsNamed takes such pairs. A layered sound is represented by its first layer. A
// sound that follows another by `then` occurs only under its own name. Reload may change the result.
func (b *Bank) Sounds() iter.Seq2[string, *sounds.Sound] {
	return func(yield func(string, *sounds.Sound) bool) {
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
