package timeline

import (
	"fmt"
	"image/color"
	"math"
	"unicode/utf8"

	"voicepool/cmd/internal/ink"
	"voicepool/mixer"
)

// stretch draws a part of a ribbon; one too short to be seen is left to the line
// at its beginning.
func (s *timeSheet) stretch(from, to int64, y, h float64, c color.RGBA, alpha float64) {
	if w := float64(to-from) * s.perFrame; w >= 0.1 {
		s.c.fill(s.x(from), y, w, h, c, alpha)
	}
}

// drawLosses marks where voices gave way, the brighter the more was heard of
// them, and links them with who took their place.
func (s *timeSheet) drawLosses() {
	dim := s.crowding()
	for i := range s.ribbons {
		r := &s.ribbons[i]
		for _, l := range r.losses {
			p := r.lostPart(l.frame)
			if p == nil {
				continue
			}
			c := stolenColour
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

// crowding returns how much fainter links are than they would be if they were
// few: where they stand close to each other they hide what they link.
func (s *timeSheet) crowding() float64 {
	n := 0
	for i := range s.ribbons {
		n += len(s.ribbons[i].losses) + len(s.ribbons[i].parts) - 1
	}
	return min(1, 0.05*float64(s.width)/float64(max(n, 1)))
}

// lostPart returns the part in which a voice was until a frame.
func (r *ribbon) lostPart(frame int64) *part {
	for i := range r.parts {
		if p := &r.parts[i]; p.to == frame {
			return p
		}
	}
	return nil
}

// link draws a line from the row of a part to that of another.
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

// The peaks that the strip below shows, in dB.
const peakBottom, peakTop = -60, 0

// drawStrips draws how many voices there were, and the peaks of the mix.
func (s *timeSheet) drawStrips() {
	real, virtual := s.counts(s.width)
	most := int64(max(s.head.Voices, 1))
	for x := range real {
		most = max(most, real[x]+virtual[x])
	}
	high := func(n int64) float64 { return float64(timeStrip) * float64(n) / float64(most) }
	bottom, pool := s.countTop+timeStrip, int64(s.head.Voices)
	s.columns(ink.Wave, 0.8, func(x int) (y, h float64) { return bottom - high(real[x]), high(real[x]) })
	s.columns(virtualColour, 0.45, func(x int) (y, h float64) { return bottom - high(real[x]+virtual[x]), high(virtual[x]) })
	s.c.fill(timeLeft, bottom-high(pool), float64(s.width), 1, stolenColour, 0.6)
	s.besideRow(max(bottom-high(pool), s.countTop+tall/2), fmt.Sprint(s.head.Voices), stolenColour)
	if s.levels == nil {
		return
	}
	bottom = s.levelTop + timeStrip
	s.columns(realColour, 0.55, func(x int) (y, h float64) {
		peak := s.levels.peak(int64(float64(x)/s.perFrame), int64(float64(x+1)/s.perFrame))
		h = timeStrip * min(max((peak-peakBottom)/(peakTop-peakBottom), 0), 1)
		return bottom - h, h
	})
	for _, db := range [...]float64{-20, -40} {
		y := bottom - timeStrip*(db-peakBottom)/(peakTop-peakBottom)
		s.c.fill(timeLeft, y, float64(s.width), 1, ink.Lines, 1)
		s.besideRow(y, fmt.Sprintf("%.0f", db), faint)
	}
}

// columns draws a column for each pixel of time; those that are alike are one.
func (s *timeSheet) columns(c color.RGBA, alpha float64, column func(x int) (y, h float64)) {
	begin := 0
	for x := 1; x <= s.width; x++ {
		y, h := column(begin)
		if x < s.width {
			if nextY, nextH := column(x); nextY == y && nextH == h {
				continue
			}
		}
		if h > 0 {
			s.c.fill(timeLeft+float64(begin), y, float64(x-begin), h, c, alpha)
		}
		begin = x
	}
}

func (s *timeSheet) drawNames() {
	if s.row < tall+3 {
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
				if name = s.cut(name, room); utf8.RuneCountInString(name) < 4 { // of which two are points
					continue
				}
			}
			y, h := s.y(p)
			s.c.name(s.x(p.from)+4, y+h/2, name)
		}
	}
}

// cut returns what there is room for of a text that is too long.
func (s *timeSheet) cut(text string, room int) string {
	for letters := []rune(text); len(letters) > 0; letters = letters[:len(letters)-1] {
		if cut := string(letters) + ".."; s.c.span(cut) <= room {
			return cut
		}
	}
	return ""
}
