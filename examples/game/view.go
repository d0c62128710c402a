package main

import (
	"fmt"
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"
	"github.com/hajimehoshi/ebiten/v2/vector"

	"voicepool/mixer"
	"voicepool/pcm"

	"voicepool/examples/game/sound"
	"voicepool/examples/game/world"
)

const (
	width, height = 1280, world.Height // of the picture; the panel is to the right of the field
	left          = world.Width + 20   // edge of the contents of the panel

	sliderX, sliderY, sliderWidth, sliderStep = left + 60, 90, 240, 16 // of the volume sliders
	slotY                                     = 212                    // of the first slot
)

var (
	night  = color.RGBA{12, 14, 28, 255}
	panel  = color.RGBA{24, 28, 48, 255}
	empty  = color.RGBA{38, 44, 70, 255}
	taken  = color.RGBA{255, 90, 70, 255}
	ours   = color.RGBA{130, 230, 255, 255}
	theirs = color.RGBA{255, 120, 160, 255}
	blast  = color.RGBA{255, 150, 60, 255}
	music  = color.RGBA{120, 230, 150, 255}
)

// label is the name of a sound in sounds.yaml, and its colour.
type label struct {
	name string
	tint color.RGBA
}

// labels maps the embedded sounds that sounds.yaml plays to their labels.
var labels = map[string]label{
	"engine": {"motor", theirs}, "shot": {"fire", ours}, "hit": {"hit", color.RGBA{255, 220, 120, 255}},
	"laser": {"laser", color.RGBA{190, 140, 255, 255}}, "zap": {"laser", color.RGBA{190, 140, 255, 255}},
	"explosion": {"boom", blast}, "glass": {"ouch", color.RGBA{255, 255, 255, 255}},
	"theme": {"theme", music}, "chime": {"theme.victory", music}, "gong": {"gong", music},
	"click": {"click", color.RGBA{255, 255, 255, 255}},
}

// Draw draws the field, and the pool to the right of it. Ebitengine calls it for each picture.
func (g *game) Draw(screen *ebiten.Image) {
	screen.Fill(night)
	g.drawField(screen)
	vector.FillRect(screen, world.Width, 0, width-world.Width, height, panel, false)
	g.drawSliders(screen)
	g.drawMusic(screen)
	g.drawPool(screen)
	if g.after != nil {
		g.after(screen)
	}
}

// drawField draws the stars, enemies, shots, the ship and the score.
func (g *game) drawField(screen *ebiten.Image) {
	w := g.world
	for i := range 60 { // stars
		x, y := float32(i*193%world.Width), float32((i*389+w.Tick*(1+i%3))%height)
		vector.FillRect(screen, x, y, 2, 2, empty, false)
	}
	for i := range w.Enemies {
		e := &w.Enemies[i]
		x, y := float32(e.X), float32(e.Y)
		switch {
		case e.Alive:
			vector.FillCircle(screen, x, y, 13, theirs, true)
			vector.FillCircle(screen, x, y, 6, night, true)
		case e.Life == 0 && e.Age > 0 && e.Age < 30:
			vector.StrokeCircle(screen, x, y, float32(8+e.Age*2), 3, blast, true)
		}
	}
	for i := range w.Shots {
		s := &w.Shots[i]
		if !s.Alive {
			continue
		}
		tint := theirs
		if s.Ours {
			tint = ours
		}
		x, y := float32(s.X), float32(s.Y)
		vector.StrokeLine(screen, x, y, x-float32(s.DX), y-float32(s.DY), 3, tint, true)
	}
	x := float32(w.X)
	for i := float32(0); i < 20; i++ { // the ship, a triangle
		vector.StrokeLine(screen, x-i*0.8, world.ShipY-16+i*1.6, x+i*0.8, world.ShipY-16+i*1.6, 2, ours, true)
	}
	ebitenutil.DebugPrintAt(screen, fmt.Sprintf("score %d\nleft right: move   space: fire", w.Score), 16, 12)
	if g.sound.Paused() {
		ebitenutil.DebugPrintAt(screen, "menu: the game is paused", world.Width/2-72, height/2)
	}
}

// drawSliders draws the volume sliders of the player, with the volumes in decibels.
func (g *game) drawSliders(screen *ebiten.Image) {
	for i, name := range sound.Sliders {
		y := sliderY + i*sliderStep
		at := float32(g.sound.Fader(i) * sliderWidth)
		vector.FillRect(screen, sliderX, float32(y)+5, sliderWidth, 4, empty, false)
		vector.FillRect(screen, sliderX, float32(y)+5, at, 4, ours, false)
		vector.FillRect(screen, sliderX+at-3, float32(y)+1, 6, 12, color.White, false)
		ebitenutil.DebugPrintAt(screen, name, left, y-2)
		ebitenutil.DebugPrintAt(screen, fmt.Sprintf("%6.1f dB", pcm.FromFader(g.sound.Fader(i))), sliderX+sliderWidth+12, y-2)
	}
}

// drawMusic draws the segment, bar and beat of the music, with a square for each beat, and the active scenes.
func (g *game) drawMusic(screen *ebiten.Image) {
	const y = sliderY + len(sound.Sliders)*sliderStep + 10
	place := g.sound.Place
	text := fmt.Sprintf("music: %-8s bar %d beat %d", place.Segment, place.Bar, place.Beat)
	ebitenutil.DebugPrintAt(screen, text, left, y)
	for beat := 1; beat <= 4; beat++ {
		tint := empty
		if beat == place.Beat {
			tint = music
		}
		vector.FillRect(screen, float32(left+200+beat*22), float32(y+3), 16, 11, tint, false)
	}
	for i, label := range [len(sound.Scenes)]string{"menu (M)", "cave (C)", "water (W)"} {
		x := left + 48 + i*100
		if g.sound.Active(i) {
			vector.FillRect(screen, float32(x-12), float32(y+23), 8, 8, ours, false)
		}
		vector.StrokeRect(screen, float32(x-12), float32(y+23), 8, 8, 1, ours, false)
		ebitenutil.DebugPrintAt(screen, label, x, y+18)
	}
	ebitenutil.DebugPrintAt(screen, "in:", left, y+18)
}

// drawPool draws the pool: its settings and counts, a bar for each slot, and the voices that lost their slots
// last.
func (g *game) drawPool(screen *ebiten.Image) {
	s := g.sound
	stats := s.Mixer().Stats()
	ebitenutil.DebugPrintAt(screen, fmt.Sprintf(
		"%d voices (up, down)   policy %v (P)\n"+
			"virtual limit %d (V), loops not counted   %d now virtual\n"+
			"%d requested / %d started / %d stolen / %d rejected\n"+
			"%.1f dB RMS", stats.Voices, s.Policy, s.Virtual, stats.Virtual, stats.Asked, stats.Started, stats.Stolen,
		stats.Rejected+stats.Limited, masterLevels(s).RMS), left, 12)
	for i := range min(int(stats.Voices), sound.MaxVoices) {
		drawSlot(screen, &s.Slots[i], i, left, float32(slotY+i*13))
	}
	y := slotY + 13*int(stats.Voices) + 12
	ebitenutil.DebugPrintAt(screen, "slots taken", left, y)
	for _, e := range s.Steals {
		if y += 16; !e.Kind.HasDecision() || y > height-20 {
			break
		}
		ebitenutil.DebugPrintAt(screen, describeSteal(e), left, y)
	}
}

// masterLevels returns the levels of the bus master, or zero levels if the mixer has no such bus.
func masterLevels(s *sound.Sound) mixer.Levels {
	b, err := s.Mixer().Bus("master")
	if err != nil {
		return mixer.Levels{}
	}
	return b.Levels()
}

// drawSlot draws slot i of the pool at x, y in pixels: a bar whose length is the voice's loudness, its pan and its
// name. A frame around the bar flashes after a steal.
func drawSlot(screen *ebiten.Image, v *sound.Slot, i int, x, y float32) {
	vector.FillRect(screen, x, y, 380, 11, empty, false)
	if v.Name != "" {
		loud := float32(max(0, min(1, (float64(v.Loud)+60)/60)))
		vector.FillRect(screen, x, y, 230*loud, 11, labels[v.Name].tint, false)
		vector.FillRect(screen, x+335+float32(v.Pan)*40, y+1, 5, 9, color.White, false) // pan
	}
	if v.Since < 12 {
		vector.StrokeRect(screen, x, y, 380, 11, 2, taken, false)
	}
	ebitenutil.DebugPrintAt(screen, fmt.Sprintf("%2d %s", i, labels[v.Name].name), int(x)+234, int(y)-3)
}

// describeSteal returns a line for a voice that lost its slot: the sound that took the slot, both loudnesses, and
// whether the voice ended or became virtual.
func describeSteal(e mixer.Event) string {
	now := "ended"
	if e.Kind == mixer.EventVirtual {
		now = "virtual"
	}
	return fmt.Sprintf("%s %.0f dB took the slot of %s %.0f dB (%s)", labels[e.Steal.BySound.Name()].name, e.Steal.Newcomer,
		labels[e.Sound.Name()].name, e.Steal.Audibility, now)
}
