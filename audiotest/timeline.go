package audiotest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// The dimensions of a timeline.
const (
	columns = 32 // of time
	rows    = 40 // at most: the voices of the focus, and the last ones
	names   = 12 // letters per name
)

// Timeline returns a text drawing of the voices over time, one voice per line: the level of its sound in each
// column, the times of its start and end, and the reason for its end.
//
//	# -20 dB and louder   = -40 dB   - -60 dB   . less   ~ virtual   x stolen
func (a *Audio) Timeline() string { return a.timeline(focus{}) }

func (a *Audio) timeline(f focus) string {
	var b strings.Builder
	policy := a.config.Overflow
	stats := a.mixer.Stats()
	fmt.Fprintf(&b, "%v, %s, overflow %v: %d requested, %d started, %d stolen\n", pcm.Duration(a.frames, a.rate).Round(time.Microsecond),
		words.Count(int(stats.Voices), "voice"), policy, stats.Asked, stats.Started, stats.Stolen)
	shown := a.drawn(f)
	switch n := len(a.voices) - len(shown); {
	case n > 0 && shown[0] == a.voices[n]:
		fmt.Fprintf(&b, "%s before these\n", words.Count(n, "voice"))
	case n > 0:
		fmt.Fprintf(&b, "%s not shown\n", words.Count(n, "voice"))
	}
	for _, l := range shown {
		fmt.Fprintf(&b, "%s |%s| %s\n", label(a.called(l.of), l.number), a.row(l), a.fate(l))
	}
	for i, e := range a.refused {
		if i == rows/4 {
			fmt.Fprintf(&b, "%d more starts without a voice\n", len(a.refused)-i)
			break
		}
		why := e.Reason.String()
		if e.Kind == mixer.EventCoalesced {
			why = fmt.Sprintf("into #%d", e.By)
		}
		fmt.Fprintf(&b, "%s %v at %s (%s)\n", label(a.called(e.Stem()), 0), e.Kind, a.when(e.Frame), why)
	}
	if len(a.voices) > 0 {
		b.WriteString("# -20 dB and louder   = -40 dB   - -60 dB   . less   ~ virtual   x stolen\n")
	}
	return b.String()
}

// drawn returns the voices to draw, at most rows: first the last voices of the focus, then the last other
// voices.
func (a *Audio) drawn(f focus) []*life {
	if len(a.voices) <= rows {
		return a.voices
	}
	meant := func(l *life) bool {
		end := a.frames
		if l.over {
			end = l.last.Frame
		}
		return slices.Contains(f.stems, l.of) || l.began < f.span.to && end > f.span.from
	}
	room, chosen := rows, make([]bool, len(a.voices))
	for _, wanted := range []bool{true, false} {
		for i := len(a.voices) - 1; i >= 0 && room > 0; i-- {
			if meant(a.voices[i]) == wanted {
				chosen[i] = true
				room--
			}
		}
	}
	var all []*life
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
	if n := len(letters); n > names && slices.Contains(letters, '/') { // keep the end of a path
		letters = append([]rune("…"), letters[n-names+1:]...)
	} else if n > names {
		letters = append(letters[:names-2], '.', '.')
	}
	text := string(letters) + strings.Repeat(" ", names-len(letters))
	if number == 0 {
		return text + "     "
	}
	return fmt.Sprintf("%s #%-3d", text, number)
}

// row draws the level of a voice over time.
func (a *Audio) row(l *life) string {
	end := a.frames
	if l.over {
		end = l.last.Frame
	}
	stem := a.stems[l.of]
	line := make([]byte, columns)
	column := func(frame int64) int { return int(min(frame*columns/max(a.frames, 1), columns-1)) }
	for x := range line {
		from := int64(x) * a.frames / columns
		to := max(int64(x+1)*a.frames/columns, from+1)
		lives := max(from, l.began) < min(to, max(end, l.began+1))
		var real []span
		for _, p := range l.parts {
			p = a.past(p)
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
			line[x] = letter(stem.level(real...))
		}
	}
	if l.last.Kind == mixer.EventStolen || l.last.Kind == mixer.EventVirtual {
		line[column(l.last.Frame)] = 'x'
	}
	return string(line)
}

func letter(level pcm.Decibels) byte {
	i, _ := slices.BinarySearch([]pcm.Decibels{-60, -40, -20}, level)
	return ".-=#"[i]
}

// fate describes the start and end of a voice, its level, and the reason for its end.
func (a *Audio) fate(l *life) string {
	level := "silent"
	var heard []span
	for _, p := range l.parts {
		heard = append(heard, a.past(p))
	}
	if stem := a.stems[l.of]; stem != nil && len(heard) > 0 {
		if x := stem.level(heard...); x > -200 {
			level = fmt.Sprintf("%.1f dB", float64(x))
		}
	}
	at := func(frame int64) time.Duration { return pcm.Duration(frame, a.rate).Round(time.Microsecond) }
	text := fmt.Sprintf("%v..", at(l.began))
	if l.over {
		text += at(l.last.Frame).String()
	}
	text += a.variation(l.of) + ", " + level
	if l.over || !l.real {
		text += ", " + l.last.Kind.String()
	}
	if l.broke {
		text += ", since its stream broke"
	}
	if l.last.By != 0 && (l.over || !l.real) {
		text += fmt.Sprintf(" by %q #%d", a.thief(&l.last), l.last.By)
	}
	return text
}
