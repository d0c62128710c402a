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
		{name: "a wave", x: 10, y: middle - 20, want: ink.Wave},
		{name: "above the wave", x: 10, y: middle - 21, want: ink.Field},
		{name: "below the wave", x: 10, y: middle + 21, want: ink.Field},
		{name: "beyond full scale", x: 50, y: middle - 40, want: over},
		{name: "silence", x: 700, y: middle, want: ink.Wave},
		{name: "beside silence", x: 700, y: middle + 1, want: repeats},
		{name: "the loudness", x: 700, y: top + 27, want: loud}, // -20 dB, a third of the way
		{name: "a line", x: 700, y: top + 53, want: ink.Lines},
		{name: "no loop", x: 700, y: top + panelHeight + 4, want: ink.Field},
		{name: "a letter", y: top - 7, want: ink.Words},
		{name: "between its legs", x: 2, y: top - 7, want: ink.Paper},
		{name: "the margin", x: -1, y: middle, want: ink.Paper},
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
