package catalog

import (
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"strings"

	"voicepool/cmd/internal/view/figurestyle"
	"voicepool/cmd/internal/view/meterbar"
	"voicepool/internal/words"
	"voicepool/pcm"
	"voicepool/sounds"
)

// portraitColumns is the width of a waveform in pixels.
const portraitColumns = 960

// portrait holds the drawn data of a sound, divided over the columns of pixels: each covers an equal part of its
// frames.
type portrait struct {
	low, high [portraitColumns]float32 // the waveform, all channels
	level     [portraitColumns]float64 // the loudness index in dB: the loudness of the rest
	loop      [2]int                   // the columns of the loop; equal without one
}

// newPortrait computes the data for drawing the sound s: the range of its samples and its loudness for each column of
// pixels. If looped is true, the sound is meant to loop. Its loudness then includes the repetitions, and the result
// has the range of the loop.
func newPortrait(s *sounds.Sound, looped bool) *portrait {
	p := &portrait{}
	samples, channels, frames := s.Samples(), int64(s.Channels()), s.Frames()
	index := s.Envelope()
	for x := range p.low {
		from, to := int64(x)*frames/portraitColumns, int64(x+1)*frames/portraitColumns
		for _, y := range samples[from*channels : max(to, min(from+1, frames))*channels] {
			p.low[x], p.high[x] = min(p.low[x], y), max(p.high[x], y)
		}
		p.level[x] = math.Inf(-1)
		if frames > 0 {
			p.level[x] = float64(pcm.FromPower(index.At(from, looped)))
		}
	}
	if looped && frames > 0 {
		loop := s.Loop()
		p.loop = [2]int{int(loop[0] * portraitColumns / frames), int(loop[1] * portraitColumns / frames)}
	}
	return p
}

// The dimensions of a picture in pixels.
const (
	panelLeft    = 64 // for level labels
	panelRight   = 30 // for sample labels
	panelLegend  = 30
	panelTitle   = 18
	panelWave    = 81 // odd, so that there is a middle line
	panelTime    = 32
	panelHeight  = panelTitle + panelWave + panelTime
	panelMargins = panelLeft + panelRight
)

var (
	loopColour     = color.RGBA{0x22, 0x2f, 0x3a, 0xff}
	clippedColour  = color.RGBA{0xe0, 0x4f, 0x4f, 0xff}
	loudnessColour = color.RGBA{0xf2, 0xb1, 0x34, 0xff}
)

// picture is the image that panels are drawn into.
type picture struct{ *image.RGBA }

// fill sets the pixels of a rectangle to the color c. The rectangle reaches from (x0, y0) to (x1, y1), which is
// excluded.
func (p picture) fill(x0, y0, x1, y1 int, c color.Color) {
	draw.Draw(p, image.Rect(x0, y0, x1, y1), image.NewUniform(c), image.Point{}, draw.Src)
}

// Paint returns a picture of sounds: a legend, and a panel for each of rows that has no error. A panel shows the
// waveform, in red beyond full scale, and the loudness. The rows must come from Gather with Options.Portraits set.
// Paint does not change rows.
func Paint(rows []Row) image.Image {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Err != nil })
	p := picture{image.NewRGBA(image.Rect(0, 0, portraitColumns+panelMargins, len(rows)*panelHeight+panelLegend))}
	p.fill(0, 0, p.Rect.Dx(), p.Rect.Dy(), figurestyle.Background)
	x := panelLeft
	for _, e := range [...]struct {
		c    color.Color
		text string
	}{
		{figurestyle.Wave, "waveform, -1 to +1 (right)"}, {clippedColour, "beyond full scale"}, {loudnessColour, "loudness from there on, dB (left)"}, {loopColour, "loop"},
	} {
		p.fill(x, 10, x+14, 20, e.c)
		figurestyle.Write(p, x+19, 15+figurestyle.Height/2, e.text, figurestyle.Text)
		x += figurestyle.TextWidth(e.text) + 43
	}
	for i := range rows {
		p.panel(&rows[i], panelLegend+i*panelHeight)
	}
	return p.RGBA
}

// panel draws the sound of the row r: its title, axes, waveform and loudness. top is the y of the first row of pixels.
// r must have a portrait, the data for drawing.
func (p picture) panel(r *Row, top int) {
	figurestyle.Write(p, panelLeft, top+panelTitle-6, titleOf(*r), figurestyle.Text)
	top += panelTitle
	middle, bottom, right := top+panelWave/2, top+panelWave, panelLeft+portraitColumns
	p.fill(panelLeft, top, right, bottom, figurestyle.PlotBackground)
	p.fill(panelLeft+r.picture.loop[0], top, panelLeft+r.picture.loop[1], bottom, loopColour)
	for db := meterbar.Bottom; db <= meterbar.Top; db += 20 {
		y := min(top+levelRow(float64(db)), bottom-1)
		p.fill(panelLeft, y, right, y+1, figurestyle.Grid)
		label := fmt.Sprintf("%d dB", db)
		figurestyle.Write(p, panelLeft-5-figurestyle.TextWidth(label), y+figurestyle.Height/2, label, figurestyle.Text)
	}
	for i, label := range [...]string{"-1", "0", "+1"} {
		figurestyle.Write(p, right+5, middle-waveRow(float32(i-1))+figurestyle.Height/2, label, figurestyle.Text)
	}
	p.time(r.info.Seconds, top)
	for x := range portraitColumns {
		low, high := r.picture.low[x], r.picture.high[x]
		c := figurestyle.Wave
		if low < -1 || high > 1 {
			c = clippedColour
		}
		p.fill(panelLeft+x, middle-waveRow(high), panelLeft+x+1, middle-waveRow(low)+1, c)
	}
	last := levelRow(r.picture.level[0])
	for x := range portraitColumns {
		y := levelRow(r.picture.level[x])
		if y < panelWave || last < panelWave {
			p.fill(panelLeft+x, top+min(y, last, panelWave-1), panelLeft+x+1, top+min(max(y, last)+1, panelWave), loudnessColour)
		}
		last = y
	}
}

// time draws the lines and labels of the time axis below a waveform. seconds is the length of the sound; for 0 it
// draws no axis. top is the y of the upper edge of the waveform in pixels.
func (p picture) time(seconds float64, top int) {
	if !(seconds > 0) {
		return
	}
	perSecond := portraitColumns / seconds
	step := figurestyle.TimeStep(perSecond)
	for k := 0; float64(k)*step <= seconds; k++ {
		x := panelLeft + min(int(math.Round(float64(k)*step*perSecond)), portraitColumns-1)
		p.fill(x, top, x+1, top+panelWave+4, figurestyle.Grid)
		label := figurestyle.TimeLabel(float64(k)*step, step)
		figurestyle.Write(p, min(x, p.Rect.Dx()-figurestyle.TextWidth(label)), top+panelWave+4+figurestyle.Height+2, label, figurestyle.Text)
	}
}

// waveRow returns how many pixels the sample x is above the middle line of a waveform; below the line the number is
// negative. Samples beyond -1 and 1 are clamped.
func waveRow(x float32) int { return int(math.Round(float64(min(max(x, -1), 1)) * (panelWave / 2))) }

// levelRow returns the vertical position of the level db, in dB, in pixels from the top of a waveform. It is 0 at 0 dB
// or above. At -60 dB or below, and for NaN, it is panelWave, the first row below the waveform.
func levelRow(db float64) int {
	if !(db > meterbar.Bottom) {
		return panelWave
	}
	return int(math.Round((meterbar.Top - min(db, meterbar.Top)) / (meterbar.Top - meterbar.Bottom) * (panelWave - 1)))
}

// titleOf returns the text above the drawing of a sound. It has the name, format, channels, rate, length, true peak,
// loudness and size of the row r.
func titleOf(r Row) string {
	i := r.info
	return fmt.Sprintf("%s  %s  %d ch  %d Hz  %s  peak %s dB  %s LUFS  %s",
		cmp.Or(r.name, r.info.Name), strings.TrimSpace(i.Format+" "+i.Encoding), i.Channels, i.Rate, Length(i.Seconds),
		words.Level(float64(i.TruePeak)), words.Level(float64(i.Loudness)), bytesOf(i.Bytes))
}
