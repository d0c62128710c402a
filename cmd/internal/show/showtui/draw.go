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

// put draws text in style at column x and row y, cut or padded with spaces to exactly width columns. If width is 0 or
// less, it has no effect. The screen changes with the next Show of t.
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

// draw draws the whole screen into t: head, cue list, buses and voices, and the foot. If s.showHelp is set, the help of
// the keys replaces everything below the head. The buses and voices need 76 columns. Below 20 columns or 6 rows, and
// without a state, it only draws a message. The caller must call t.Show.
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

// drawHead draws the first two rows of t, w columns wide: show, time and device, and below them a loss of sound, a
// pause, or the levels of the buses.
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

// levels returns the names and peak levels of the buses in one line, up to the first bus that does not fit into w
// columns. A muted bus has the word muted in place of its level. There must be a state.
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

// drawList draws the cues in the first w columns of t, from row from up to row to, exclusive: mark, number, name, note,
// trim, and the times of a running cue. It sets s.top, the first visible cue, so that the cue on standby is visible.
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

// drawSide draws the buses with their effects, and then the voices, in w columns from column x, and from row from up to
// row to, exclusive. If the rows do not suffice, effects are omitted first, and the last row counts the other voices.
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

// effectNames returns the names of the effects of b in exactly w columns, with "off" after a bypassed effect, and the
// gain reduction of its compressors in dB at the end.
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

// drawFoot draws the last two of the h rows of t, w columns wide: the cues that the next GO starts, and below them an
// open question with the cursor, or else a message, the last event or the most important keys.
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

// clock formats seconds, which is at least 0, as 4.2, 1:04.2 or 1:02:03.
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

// level returns db, a level in dB, without decimals, or "-" for -100 dB or less.
func level(db float64) string {
	if db <= -100 {
		return "-"
	}
	return fmt.Sprintf("%.0f", db)
}
