package catalog

import (
	"image/color"
	"testing"

	"voicepool/cmd/internal/view/figurestyle"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// TestPaint checks the colors of a picture: red beyond full scale, a line for silence, the loudness
// curve, the shaded loop, the axes and the legend.
func TestPaint(t *testing.T) {
	data := make([]float32, 2*portraitColumns)
	for i := range portraitColumns {
		data[i] = float32(1-2*(i%2)) * 0.5
	}
	data[100] = 1.5
	s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: data, Loop: [2]int64{960, 1920}})
	if err != nil {
		t.Fatal(err)
	}
	img := Paint([]Row{{info: library.Info{Name: "IZ", Seconds: 2}, picture: newPortrait(s, true)}, {picture: newPortrait(s, false)}})
	const top = panelLegend + panelTitle
	const middle = top + panelWave/2
	for _, c := range []struct {
		name string
		x, y int
		want color.Color
	}{
		{name: "a wave", x: 10, y: middle - 20, want: figurestyle.Wave},
		{name: "above the wave", x: 10, y: middle - 21, want: figurestyle.PlotBackground},
		{name: "below the wave", x: 10, y: middle + 21, want: figurestyle.PlotBackground},
		{name: "beyond full scale", x: 50, y: middle - 40, want: clippedColour},
		{name: "silence", x: 700, y: middle, want: figurestyle.Wave},
		{name: "beside silence", x: 700, y: middle + 1, want: loopColour},
		{name: "the loudness", x: 700, y: top + 27, want: loudnessColour}, // -20 dB, a third of the way
		{name: "a line", x: 700, y: top + 53, want: figurestyle.Grid},
		{name: "no loop", x: 700, y: top + panelHeight + 4, want: figurestyle.PlotBackground},
		{name: "the margin", x: -1, y: middle, want: figurestyle.Background},
		{name: "a line at 0.4 s", x: 192, y: top + 4, want: figurestyle.Grid},
		{name: "its tick", x: 192, y: top + panelWave + 2, want: figurestyle.Grid},
		{name: "none beside it", x: 193, y: top + 4, want: figurestyle.PlotBackground},
		{name: "no tick between", x: 144, y: top + panelWave + 2, want: figurestyle.Background},
		{name: "the legend of the waveform", y: 15, want: figurestyle.Wave},
	} {
		if got := img.At(panelLeft+c.x, c.y); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	dark := func(x0, y0, x1, y1 int) bool {
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				if img.At(x, y) != figurestyle.Background {
					return false
				}
			}
		}
		return true
	}
	const under = top + panelWave + 6
	for _, c := range []struct {
		name           string
		x0, y0, x1, y1 int
		text           bool
	}{
		{"the title", panelLeft, panelLegend, panelLeft + 40, top - 2, true},
		{"-20 dB", 0, top + 22, panelLeft, top + 32, true},
		{"between -20 and -40 dB", 0, top + 34, panelLeft, top + 46, false},
		{"-1", panelLeft + portraitColumns, top + 75, panelLeft + portraitColumns + panelRight, top + 86, true},
		{"0.4 s", panelLeft + 192, under, panelLeft + 222, under + 10, true},
		{"between 0.4 s and 0.6 s", panelLeft + 232, under, panelLeft + 284, under + 10, false},
		{"a second without a length", panelLeft, under + panelHeight, panelLeft + portraitColumns, under + panelHeight + 10, false},
	} {
		if dark(c.x0, c.y0, c.x1, c.y1) == c.text {
			t.Errorf("%s: text there %v, want %v", c.name, !c.text, c.text)
		}
	}
	empty, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 2})
	if err != nil {
		t.Fatal(err)
	}
	Paint([]Row{{picture: newPortrait(empty, true)}})
}
