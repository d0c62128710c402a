package expect

import (
	"fmt"
	"slices"
	"strings"

	"voicepool/internal/listening"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// The dimensions of a timeline.
const (
	columns   = 32 // of time
	maxRows   = 40 // voices: first of the failed rules, then the last voices
	nameWidth = 12 // letters per name
)

// Timeline returns a text drawing of the voices over time, and of the level of the mix if the audio is known. Each line
// has a voice: when it had a slot, was virtual or stolen, and the times of its start and end.
func (v *Verdict) Timeline() string {
	e := v.Evidence
	var b strings.Builder
	length := max(e.Range.To-e.Range.From, 1)
	cell := func(x int) listening.Span {
		from := e.Range.From + int64(x)*length/columns
		return listening.Span{From: from, To: max(e.Range.From+int64(x+1)*length/columns, from+1)}
	}
	fmt.Fprintf(&b, "%s to %s, %s, %d refused\n", e.time(e.Range.From), e.time(e.Range.To), words.Count(len(e.Log.voices), "voice"), len(e.Log.refused))
	if e.Audio != nil {
		line := make([]byte, columns)
		for x := range line {
			line[x] = listening.LevelSymbol(e.Audio.Level(cell(x)))
		}
		fmt.Fprintf(&b, "%-*s |%s| %s dB\n", nameWidth+6, "the mix", line, words.Level(float64(e.Audio.Level(e.Range))))
	}
	shown := v.shown()
	if n := len(e.Log.voices) - len(shown); n > 0 {
		fmt.Fprintf(&b, "%s not shown\n", words.Count(n, "voice"))
	}
	for _, one := range shown {
		line := make([]byte, columns)
		for x := range line {
			line[x] = one.symbol(cell(x))
		}
		name := []rune(words.OneLine(one.sound))
		text := e.time(one.started) + ".."
		if one.ended() {
			text += e.time(one.last.Frame) + ", " + one.last.Kind.String()
		}
		if one.last != nil && one.last.By != 0 && !one.real() {
			text += fmt.Sprintf(" by %s #%d", words.OneLine(one.last.BySound), one.last.By)
		}
		fmt.Fprintf(&b, "%-*s %-5s |%s| %s\n", nameWidth, string(name[:min(len(name), nameWidth)]), fmt.Sprintf("#%d", one.number), line, text)
	}
	if e.Audio != nil {
		b.WriteString("the mix: # -20 dB and louder   = -40 dB   - -60 dB   . less\n")
	}
	if len(shown) > 0 {
		b.WriteString("voices: = plays   ~ virtual   x stolen\n")
	}
	return b.String()
}

// shown returns the voices to draw.
func (v *Verdict) shown() []*voice {
	all := v.Evidence.Log.voices
	if len(all) <= maxRows {
		return all
	}
	wanted := map[*voice]bool{}
	for i := range v.Results {
		if r := &v.Results[i]; r.Fault != "" && r.Rule.sound != "" {
			for _, one := range v.Evidence.Log.voicesOf(r.Rule) {
				if len(wanted) < maxRows {
					wanted[one] = true
				}
			}
		}
	}
	for _, one := range slices.Backward(all) {
		if len(wanted) == maxRows {
			break
		}
		wanted[one] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(one *voice) bool { return !wanted[one] })
}

// symbol returns the state of v in a cell of the drawing.
func (v *voice) symbol(cell listening.Span) byte {
	switch {
	case v.last != nil && !v.real() && v.last.Kind == mixer.EventStolen && v.last.Frame >= cell.From && v.last.Frame < cell.To:
		return 'x'
	case v.slotSpans(cell) != nil:
		return '='
	case v.started < cell.To && !(v.ended() && v.last.Frame <= cell.From):
		return '~'
	}
	return ' '
}
