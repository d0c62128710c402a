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

	"voicepool/cmd/internal/bar"
	"voicepool/cmd/internal/ink"
	"voicepool/internal/words"
	"voicepool/pcm"
	"voicepool/voice"
)

// portraitColumns is how wide a waveform is drawn, in pixels.
const portraitColumns = 960

// portrait is what a picture shows of a sound, by column.
type portrait struct {
	low, high [portraitColumns]float32 // the waveform, all channels
	level     [portraitColumns]float64 // the loudness index in dB: how loud it is going to be
	loop      [2]int                   // the columns that repeat; none where both are equal
}

// portray gathers it. looped says that its loop is one that it was made for.
func portray(s *voice.Sound, looped bool) *portrait {
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

// The measures of a panel, in pixels.
const (
	panelMargin = 20
	panelTitle  = 18
	panelWave   = 81 // odd: there is a middle line
	panelHeight = panelTitle + panelWave + 17
)

var (
	repeats = color.RGBA{0x22, 0x2f, 0x3a, 0xff}
	over    = color.RGBA{0xe0, 0x4f, 0x4f, 0xff}
	loud    = color.RGBA{0xf2, 0xb1, 0x34, 0xff}
)

// Paint draws a panel for each row that could be loaded: the waveform from -1 to +1, red where it
// goes beyond, and over it the loudness index from -60 dB at the bottom to 0 at
// the top, with lines at -20 and -40.
func Paint(rows []Row) image.Image {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Err != nil })
	img := image.NewRGBA(image.Rect(0, 0, portraitColumns+2*panelMargin, len(rows)*panelHeight+panelMargin))
	fill := func(x0, y0, x1, y1 int, c color.Color) {
		draw.Draw(img, image.Rect(x0, y0, x1, y1), image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(0, 0, img.Rect.Dx(), img.Rect.Dy(), ink.Paper)
	for i, r := range rows {
		top := i*panelHeight + panelMargin/2
		ink.Write(img, panelMargin, top+panelTitle-6, titleOf(r), ink.Words)
		top += panelTitle
		middle := top + panelWave/2
		fill(panelMargin, top, panelMargin+portraitColumns, top+panelWave, ink.Field)
		fill(panelMargin+r.picture.loop[0], top, panelMargin+r.picture.loop[1], top+panelWave, repeats)
		for _, db := range []float64{-40, -20} {
			y := top + levelRow(db)
			fill(panelMargin, y, panelMargin+portraitColumns, y+1, ink.Lines)
		}
		for x := range portraitColumns {
			low, high := r.picture.low[x], r.picture.high[x]
			c := ink.Wave
			if low < -1 || high > 1 {
				c = over
			}
			fill(panelMargin+x, middle-waveRow(high), panelMargin+x+1, middle-waveRow(low)+1, c)
		}
		last := levelRow(r.picture.level[0])
		for x := range portraitColumns {
			y := levelRow(r.picture.level[x])
			if y < panelWave || last < panelWave {
				fill(panelMargin+x, top+min(y, last, panelWave-1), panelMargin+x+1, top+min(max(y, last)+1, panelWave), loud)
			}
			last = y
		}
	}
	return img
}

// waveRow is how many rows a sample lies above the middle.
func waveRow(x float32) int { return int(math.Round(float64(min(max(x, -1), 1)) * (panelWave / 2))) }

// levelRow is the row of a level in dB, from the top; panelWave is below all.
func levelRow(db float64) int {
	if !(db > bar.Bottom) {
		return panelWave
	}
	return int(math.Round((bar.Top - min(db, bar.Top)) / (bar.Top - bar.Bottom) * (panelWave - 1)))
}

func titleOf(r Row) string {
	i := r.info
	return fmt.Sprintf("%s  %s  %d ch  %d Hz  %s  peak %s dB  %s LUFS  %s",
		cmp.Or(r.name, r.info.Name), strings.TrimSpace(i.Format+" "+i.Encoding), i.Channels, i.Rate, Length(i.Seconds),
		words.Level(float64(i.TruePeak)), words.Level(float64(i.Loudness)), bytesOf(i.Bytes))
}
