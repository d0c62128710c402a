package showtui

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/cmd/internal/view/cellwidth"
	"voicepool/cmd/internal/view/meterbar"
	"voicepool/internal/words"
)

var (
	plain    = tcell.StyleDefault
	dim      = plain.Dim(true)
	bold     = plain.Bold(true)
	head     = plain.Reverse(true)
	next     = plain.Reverse(true).Bold(true)
	sounding = plain.Foreground(tcell.ColorGreen)
	waiting  = plain.Foreground(tcell.ColorYellow)
	alarm    = plain.Foreground(tcell.ColorRed).Bold(true)
	colours  = map[string]tcell.Color{
		"red": tcell.ColorRed, "green": tcell.ColorGreen, "yellow": tcell.ColorYellow, "blue": tcell.ColorBlue,
		"purple": tcell.ColorPurple, "orange": tcell.ColorOrange, "grey": tcell.ColorGray, "gray": tcell.ColorGray, "pink": tcell.ColorPink,
	}
)

// put draws text on the terminal t in the given style, from column x in row y. A shorter text is padded with spaces to
// exactly width columns, and a longer one is cut and ends with an ellipsis. Characters without a width are left out. If
// width is 0 or less, put has no effect. The text becomes visible with the next t.Show.
func put(t tcell.Screen, x, y, width int, text string, style tcell.Style) {
	if width <= 0 {
		return
	}
	state := -1
	for rest := cellwidth.Pad(text, width); rest != ""; {
		var letter string
		var letterWidth int
		letter, rest, letterWidth, state = uniseg.FirstGraphemeClusterInString(rest, state)
		runes := []rune(letter)
		if letterWidth == 0 { // for example, a control character
			continue
		}
		t.SetContent(x, y, runes[0], runes[1:], style)
		x += letterWidth
	}
}

// keys is the help text of the key ?.
var keys = []string{
	"Space   GO", "Up Down standby", "G       standby by number", "L       load to a time within it", "Esc     panic: a fade of 1 s; again: at once", "S       stop with a fade of 2 s",
	"P       pause and resume everything", "[ ]     trim the cue by 1 dB", "W       write the trims into the sheet", "+ -     master by 1 dB",
	"M       mute a bus", "Q Q     end the show", "Ctrl-C  leave it (attach)", "any key goes back",
}

// draw draws the whole screen into t: the head, the cue list, the buses and voices, and the foot. The buses and voices
// are left out if t has less than 76 columns. If s.showHelp is set, the help of the keys replaces the parts below the
// head.
//
// On a terminal of less than 20 columns or 6 rows, and before the first state, draw only draws a message. The caller
// must call t.Show.
func (s *screen) draw(t tcell.Screen) {
	t.Clear()
	w, h := t.Size()
	if w < 20 || h < 6 {
		put(t, 0, 0, w, "too small", alarm)
		return
	}
	st := s.state
	if st == nil {
		put(t, 0, 0, w, "waiting for the show", plain)
		return
	}
	s.drawHead(t, w)
	if s.showHelp {
		for i, k := range keys {
			if 2+i < h {
				put(t, 1, 2+i, w-1, k, plain)
			}
		}
		return
	}
	list, side := w, 0
	if w >= 76 {
		side = min(w*2/5, 48)
		list = w - side - 1
	}
	bottom := 2 // rows for the cue on standby and messages
	s.drawList(t, list, 2, h-bottom)
	if side > 0 {
		s.drawSide(t, list+1, side, 2, h-bottom)
	}
	s.drawFoot(t, w, h)
}

// drawHead draws the first two rows of the terminal t, which has w columns. The first row has the show and its time,
// and the device if there is room. The second row reports a loss of sound or a pause, or else the levels of the buses.
func (s *screen) drawHead(t tcell.Screen, w int) {
	st := s.state
	text := fmt.Sprintf(" %s  %s", words.OneLine(st.Show), clock(st.Time))
	output := st.Device
	if st.Sink != "" {
		output += " " + st.Sink
	}
	output = fmt.Sprintf("%s, %s, %.0f ms ", output, st.OutputState, st.LatencyMS)
	if gap := w - cellwidth.Width(text) - cellwidth.Width(output); gap > 0 {
		text += strings.Repeat(" ", gap) + output
	}
	put(t, 0, 0, w, text, head)
	switch {
	case st.Lost != "":
		put(t, 0, 1, w, " NO SOUND "+words.OneLine(st.Lost), alarm)
	case st.Paused:
		put(t, 0, 1, w, " PAUSED: P resumes", waiting.Bold(true))
	default:
		put(t, 0, 1, w, s.levels(w), dim)
	}
}

// levels returns the names and peak levels of the buses in one line. It stops before the first bus that does not fit
// into w columns. For a muted bus the line has the word muted in place of the level. s.state must not be nil.
func (s *screen) levels(w int) string {
	line := ""
	for _, b := range s.state.Buses {
		one := fmt.Sprintf(" %s %c %s", words.OneLine(b.Bus), meterbar.Block(b.Peak), level(b.Peak))
		if b.Mute {
			one = fmt.Sprintf(" %s muted", words.OneLine(b.Bus))
		}
		if cellwidth.Width(line+one) > w {
			break
		}
		line += one
	}
	return line
}

// drawList draws the cue list in the first w columns of the terminal t. The rows begin with the parameter from and end
// before the parameter to. Each row has a mark, number, name, note and trim of one cue, and the times of a running cue.
//
// It scrolls so that the cue on standby is visible: it sets s.top, the index of the first visible cue. Without a cue on
// standby it scrolls to the end of the list.
func (s *screen) drawList(t tcell.Screen, w, from, to int) {
	st, rows := s.state, to-from
	at := len(st.List)
	running := map[string]*showrun.Running{}
	for i := range st.Running {
		running[st.Running[i].Cue] = &st.Running[i]
	}
	number := 3
	for i, c := range st.List {
		if c.Cue == st.Standby {
			at = i
		}
		number = min(max(number, cellwidth.Width(c.Cue)), 8)
	}
	if at < s.top+1 {
		s.top = max(at-1, 0)
	}
	if at > s.top+rows-2 {
		s.top = at - rows + 2
	}
	s.top = max(min(s.top, len(st.List)-rows), 0)
	for y := from; y < to && s.top+y-from < len(st.List); y++ {
		c := &st.List[s.top+y-from]
		mark, style := "  ", plain
		if c.Cue == st.Standby {
			mark, style = "> ", next
		} else if colour, known := colours[strings.ToLower(c.Colour)]; known {
			style = plain.Foreground(colour)
		}
		if !c.Armed {
			mark, style = "x ", dim
		}
		right := ""
		if r := running[c.Cue]; r != nil {
			if right = clock(r.Elapsed); r.State == "waiting" {
				right = "waits"
			} else if r.Remaining != nil {
				right += " -" + clock(*r.Remaining)
			}
			if c.Cue != st.Standby {
				if style = sounding; r.State == "waiting" {
					style = waiting
				}
			}
		}
		if c.Trim != 0 {
			right = fmt.Sprintf("%+.0f dB ", c.Trim) + right
		}
		then := " "
		if c.Then != "wait" {
			then = "+" // its follow-on starts automatically
		}
		name := words.OneLine(c.Name)
		if c.Note != "" {
			name += "  " + words.OneLine(c.Note)
		}
		text := mark + cellwidth.Pad(words.OneLine(c.Cue), number) + then + " " + name
		room := w - cellwidth.Width(right)
		put(t, 0, y, room, text, style)
		put(t, room, y, cellwidth.Width(right), right, style)
	}
}

// drawSide draws the buses with their effects, and below them the voices, on the terminal t. The area begins at column
// x and is w columns wide. Its rows begin with the parameter from and end before the parameter to. If the rows do not
// suffice, effects are left out first. Then the last row has the number of voices that do not fit.
func (s *screen) drawSide(t tcell.Screen, x, w, from, to int) {
	st, y := s.state, from
	line := func(text string, style tcell.Style) {
		if y < to {
			put(t, x, y, w, text, style)
			y++
		}
	}
	name := min(max(w/3, 6), 14)
	meter := max(w-name-7, 1)
	for i, b := range st.Buses {
		text := cellwidth.Pad(words.OneLine(b.Bus), name) + " "
		if b.Mute {
			line(text+"muted", dim)
		} else {
			line(text+meterbar.Level(b.Peak, meter)+fmt.Sprintf(" %4s", level(b.Peak)), plain)
		}
		// If there is little room, the other buses and the count of voices have priority.
		if len(b.Effects) > 0 && y+len(st.Buses)-i < to {
			line(effectNames(&b, w), dim)
		}
	}
	line(fmt.Sprintf("%d of %d voices, %d stolen", st.Playing, st.Pool, st.Stolen), dim)
	for i, v := range st.Voices {
		if y == to-1 && i < len(st.Voices)-1 {
			line(fmt.Sprintf("and %d more", len(st.Voices)-i), dim)
			return
		}
		text := cellwidth.Pad(words.OneLine(v.Sound), name) + " "
		if v.State != "playing" {
			line(text+v.State, dim)
		} else {
			line(text+meterbar.Level(v.Level, meter)+fmt.Sprintf(" %4s", level(v.Level)), sounding)
		}
	}
}

// effectNames returns the names of the effects of the bus b as a text of exactly w columns. The word "off" follows a
// bypassed effect. The end of the text has the gain reduction of the compressors in dB, as a negative number, if it is
// not 0.
func effectNames(b *showrun.Bus, w int) string {
	right := ""
	if b.Reduction > 0 {
		right = fmt.Sprintf(" %.1f dB", -b.Reduction)
	}
	text := ""
	for _, e := range b.Effects {
		if text += "  " + words.OneLine(e.Effect); e.Bypass {
			text += " off"
		}
	}
	return cellwidth.Pad(text, max(w-cellwidth.Width(right), 0)) + right
}

// drawFoot draws the last two rows of the terminal t, which has w columns and h rows. The first of them has the cues
// that the next GO starts. The last row has an open question with the cursor. Without a question it has a message, the
// last event or the most important keys.
func (s *screen) drawFoot(t tcell.Screen, w, h int) {
	st := s.state
	text := " GO: no cue, the list is over"
	for i, c := range st.List {
		if c.Cue == st.Standby {
			text = " GO: " + strings.TrimSpace(words.OneLine(c.Cue+" "+c.Name))
			if st.Loaded > 0 {
				text += fmt.Sprintf("  from %g s", st.Loaded)
			}
			for i < len(st.List)-1 && st.List[i].Then != "wait" {
				if i++; !st.List[i].Armed {
					continue
				}
				text += ", then " + words.OneLine(st.List[i].Cue)
			}
		}
	}
	put(t, 0, h-2, w, text, bold)
	t.HideCursor()
	switch {
	case s.prompt != nil:
		line := fmt.Sprintf(" %s: %s", s.prompt.question, s.prompt.text)
		put(t, 0, h-1, w, line, plain)
		t.ShowCursor(min(cellwidth.Width(line), w-1), h-1)
	case s.now().Before(s.until):
		put(t, 0, h-1, w, " "+words.OneLine(s.message), alarm)
	case len(st.Events) > 0:
		put(t, 0, h-1, w, " "+words.OneLine(st.Events[len(st.Events)-1])+"    ?: keys", dim)
	default:
		put(t, 0, h-1, w, " Space: GO   Esc: panic   ?: keys   Q Q: end", dim)
	}
}

// clock formats a time in seconds for a person, as 4.2, 1:04.2 or 1:02:03. seconds must be at least 0.
func clock(seconds float64) string {
	whole := int(seconds)
	switch {
	case whole < 60:
		return fmt.Sprintf("%.1f", seconds)
	case whole < 3600:
		return fmt.Sprintf("%d:%04.1f", whole/60, seconds-float64(whole/60*60))
	}
	return fmt.Sprintf("%d:%02d:%02d", whole/3600, whole/60%60, whole%60)
}

// level formats db, a level in dB, without decimals. For -100 dB or less it returns "-".
func level(db float64) string {
	if db <= -100 {
		return "-"
	}
	return fmt.Sprintf("%.0f", db)
}
