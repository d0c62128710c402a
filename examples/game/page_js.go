package main

import "syscall/js"

// publishStats stores the mixer's frame and its numbers of playing and requested voices in the global variable
// voicepool of the web page.
func (g *game) publishStats() {
	stats := g.sound.Mixer().Stats()
	js.Global().Set("voicepool", js.ValueOf(map[string]any{
		"frame": float64(stats.Frame), "playing": int(stats.Playing), "asked": int(stats.Asked),
	}))
}
