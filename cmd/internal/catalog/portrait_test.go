package catalog

import (
	"image/color"
	"testing"

	"voicepool/cmd/internal/ink"
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
	img := Paint([]Row{{info: sounds.Info{Name: "AZ"}, picture: portray(s, true)}, {picture: portray(s, false)}})
	const top = panelMargin/2 + panelTitle
	const middle = top + panelWave/2
	for _, c := range []struct {
		name string
		x, y int
		want color.Color
	}{
		{"a wave", 10, middle - 20, ink.Wave},
		{"above the wave", 10, middle - 21, ink.Field},
		{"below the wave", 10, middle + 21, ink.Field},
		{"beyond full scale", 50, middle - 40, over},
		{"silence", 700, middle, ink.Wave},
		{"beside silence", 700, middle + 1, repeats},
		{"the loudness", 700, top + 27, loud}, // -20 dB, a third of the way
		{"a line", 700, top + 53, ink.Lines},
		{"no loop", 700, top + panelHeight + 4, ink.Field},
		{"a letter", 0, top - 7, ink.Words},
		{"between its legs", 2, top - 7, ink.Paper},
		{"the margin", -1, middle, ink.Paper},
	} {
		if got := img.At(panelMargin+c.x, c.y); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	empty, err := voice.NewSound(voice.Samples{Rate: 48000, Channels: 2})
	if err != nil {
		t.Fatal(err)
	}
	Paint([]Row{{picture: portray(empty, true)}})
}
