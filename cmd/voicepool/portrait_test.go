package main

import (
	"image/color"
	"testing"

	"voicepool/sounds"
	"voicepool/voice"
)

// TestPaint: what goes beyond full scale is red, silence is a line, the loudness
// goes along the right row, the loop is a shade.
func TestPaint(t *testing.T) {
	data := make([]float32, 2*portraitColumns)
	for i := range portraitColumns {
		data[i] = float32(1-2*(i%2)) * 0.5
	}
	data[100] = 1.5
	s, err := voice.NewSound(voice.Samples{Rate: 48000, Channels: 1, Data: data, Loop: [2]int64{960, 1920}})
	if err != nil {
		t.Fatal(err)
	}
	img := paint([]soundRow{{info: sounds.Info{Name: "AZ"}, picture: portray(s, true)}, {picture: portray(s, false)}})
	const top = panelMargin/2 + panelTitle
	const middle = top + panelWave/2
	for _, c := range []struct {
		name string
		x, y int
		want color.Color
	}{
		{"a wave", 10, middle - 20, wave},
		{"above the wave", 10, middle - 21, field},
		{"below the wave", 10, middle + 21, field},
		{"beyond full scale", 50, middle - 40, over},
		{"silence", 700, middle, wave},
		{"beside silence", 700, middle + 1, repeats},
		{"the loudness", 700, top + 27, loud}, // -20 dB, a third of the way
		{"a line", 700, top + 53, lines},
		{"no loop", 700, top + panelHeight + 4, field},
		{"a letter", 2, top - panelTitle + 2, words},
		{"beside a letter", 0, top - panelTitle + 2, paper},
		{"the margin", -1, middle, paper},
	} {
		if got := img.At(panelMargin+c.x, c.y); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	empty, err := voice.NewSound(voice.Samples{Rate: 48000, Channels: 2})
	if err != nil {
		t.Fatal(err)
	}
	paint([]soundRow{{picture: portray(empty, true)}})
}

func TestGlyphs(t *testing.T) {
	seen := map[string]rune{}
	for _, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_/:+(), !" {
		g := glyph(r)
		if other, ok := seen[g]; ok || len(g) != 5 {
			t.Errorf("%c looks like %c", r, other)
		}
		seen[g] = r
	}
}
