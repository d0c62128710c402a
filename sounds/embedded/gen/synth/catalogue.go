package synth

import (
	"cmp"
	"slices"

	"voicepool/pcm"
)

// Recipe generates one sound.
type Recipe struct {
	Name string       // one plain word in lower case
	Peak pcm.Decibels // of the finished sound, relative to full scale
	Loop bool         // seamless loop
	make func() *track
}

// PCM generates the sound of the recipe. It returns one slice of 16-bit samples per channel, for one or two channels,
// at the rate Rate. The largest sample has the level r.Peak. The samples are the same each time.
func (r Recipe) PCM() [][]int16 {
	return r.make().finish(r.Peak)
}

// Recipes returns a new slice with the recipes of the embedded sounds, sorted by name.
func Recipes() []Recipe {
	all := slices.Concat(menus, fights, places, instruments, loops)
	slices.SortFunc(all, func(a, b Recipe) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
