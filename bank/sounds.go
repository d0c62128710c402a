package bank

import (
	"iter"
	"slices"
	"strings"

	"voicepool/sounds"
)

// Sounds returns every variation of every sound of the bank, ordered by name. Each pair is the name for Play and one
// variation. audiotest.Recording.KnowsNamed takes such pairs. A layered sound is represented by its first layer. A
// sound that follows another by `then` occurs only under its own name. A sound that is not loaded is a placeholder with
// its name and file, see sounds.Sound.Unloaded. Reload, LoadGroup and Unload may change the result.
func (b *Bank) Sounds() iter.Seq2[string, *sounds.Sound] {
	return func(yield func(string, *sounds.Sound) bool) {
		b.mu.Lock()
		type variations struct {
			name  string
			files []*sounds.Sound
		}
		var all []variations
		for _, s := range b.sounds {
			files := s.files
			if s.layers != nil {
				files = s.layers[0].sound.files
			}
			all = append(all, variations{s.rules.Name, slices.Clone(files)})
		}
		b.mu.Unlock()
		slices.SortFunc(all, func(a, b variations) int { return strings.Compare(a.name, b.name) })
		for _, s := range all {
			for _, file := range s.files {
				if !yield(s.name, file) {
					return
				}
			}
		}
	}
}
