package main

import "syscall/js"

// tellPage says to the page how far the mix is and how many voices play, for whoever asks there.
func (g *game) tellPage() {
	stats := g.sound.Mixer().Stats()
	js.Global().Set("voicepool", js.ValueOf(map[string]any{
		"frame": float64(stats.Frame), "playing": int(stats.Playing), "asked": int(stats.Asked),
	}))
}
