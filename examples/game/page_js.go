package main

import "syscall/js"

// tellPage publishes the mixer's frame and numbers of voices in a global variable of the page.
func (g *game) tellPage() {
	stats := g.sound.Mixer().Stats()
	js.Global().Set("voicepool", js.ValueOf(map[string]any{
		"frame": float64(stats.Frame), "playing": int(stats.Playing), "asked": int(stats.Asked),
	}))
}
