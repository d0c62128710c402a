package timeline

import (
	"fmt"
	"math"

	"voicepool/internal/words"
)

// The dimensions of a timeline in pixels.
const (
	timeLeft, timeRight = 96, 64
	timeHead            = 62 // title, summary and key
	timeLegend          = 18 // a line of the legend
	timeAxis            = 18
	timeStrip           = 54
	timeGap             = 10

	// The time axis is timeUsual wide. If a second would be narrower than timeLeast, the axis
	// grows, up to timeMost.
	timeUsual, timeLeast, timeMost = 1600, 40, 16000

	// maxTimeRows is the maximum number of rows in a picture.
	maxTimeRows = 4096
)

// timeSheet is the layout of a timeline on a canvas.
type timeSheet struct {
	*Timeline
	c             canvas
	names         []string // of sounds, made unique
	width         int      // of the time axis
	perFrame      float64  // pixels
	row, lane     float64  // heights
	slotTop       float64
	laneTop       float64
	refusedTop    float64
	lostTop       float64
	countTop      float64
	levelTop      float64
	axisBottom    float64
	height        int
	legend        [][]legendEntry
	bottom, scale float64 // the levels of least and full opacity
}

type legendEntry struct {
	sound int // -1: a text without a sound
	text  string
}

// distinct returns the names of sounds in the same order, each on one line and unique. A name that occurs several
// times gets its number in the list, from 1, as a prefix, such as "2:rain".
func distinct(sounds []string) []string {
	seen := map[string]int{}
	for _, name := range sounds {
		seen[words.OneLine(name)]++
	}
	names := make([]string, len(sounds))
	for i, name := range sounds {
		names[i] = words.OneLine(name)
		if seen[names[i]] > 1 {
			names[i] = fmt.Sprintf("%d:%s", i+1, names[i])
		}
	}
	return names
}

// seconds returns the length of the timeline in seconds.
func (s *timeSheet) seconds() float64 { return float64(s.head.Frames) / float64(s.head.Rate) }

// layTimeline computes the layout of t: the positions and sizes of its rows, strips and legend in pixels. It uses c
// only to measure texts. Before drawing, the caller replaces the field c of the result with the canvas to draw on.
func layTimeline(t *Timeline, c canvas) *timeSheet {
	s := &timeSheet{Timeline: t, names: distinct(t.sounds), c: c}
	length := max(s.seconds(), 1e-3)
	s.width = int(min(max(timeUsual, timeLeast*length), timeMost))
	s.perFrame = float64(s.width) / (length * float64(s.head.Rate))
	switch {
	case s.slots <= 40:
		s.row = 20
	case s.slots <= 160:
		s.row = 13
	case s.slots <= 512:
		s.row = 6
	default:
		s.row = 2
	}
	s.lane = max(math.Floor(s.row*0.55), 2)
	if s.levels != nil {
		s.bottom, s.scale = s.levels.scale()
	}
	s.layLegend()
	y := float64(timeHead + timeLegend*len(s.legend) + timeAxis)
	s.refusedTop = y
	if len(s.marks) > 0 {
		y += 16
	}
	s.slotTop = y
	y += s.row * float64(max(s.slots, 1))
	s.laneTop = y + 4
	if s.lanes > 0 {
		y += 4 + s.lane*float64(s.lanes)
	}
	if s.lostTop = y + timeGap; len(s.lost) > 0 {
		y = s.lostTop + timeStrip
	}
	s.countTop = y + timeGap
	y = s.countTop + timeStrip
	s.levelTop = y + timeGap
	if s.levels != nil {
		y = s.levelTop + timeStrip
	}
	s.axisBottom = y
	s.height = int(y) + timeAxis + 8
	return s
}

// layLegend appends the lines of the legend to s.legend. They have the names of the 40 most frequent sounds, and an
// entry with the number of further sounds. s.width must be set.
func (s *timeSheet) layLegend() {
	var line []legendEntry
	x := 0
	room := min(s.width, timeUsual)
	add := func(e legendEntry) {
		w := s.c.span(e.text) + 34
		if x+w > room && line != nil {
			s.legend = append(s.legend, line)
			line, x = nil, 0
		}
		line, x = append(line, e), x+w
	}
	for i, name := range s.names {
		if i == 40 {
			add(legendEntry{-1, fmt.Sprintf("and %s more", words.Count(len(s.sounds)-i, "sound"))})
			break
		}
		add(legendEntry{i, shorten(name, 24)})
	}
	if line != nil {
		s.legend = append(s.legend, line)
	}
}

// shorten returns text, cut to at most as many letters as the parameter most. A cut text ends with "..", which counts
// as two of them. most must be at least 2.
func shorten(text string, most int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return text
	}
	return string(letters[:most-2]) + ".."
}
