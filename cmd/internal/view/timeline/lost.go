package timeline

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"

	"voicepool/cmd/internal/view/figurestyle"
	"voicepool/mixer"
)

// lostByLevel returns a copy of t.lost, the stolen voices and rejected starts, sorted from quiet to loud. Equal levels
// are sorted from late to early. Drawn in this order, the most important losses are on top.
func (t *Timeline) lostByLevel() []lost {
	return slices.SortedStableFunc(slices.Values(t.lost), func(a, b lost) int { return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(b.frame, a.frame)) })
}

// drawLost draws the strip of losses: a vertical line for each stolen voice or rejected start, as high as its level.
// The loudest of them gets a label with its sound and level, if it is above silence. If t.lost is empty, it draws no
// strip.
func (s *timeSheet) drawLost() {
	if len(s.lost) == 0 {
		return
	}
	bottom := s.lostTop + timeStrip
	s.scaleOf(bottom)
	all := s.lostByLevel()
	for i := range all {
		l := &all[i]
		h := max(timeStrip*share(l.level), 1)
		s.c.fill(s.x(l.frame)-1, bottom-h, 2, h, l.colour(), 0.9)
	}
	worst := &all[len(all)-1]
	if worst.level <= inaudible {
		return
	}
	name := "worst: " + s.names[worst.sound]
	if worst.voice > 0 {
		name += fmt.Sprintf(" #%d", worst.voice)
	}
	name += fmt.Sprintf(" at %.0f dB", worst.level)
	x := s.x(worst.frame) + 5
	if span := float64(s.c.span(name)); x+span > float64(timeLeft+s.width) {
		x = max(x-span-10, timeLeft)
	}
	s.c.name(x, s.lostTop+7, name)
}

// colour returns the color for the kind of loss l. Stolen voices, voices that became virtual, and other losses such as
// rejected starts have different colors.
func (l *lost) colour() color.RGBA {
	switch l.kind {
	case mixer.EventStolen:
		return stolenColour
	case mixer.EventVirtual:
		return virtualColour
	}
	return refusedColour
}

// The range of levels in strips, in dB.
const peakBottom, peakTop = -60, 0

// share returns the height of the level db, in dB, in a strip of levels, from 0 to 1. It is 0 at -60 dB or below and 1
// at 0 dB or above.
func share(db float64) float64 {
	return min(max((db-peakBottom)/(peakTop-peakBottom), 0), 1)
}

// scaleOf draws the scale of a strip of levels: a horizontal line with a label at -20 dB and at -40 dB. bottom is the
// y of the strip's lower edge in pixels.
func (s *timeSheet) scaleOf(bottom float64) {
	for _, db := range [...]float64{-20, -40} {
		y := bottom - timeStrip*share(db)
		s.c.fill(timeLeft, y, float64(s.width), 1, figurestyle.Grid, 1)
		s.besideRow(y, fmt.Sprintf("%.0f", db), faint)
	}
}
