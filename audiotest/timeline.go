package audiotest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"voicepool/internal/listening"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// The dimensions of a timeline.
const (
	timelineColumns = 32 // of time
	maxRows         = 40 // at most: the voices of the focus, and the last ones
	nameWidth       = 12 // letters per name
)

// Timeline returns a text drawing of the voices over time, one voice per line: the level of its sound in each
// column, the times of its start and end, and the reason for its end.
//
//	# -20 dB and louder   = -40 dB   - -60 dB   . less   ~ virtual   x stolen
func (a *Audio) Timeline() string { return a.timeline(focus{}) }

// timeline returns the drawing of Timeline, with the voices of the focus first if there are too many.
func (a *Audio) timeline(f focus) string {
	var b strings.Builder
	policy := a.config.Overflow
	stats := a.mixer.Stats()
	fmt.Fprintf(&b, "%v, %s, overflow %v: %d requested, %d started, %d stolen\n", pcm.Duration(a.frames, a.rate).Round(time.Microsecond),
		words.Count(int(stats.Voices), "voice"), policy, stats.Asked, stats.Started, stats.Stolen)
	shown := a.voicesToDraw(f)
	switch n := len(a.voices) - len(shown); {
	case n > 0 && shown[0] == a.voices[n]:
		fmt.Fprintf(&b, "%s before these\n", words.Count(n, "voice"))
	case n > 0:
		fmt.Fprintf(&b, "%s not shown\n", words.Count(n, "voice"))
	}
	for _, l := range shown {
		fmt.Fprintf(&b, "%s |%s| %s\n", label(a.displayName(l.stem), l.number), a.drawLevel(l), a.summary(l))
	}
	for i, e := range a.refused {
		if i == maxRows/4 {
			fmt.Fprintf(&b, "%d more starts without a voice\n", len(a.refused)-i)
			break
		}
		why := e.Reason.String()
		if e.Kind == mixer.EventCoalesced {
			why = fmt.Sprintf("into #%d", e.Steal.By)
		}
		fmt.Fprintf(&b, "%s %v at %s (%s)\n", label(a.displayName(e.Stem()), 0), e.Kind, a.formatFrame(e.Frame), why)
	}
	if len(a.voices) > 0 {
		b.WriteString("# -20 dB and louder   = -40 dB   - -60 dB   . less   ~ virtual   x stolen\n")
	}
	return b.String()
}

// voicesToDraw returns the voices to draw, at most maxRows: first the last voices of the focus, then the last other
// voices.
func (a *Audio) voicesToDraw(f focus) []*voiceHistory {
	if len(a.voices) <= maxRows {
		return a.voices
	}
	meant := func(l *voiceHistory) bool {
		end := a.frames
		if l.ended {
			end = l.lastEvent.Frame
		}
		return slices.Contains(f.stems, l.stem) || l.started < f.span.to && end > f.span.from
	}
	room, chosen := maxRows, make([]bool, len(a.voices))
	for _, wanted := range []bool{true, false} {
		for i := len(a.voices) - 1; i >= 0 && room > 0; i-- {
			if meant(a.voices[i]) == wanted {
				chosen[i] = true
				room--
			}
		}
	}
	var all []*voiceHistory
	for i, l := range a.voices {
		if chosen[i] {
			all = append(all, l)
		}
	}
	return all
}

// label formats a name with a fixed width, followed by a voice number unless that is 0.
func label(name string, number uint64) string {
	letters := []rune(words.OneLine(name))
	if n := len(letters); n > nameWidth && slices.Contains(letters, '/') { // keep the end of a path
		letters = append([]rune("…"), letters[n-nameWidth+1:]...)
	} else if n > nameWidth {
		letters = append(letters[:nameWidth-2], '.', '.')
	}
	text := string(letters) + strings.Repeat(" ", nameWidth-len(letters))
	if number == 0 {
		return text + "     "
	}
	return fmt.Sprintf("%s #%-3d", text, number)
}

// drawLevel draws the level of a voice over time.
func (a *Audio) drawLevel(l *voiceHistory) string {
	end := a.frames
	if l.ended {
		end = l.lastEvent.Frame
	}
	stem := a.stems[l.stem]
	line := make([]byte, timelineColumns)
	column := func(frame int64) int { return int(min(frame*timelineColumns/max(a.frames, 1), timelineColumns-1)) }
	for x := range line {
		from := int64(x) * a.frames / timelineColumns
		to := max(int64(x+1)*a.frames/timelineColumns, from+1)
		lives := max(from, l.started) < min(to, max(end, l.started+1))
		var real []span
		for _, p := range l.spans {
			p = a.clip(p)
			if p = (span{max(p.from, from), min(p.to, to)}); p.from < p.to {
				real = append(real, p)
			}
		}
		switch {
		case !lives:
			line[x] = ' '
		case real == nil:
			line[x] = '~'
		default:
			line[x] = listening.LevelSymbol(stem.level(real...))
		}
	}
	if l.lastEvent.Kind == mixer.EventStolen || l.lastEvent.Kind == mixer.EventVirtual {
		line[column(l.lastEvent.Frame)] = 'x'
	}
	return string(line)
}

// summary describes the start and end of a voice, its level, and the reason for its end.
func (a *Audio) summary(l *voiceHistory) string {
	level := "silent"
	var heard []span
	for _, p := range l.spans {
		heard = append(heard, a.clip(p))
	}
	if stem := a.stems[l.stem]; stem != nil && len(heard) > 0 {
		if x := stem.level(heard...); x > -200 {
			level = fmt.Sprintf("%.1f dB", float64(x))
		}
	}
	at := func(frame int64) time.Duration { return pcm.Duration(frame, a.rate).Round(time.Microsecond) }
	text := fmt.Sprintf("%v..", at(l.started))
	if l.ended {
		text += at(l.lastEvent.Frame).String()
	}
	text += a.variation(l.stem) + ", " + level
	if l.ended || !l.real {
		text += ", " + l.lastEvent.Kind.String()
	}
	if l.broken {
		text += ", since its stream broke"
	}
	if d := &l.lastEvent.Steal; d.By != 0 && (l.ended || !l.real) {
		text += fmt.Sprintf(" by %q #%d", a.thiefName(d), d.By)
	}
	return text
}
