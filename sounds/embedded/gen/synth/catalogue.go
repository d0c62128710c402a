package synth

import (
	"cmp"
	"slices"

	"voicepool/pcm"
)

// Recipe is how one sound is made.
type Recipe struct {
	Name string       // one plain word in lower case
	Peak pcm.Decibels // of the finished sound, relative to full scale
	Loop bool         // it repeats from end to beginning without a seam
	make func() *track
}

// PCM makes the sound: one slice of 16-bit samples per channel, one channel or
// two, at Rate. It gives the same samples each time.
func (r Recipe) PCM() [][]int16 {
	return r.make().finish(r.Peak)
}

// Recipes lists the embedded sounds by name.
func Recipes() []Recipe {
	all := slices.Concat(menus, fights, places, instruments, loops)
	slices.SortFunc(all, func(a, b Recipe) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
