package liveview

import (
	"fmt"
	"math"
	"strings"

	"voicepool/cmd/internal/view/cellwidth"
	"voicepool/cmd/internal/view/meterbar"
	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// View shows the voices on a whole terminal, and the last steals below them.
type View struct {
	screen *Screen
	title  string
	hint   string         // a line below the title; optional
	steals []report.Event // the most recent
	peaks  [2]float64     // of the meters, in dB, falling
}

// NewView returns a View that shows a player's voices on screen. title is part of the first line, after "voicepool".
// hint is a line for the operator below it, or "" for no such line.
func NewView(screen *Screen, title, hint string) *View {
	return &View{screen: screen, title: title, hint: hint, peaks: [2]float64{meterbar.Bottom, meterbar.Bottom}}
}

// flash is the time that a slot is highlighted after a steal, in seconds.
const flash = 0.5

// maxSteals is the number of stored steals. minSteals is the number of rows for them in a low
// window.
const maxSteals, minSteals = 64, 5

// Show draws the picture p on the screen: title, output, next action, failures, meters and voices. The remaining rows
// have the last steals, newest first. Show stores the steals of p for later pictures. The meters fall by at most 1.5
// dB per call.
func (v *View) Show(p Picture) {
	for _, e := range p.events {
		if e.Kind == mixer.EventStolen {
			v.steals = append(v.steals, e)
		}
	}
	if n := len(v.steals) - maxSteals; n > 0 {
		v.steals = append(v.steals[:0], v.steals[n:]...)
	}
	s := v.screen
	s.begin()
	st := &p.Stats
	s.line(bold, "%s", v.head(p))
	if v.hint != "" {
		s.wrapped(plain, v.hint, true)
	}
	v.drawOutput(&p.Output)
	if p.Next != "" {
		s.line(dim, "%s", cutTitle(fmt.Sprintf("next at %s: %s", words.Seconds(p.NextAt, p.Rate), p.Next), s.width))
	}
	for _, trouble := range p.Failures {
		s.wrapped(red, trouble, true)
	}
	half := max((s.width-22)/2, 2)
	for i, x := range [2]float32{p.Left, p.Right} {
		v.peaks[i] = max(float64(pcm.FromLinear(float64(x))), v.peaks[i]-1.5, meterbar.Bottom)
	}
	s.line(meterStyle(max(v.peaks[0], v.peaks[1])), "L %s %s  R %s %s",
		meterbar.Level(v.peaks[0], half), shortLevel(v.peaks[0]), meterbar.Level(v.peaks[1], half), shortLevel(v.peaks[1]))
	if len(p.Buses) > 0 {
		s.line(plain, "%s", buses(p.Buses, s.width))
	}
	s.line(plain, "%s", totals(st, s.width))
	s.line(dim, "%s", cellwidth.First(s.width,
		fmt.Sprintf("slot  voice  %s  %s  left   right", cellwidth.Pad("sound", 14), cellwidth.Pad("how loud it will be", voiceBar(s.width)+7)),
		"slot  voice  "+cellwidth.Pad("sound", 14)+"  loud",
		"slot  voice  sound",
		"slot",
	))
	// A low window is for the voices.
	below := 0
	if len(v.steals) > 0 {
		below = min(minSteals, s.height/5)
	}
	v.lanes(p, max(s.free()-below-1, 1))
	if s.free() > below {
		s.line(plain, "")
	}
	for i := len(v.steals) - 1; i >= 0 && s.free() > 0; i-- {
		s.wrapped(dim, explain.Steal(&v.steals[i], p.Rate), i == len(v.steals)-1)
	}
	s.end()
}

// head returns the first line of the picture p: title, time, number of voices, and the key that ends the program. It
// leaves out parts until the line fits the width of the window.
func (v *View) head(p Picture) string {
	at := words.Seconds(p.Stats.Frame, p.Rate)
	if left := p.Ends - p.Stats.Frame; p.Ends > 0 && left > 0 {
		at += ", " + words.Seconds(left, p.Rate) + " left"
	}
	real := p.Stats.Playing - p.Stats.Virtual
	voices := fmt.Sprintf("%d of %d voices", real, p.Stats.Voices)
	if p.Stats.Virtual > 0 {
		voices += fmt.Sprintf(", %d virtual", p.Stats.Virtual)
	}
	title := "voicepool " + v.title
	short := fmt.Sprintf("%d/%d", real, p.Stats.Voices)
	return cellwidth.First(v.screen.width,
		title+"   "+at+"   "+voices+"   Ctrl-C ends it",
		title+"   "+at+"   "+voices,
		cutTitle(title, v.screen.width-len(at)-len(voices)-6)+"   "+at+"   "+voices,
		at+"  "+voices,
		words.Seconds(p.Stats.Frame, p.Rate)+"  "+voices,
		words.Seconds(p.Stats.Frame, p.Rate)+"  "+short,
		short,
	)
}

// cutTitle returns title, cut with an ellipsis to at most width columns. If width is below 12, it returns the whole
// title, because a shorter one would be useless.
func cutTitle(title string, width int) string {
	if width < 12 {
		return title
	}
	return strings.TrimRight(cellwidth.Pad(title, width), " ")
}

// totals returns a line with the counts in st, such as started and stolen voices, in at most width columns. If the
// line is too long, totals leaves out counts of 0, then the less important counts. The count of steals always remains,
// even if it is wider than width.
func totals(st *mixer.Stats, width int) string {
	type total struct {
		what string
		n    int64
		odd  bool // shown only if not 0
	}
	all := []total{
		{"asked", st.Asked, false}, {"started", st.Started, false}, {"ended", st.Ended, false}, {"stopped", st.Stopped, false},
		{"stolen", st.Stolen, false}, {"rejected", st.Rejected, false}, {"limited", st.Limited, false}, {"coalesced", st.Coalesced, true},
		{"ran dry", st.Underruns, true}, {"faults", st.Faults, true},
	}
	list := func(between string, include func(total) bool) string {
		var parts []string
		for _, t := range all {
			if include(t) {
				parts = append(parts, fmt.Sprintf("%s %d", t.what, t.n))
			}
		}
		return strings.Join(parts, between)
	}
	usual := func(t total) bool { return t.n > 0 || !t.odd }
	some := func(t total) bool { return t.n > 0 || t.what == "asked" || t.what == "stolen" }
	return cellwidth.First(width,
		list("   ", usual), list("  ", usual), list("  ", some),
		list("  ", func(t total) bool { return some(t) && t.what != "ended" && t.what != "stopped" }),
		list("  ", func(t total) bool {
			return t.what == "started" || t.what == "stolen" || t.n > 0 && t.what == "rejected"
		}),
		list("  ", func(t total) bool { return t.what == "started" || t.what == "stolen" }),
		list("  ", func(t total) bool { return t.what == "stolen" }),
	)
}

// lanes draws the slots of the picture p in at most maxRows rows of the screen: one line for each slot, also for free
// slots. If the slots do not fit, it draws lines only for voices. If these do not fit either, the last line has the
// number of the remaining voices.
func (v *View) lanes(p Picture, maxRows int) {
	slots := int(p.Stats.Voices)
	if n := len(p.voices); n > 0 {
		slots = max(slots, p.voices[n-1].slot+1)
	}
	if slots > maxRows {
		for i, l := range p.voices {
			if i == maxRows-1 && len(p.voices) > maxRows {
				v.screen.line(dim, "... and %d more", len(p.voices)-i)
				return
			}
			v.lane(l, p.Rate)
		}
		return
	}
	next := 0
	for slot := range slots {
		if next < len(p.voices) && p.voices[next].slot == slot {
			v.lane(p.voices[next], p.Rate)
			next++
			continue
		}
		v.screen.line(dim, "%4d      -", slot)
	}
}

// lane draws one line for the voice l on the screen: slot, number, sound, level, pan and a note. The note is the sound
// that the voice stole its slot from in the last 0.5 s, or paused, silent or loop. Parts that do not fit the window
// are left out. rate is the sample rate in Hz.
func (v *View) lane(l voiceLane, rate int) {
	how, note := soundStyles[l.colour%len(soundStyles)], ""
	if l.victim != nil && float64(l.age) < flash*float64(rate) {
		how, note = flashed+how, "  < "+words.OneLine(l.victim.Sound)
	}
	switch {
	case note != "":
	case l.paused:
		how, note = dim, "  paused"
	case l.silent:
		how, note = dim, "  silent"
	case l.looping:
		note = "  loop"
	}
	width := v.screen.width
	name := fmt.Sprintf("%4d %6d  %s", l.slot, l.number, cellwidth.Pad(words.OneLine(l.sound), 14))
	loud := fmt.Sprintf("%s  %s %s", name, meterbar.Level(l.level, voiceBar(width)), shortLevel(l.level))
	all := loud + "  " + panBar(l.pan)
	if room := width - cellwidth.Width(all); room > 4 && cellwidth.Width(note) > room {
		note = cellwidth.Pad(note, room)
	}
	v.screen.line(how, "%s", cellwidth.First(width, all+note, all, loud, name, fmt.Sprintf("%4d", l.slot)))
}

// buses returns a line with the levels of the first buses in the parameter all, as many as fit into width columns. If
// buses remain, it ends with their number, such as "+3".
func buses(all []Bus, width int) string {
	line := ""
	for i, b := range all {
		one := fmt.Sprintf("%s %s %s   ", words.OneLine(b.Name), meterbar.Level(b.Peak, 6), shortLevel(b.Peak))
		more := ""
		if left := len(all) - i - 1; left > 0 {
			more = fmt.Sprintf("+%d", left)
		}
		if cellwidth.Width(strings.TrimRight(line+one, " ")) > width-cellwidth.Width(more) {
			return line + fmt.Sprintf("+%d", len(all)-i)
		}
		line += one
	}
	return strings.TrimRight(line, " ")
}

// voiceBar returns the width of the level bar of each voice, in columns. The parameter window is the width of the
// window in columns.
func voiceBar(window int) int { return max(window-62, 6) }

// panBar draws pan as a dot on a line of 13 columns. -1 is left and 1 is right; values beyond are clamped.
func panBar(pan float64) string {
	const width = 13
	at := int(math.Round((min(max(pan, -1), 1) + 1) / 2 * (width - 1)))
	return strings.Repeat("─", at) + "●" + strings.Repeat("─", width-1-at)
}

// meterStyle returns the style of a meter at a level in dB: red above -1, yellow above -9, otherwise green.
func meterStyle(db float64) style {
	switch {
	case db > -1:
		return red
	case db > -9:
		return yellow
	}
	return green
}

// shortLevel formats the level db, in dB, without decimals in at least 6 columns, such as "-12 dB". At -60 dB or below
// it returns six spaces.
func shortLevel(db float64) string {
	if db <= meterbar.Bottom {
		return "      "
	}
	return fmt.Sprintf("%3.0f dB", db)
}
