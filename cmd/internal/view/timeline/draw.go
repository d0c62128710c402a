package timeline

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"unicode/utf8"

	"voicepool/cmd/internal/view/figurestyle"
	"voicepool/mixer"
)

// drawTimeline draws t and returns the canvas with the drawing. It gets the canvas from newCanvas, with the needed
// size in pixels. Before that, it calls newCanvas once for a small canvas that only measures texts. More than 4,096
// rows are an error.
func drawTimeline(t *Timeline, newCanvas func(width, height int) canvas) (canvas, error) {
	if t.slots+t.lanes > maxTimeRows {
		return nil, fmt.Errorf("%d voices at once are more than a picture shows (%d); an .html file can be scrolled", t.slots+t.lanes, maxTimeRows)
	}
	s := layTimeline(t, newCanvas(1, 1))
	s.c = newCanvas(s.width+timeLeft+timeRight, s.height)
	s.c.fill(0, 0, float64(s.width+timeLeft+timeRight), float64(s.height), figurestyle.Background, 1)
	s.drawBackground()
	s.c.layer()
	s.drawRibbons()
	s.c.layer()
	s.drawLosses()
	s.drawGaps()
	s.drawLost()
	s.drawStrips()
	s.c.layer()
	s.drawNames()
	return s.c, nil
}

// x returns the horizontal position of frame in pixels from the left edge of the drawing.
func (s *timeSheet) x(frame int64) float64 { return timeLeft + float64(frame)*s.perFrame }

// y returns the vertical position of the row with the voice part p, in pixels: its top edge and its height.
func (s *timeSheet) y(p *part) (y, h float64) {
	if p.virtual {
		return s.laneTop + s.lane*float64(p.row), s.lane - 1
	}
	return s.slotTop + s.row*float64(p.row), s.row - 1
}

// opacity returns the opacity for drawing a voice at frame: 0.1 to 1 in steps of 0.1, the more audible the higher.
// number identifies the voice. If no levels were recorded, the result is 0.6. If only this voice has no levels, it is
// 0.1.
func (s *timeSheet) opacity(number uint64, frame int64) float64 {
	if s.levels == nil {
		return 0.6
	}
	db, known := s.levels.at(number, frame)
	if !known {
		return 0.1
	}
	// Rounding to steps makes them distinguishable, and keeps stretches of equal opacity long.
	x := 0.1 + 0.9*min(max((db-s.bottom)/(s.scale-s.bottom), 0), 1)
	return math.Round(x*10) / 10
}

// drawBackground draws everything below the voices: the title, the summary, the key, the legend, the empty rows, the
// time axis and the labels.
func (s *timeSheet) drawBackground() {
	s.c.text(timeLeft, 14, shorten(s.title, 90), bright)
	s.c.text(timeLeft, 32, s.summary(), figurestyle.Text)
	s.drawKey(timeLeft, 50)
	for i, line := range s.legend {
		x := float64(timeLeft)
		y := float64(timeHead + 6 + timeLegend*i)
		for _, e := range line {
			if e.sound >= 0 {
				s.c.fill(x, y-5, 14, 10, soundColour(e.sound), 1)
			}
			s.c.text(x+19, y, e.text, figurestyle.Text)
			x += float64(s.c.span(e.text) + 34)
		}
	}
	for row := range max(s.slots, 1) {
		s.c.fill(timeLeft, s.slotTop+s.row*float64(row), float64(s.width), s.row-1, figurestyle.PlotBackground, 1)
	}
	for lane := range s.lanes {
		s.c.fill(timeLeft, s.laneTop+s.lane*float64(lane), float64(s.width), s.lane-1, laneField, 1)
	}
	if len(s.lost) > 0 {
		s.c.fill(timeLeft, s.lostTop, float64(s.width), timeStrip, figurestyle.PlotBackground, 1)
	}
	s.c.fill(timeLeft, s.countTop, float64(s.width), timeStrip, figurestyle.PlotBackground, 1)
	if s.levels != nil {
		s.c.fill(timeLeft, s.levelTop, float64(s.width), timeStrip, figurestyle.PlotBackground, 1)
	}
	step := figurestyle.TimeStep(float64(s.head.Rate) * s.perFrame)
	for k := 0; float64(k)*step <= s.seconds()+1e-9; k++ {
		at := float64(k) * step
		x := timeLeft + at*float64(s.head.Rate)*s.perFrame
		top := float64(timeHead + timeLegend*len(s.legend))
		s.c.fill(x, top+timeAxis-4, 1, s.axisBottom-top-timeAxis+8, figurestyle.Grid, 0.8)
		label := figurestyle.TimeLabel(at, step)
		s.c.text(x+2, top+7, label, figurestyle.Text)
		s.c.text(x+2, s.axisBottom+11, label, figurestyle.Text)
	}
	lane := "refused"
	if refused, _ := s.refusals(); !refused {
		lane = "coalesced"
	}
	for _, l := range [...]struct {
		y    float64
		text string
		draw bool
	}{
		{s.refusedTop + 7, lane, len(s.marks) > 0}, {s.lostTop + 7, "lost dB", len(s.lost) > 0}, {s.countTop + 7, "voices", true}, {s.levelTop + 7, "peak dB", s.levels != nil},
	} {
		if l.draw {
			s.c.text(2, l.y, l.text, figurestyle.Text)
		}
	}
	every := 1
	for float64(every)*s.row < 12 {
		every *= 2
	}
	for row := 0; row < s.slots; row += every {
		s.besideRow(s.slotTop+s.row*(float64(row)+0.5), fmt.Sprint(row), faint)
	}
	if s.lanes > 0 {
		s.c.text(2, s.laneTop+max(s.lane*float64(s.lanes)/2, 4), "virtual", virtualColour)
	}
}

// besideRow writes text in the color c into the margin on the left of the rows, aligned to its right end. y is the
// vertical center in pixels.
func (s *timeSheet) besideRow(y float64, text string, c color.RGBA) {
	s.c.text(float64(timeLeft-s.c.span(text)-4), y, text, c)
}

// drawKey draws the key of the drawing in one line. It explains the colored marks that occur in the drawing, and the
// opacities of voices. x is the left edge and y the vertical center of the line, in pixels.
func (s *timeSheet) drawKey(x, y float64) {
	refused, coalesced := s.refusals()
	for _, e := range [...]struct {
		mark color.RGBA
		text string
		draw bool
	}{
		{stolenColour, "stolen", true}, {virtualColour, "to virtual", s.lanes > 0}, {realColour, "back", s.lanes > 0},
		{stolenColour, "shaded: no sound", len(s.gaps) > 0},
		{refusedColour, "refused", refused}, {faint, "coalesced: a part of another start", coalesced},
	} {
		if e.draw {
			s.c.fill(x, y-6, 3, 12, e.mark, 1)
			s.c.text(x+8, y, e.text, figurestyle.Text)
			x += float64(s.c.span(e.text)) + 26
		}
	}
	if s.levels == nil {
		s.c.text(x, y, "levels were not recorded", faint)
		return
	}
	for k := 1; k <= 10; k++ {
		s.c.fill(x+12*float64(k-1), y-6, 12, 12, figurestyle.Wave, float64(k)/10)
	}
	s.c.text(x+126, y, fmt.Sprintf("audibility %.0f to %.0f dB", s.bottom, s.scale), figurestyle.Text)
}

// drawRibbons draws every voice as bars in its row, in the color of its sound. The more audible the voice, the more
// opaque the bar. Bars of times when the voice was virtual are fainter. A bar of a voice in a slot begins with a fully
// opaque line.
func (s *timeSheet) drawRibbons() {
	step := int64(1 << 62)
	if s.levels != nil {
		step = s.levels.step
	}
	for i := range s.ribbons {
		r := &s.ribbons[i]
		c := soundColour(r.sound)
		for j := range r.parts {
			p := &r.parts[j]
			y, h := s.y(p)
			dim := 1.0
			if p.virtual {
				dim = 0.6
			}
			start, alpha := p.from, s.opacity(r.number, p.from)
			for f := (p.from/step + 1) * step; f < p.to && step < 1<<62; f += step {
				if next := s.opacity(r.number, f); next != alpha {
					s.drawBar(start, f, y, h, c, alpha*dim)
					start, alpha = f, next
				}
			}
			s.drawBar(start, p.to, y, h, c, alpha*dim)
			if !p.virtual {
				s.c.fill(s.x(p.from), y, 1, h, c, 1)
			}
		}
	}
}

// drawBar draws a piece of a voice as a rectangle between two frames of the time axis, in the color c with the opacity
// alpha. y is its top edge and h its height in pixels. A rectangle narrower than 0.1 pixel is not drawn.
func (s *timeSheet) drawBar(from, to int64, y, h float64, c color.RGBA, alpha float64) {
	if w := float64(to-from) * s.perFrame; w >= 0.1 {
		s.c.fill(s.x(from), y, w, h, c, alpha)
	}
}

// drawLosses marks the moments when voices lost their slots. If levels were recorded, marks of more audible voices are
// more opaque. A line leads to the voice that got the slot, if that is in another row. drawLosses also marks restored
// voices and draws lines between the rows of one voice. Starts that got no voice are marked in a row of their own.
func (s *timeSheet) drawLosses() {
	dim := s.crowding()
	for i := range s.ribbons {
		r := &s.ribbons[i]
		for _, l := range r.losses {
			k := slices.IndexFunc(r.parts, func(p part) bool { return p.to == l.frame }) // the part that ends with the loss
			if k < 0 {
				continue
			}
			p, c := &r.parts[k], stolenColour
			if l.virtual {
				c = virtualColour
			}
			alpha := 0.85
			if s.levels != nil {
				alpha = 0.2 + 0.8*min(max((l.level-s.bottom)/(s.scale-s.bottom), 0), 1)
			}
			y, h := s.y(p)
			x := s.x(l.frame)
			s.c.fill(x-1, y, 2, h, c, alpha)
			if by := s.find(l.by); by != nil {
				if to := by.partAt(l.frame); to != nil && (to.row != p.row || to.virtual != p.virtual) {
					s.link(x, p, to, c, alpha*dim/2)
				}
			}
		}
		for j := 1; j < len(r.parts); j++ {
			p, before := &r.parts[j], &r.parts[j-1]
			if !p.virtual {
				y, h := s.y(p)
				s.c.fill(s.x(p.from), y, 2, h, realColour, 0.9)
			}
			s.link(s.x(p.from), before, p, soundColour(r.sound), 0.4*dim)
		}
	}
	for _, m := range s.marks {
		x := s.x(m.frame)
		c := refusedColour
		if m.kind == mixer.EventCoalesced {
			c = faint
		}
		s.c.fill(x-1, s.refusedTop, 2, 6, c, 0.9)
		s.c.fill(x-1, s.refusedTop+7, 2, 6, soundColour(m.sound), 0.9)
	}
}

// drawGaps shades all rows during gaps in the audio output, and writes the reason into each gap that is wide enough.
func (s *timeSheet) drawGaps() {
	bottom := s.laneTop + s.lane*float64(s.lanes)
	for i := range s.gaps {
		g := &s.gaps[i]
		x, w := s.x(g.From), max(float64(g.To-g.From)*s.perFrame, 1)
		s.c.fill(x, s.slotTop, w, max(bottom, s.slotTop+s.row)-s.slotTop, stolenColour, 0.25)
		if text := shorten(g.Text(s.head), 90); float64(s.c.span(text)+8) <= w {
			s.c.text(x+4, s.slotTop+letterHeight/2+2, text, bright)
		}
	}
}

// crowding returns a factor for the opacity of the lines between rows, because many lines would hide the voices. It is
// 1, or less if the drawing has many lines.
func (s *timeSheet) crowding() float64 {
	n := 0
	for i := range s.ribbons {
		n += len(s.ribbons[i].losses) + len(s.ribbons[i].parts) - 1
	}
	return min(1, 0.05*float64(s.width)/float64(max(n, 1)))
}

// link draws a vertical line at x, in pixels, that fills the space between the rows of two voice parts. Its color is c
// and its opacity alpha. If the rows touch or are the same, it draws no line.
func (s *timeSheet) link(x float64, from, to *part, c color.RGBA, alpha float64) {
	y0, h0 := s.y(from)
	y1, h1 := s.y(to)
	a, b := y0+h0, y1
	if y1 < y0 {
		a, b = y1+h1, y0
	}
	if b > a {
		s.c.fill(x, a, 1, b-a, c, alpha)
	}
}

// drawStrips draws the strip below the rows that shows the numbers of real and virtual voices over time, with a line
// at the pool size. If levels were recorded, it draws another strip with the peaks of the mix.
func (s *timeSheet) drawStrips() {
	real, virtual := s.counts(s.width)
	most := int64(max(s.head.Voices, 1))
	for x := range real {
		most = max(most, real[x]+virtual[x])
	}
	high := func(n int64) float64 { return float64(timeStrip) * float64(n) / float64(most) }
	bottom, pool := s.countTop+timeStrip, int64(s.head.Voices)
	s.columns(figurestyle.Wave, 0.8, func(x int) (y, h float64) { return bottom - high(real[x]), high(real[x]) })
	s.columns(virtualColour, 0.45, func(x int) (y, h float64) { return bottom - high(real[x]+virtual[x]), high(virtual[x]) })
	s.c.fill(timeLeft, bottom-high(pool), float64(s.width), 1, stolenColour, 0.6)
	s.besideRow(max(bottom-high(pool), s.countTop+letterHeight/2), fmt.Sprint(s.head.Voices), stolenColour)
	if s.levels == nil {
		return
	}
	bottom = s.levelTop + timeStrip
	s.columns(realColour, 0.55, func(x int) (y, h float64) {
		peak := s.levels.peak(int64(float64(x)/s.perFrame), int64(float64(x+1)/s.perFrame))
		h = timeStrip * share(peak)
		return bottom - h, h
	})
	s.scaleOf(bottom)
}

// columns draws a bar chart with a column of 1 pixel for each pixel of the time axis, in the color c with the opacity
// alpha. The function column returns the top edge and the height of column x, counted from the left end of the axis.
// It may be called several times for the same x. Equal neighbours are merged into one rectangle.
func (s *timeSheet) columns(c color.RGBA, alpha float64, column func(x int) (y, h float64)) {
	start := 0
	for x := 1; x <= s.width; x++ {
		y, h := column(start)
		if x < s.width {
			if nextY, nextH := column(x); nextY == y && nextH == h {
				continue
			}
		}
		if h > 0 {
			s.c.fill(timeLeft+float64(start), y, float64(x-start), h, c, alpha)
		}
		start = x
	}
}

// drawNames writes the name of the sound into each bar of a voice that has a slot and is wide enough. The number of
// the voice follows if it fits. Long names are cut. If the rows are too low for letters, drawNames has no effect.
func (s *timeSheet) drawNames() {
	if s.row < letterHeight+3 {
		return
	}
	for i := range s.ribbons {
		r := &s.ribbons[i]
		for j := range r.parts {
			p := &r.parts[j]
			if p.virtual {
				continue
			}
			room := int(math.Floor(float64(p.to-p.from)*s.perFrame)) - 6
			name := s.names[r.sound]
			if number := fmt.Sprintf(" #%d", r.number); s.c.span(name+number) <= room {
				name += number
			}
			if s.c.span(name) > room {
				if name = s.cut(name, room); utf8.RuneCountInString(name) < 4 { // two of them are dots
					continue
				}
			}
			y, h := s.y(p)
			s.c.name(s.x(p.from)+4, y+h/2, name)
		}
	}
}

// cut shortens text and appends ".." so that both together are at most room pixels wide. If not even one letter fits,
// it returns "". It appends ".." even if the whole text fits.
func (s *timeSheet) cut(text string, room int) string {
	for letters := []rune(text); len(letters) > 0; letters = letters[:len(letters)-1] {
		if cut := string(letters) + ".."; s.c.span(cut) <= room {
			return cut
		}
	}
	return ""
}
