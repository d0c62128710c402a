package synth

import (
	"sort"

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
	all := []Recipe{
		// Menus and rewards.
		{Name: "blip", Peak: -8, make: blip},
		{Name: "click", Peak: -9, make: click},
		{Name: "coin", Peak: -7, make: coin},
		{Name: "chime", Peak: -6, make: chime},
		{Name: "denied", Peak: -10, make: denied},
		{Name: "jump", Peak: -8, make: jump},
		{Name: "powerup", Peak: -7, make: powerup},
		// Fights.
		{Name: "explosion", Peak: -1, make: explosion},
		{Name: "hit", Peak: -3, make: hit},
		{Name: "laser", Peak: -6, make: laser},
		{Name: "shot", Peak: -2, make: shot},
		{Name: "whoosh", Peak: -9, make: whoosh},
		{Name: "zap", Peak: -6, make: zap},
		// Things and places.
		{Name: "bird", Peak: -12, make: bird},
		{Name: "door", Peak: -5, make: door},
		{Name: "drip", Peak: -8, make: drip},
		{Name: "glass", Peak: -5, make: glass},
		{Name: "knock", Peak: -6, make: knock},
		{Name: "splash", Peak: -7, make: splash},
		{Name: "step1", Peak: -11, make: step1},
		{Name: "step2", Peak: -12, make: step2},
		{Name: "thunder", Peak: -3, make: thunder},
		// Instruments.
		{Name: "bell", Peak: -5, make: bell},
		{Name: "gong", Peak: -4, make: gong},
		{Name: "hat", Peak: -12, make: hat},
		{Name: "kick", Peak: -2, make: kick},
		{Name: "marimba", Peak: -6, make: marimba},
		{Name: "pluck", Peak: -6, make: guitar},
		{Name: "snare", Peak: -5, make: snare},
		{Name: "swell", Peak: -8, make: swell},
		// Loops.
		{Name: "clock", Peak: -11, Loop: true, make: clock},
		{Name: "engine", Peak: -8, Loop: true, make: engine},
		{Name: "rain", Peak: -12, Loop: true, make: rain},
		{Name: "theme", Peak: -7, Loop: true, make: theme},
		{Name: "wind", Peak: -10, Loop: true, make: wind},
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}
