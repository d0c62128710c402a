package main

import (
	"fmt"
	"math"
	"os"
	"strings"

	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/pcm"
)

// liveView shows the voices on the whole of a terminal, and what was stolen
// last below them.
type liveView struct {
	console *console
	screen  *screen
	title   string
	steals  []cue.Event // the last ones
	peaks   [2]float64  // of the meters, in dB, falling
}

func newLiveView(c *console, terminal *os.File, title string) *liveView {
	return &liveView{console: c, screen: c.takeOver(terminal), title: title, peaks: [2]float64{barBottom, barBottom}}
}

func (v *liveView) close() { v.console.restore() }

func (v *liveView) last(p picture) { v.show(p) }

// flash is for how long a slot shows that it was taken, in seconds.
const flash = 0.5

// keepSteals is how many of the last steals are shown.
const keepSteals = 5

func (v *liveView) show(p picture) {
	for _, e := range p.events {
		if e.Kind == mixer.Stolen {
			v.steals = append(v.steals, e)
		}
	}
	if n := len(v.steals) - keepSteals; n > 0 {
		v.steals = append(v.steals[:0], v.steals[n:]...)
	}
	s := v.screen
	s.begin()
	st := &p.stats
	s.line(bold, "voicepool %s   %s   %d of %d voices   Ctrl-C ends it", v.title, seconds(st.Frame, p.rate), st.Playing, st.Voices)
	for i, x := range [2]float32{p.left, p.right} {
		v.peaks[i] = max(float64(pcm.FromLinear(float64(x))), v.peaks[i]-1.5, barBottom)
		s.line(meterStyle(v.peaks[i]), "%s %s %s", [2]string{"L", "R"}[i], bar(v.peaks[i], max(s.width-12, 10)), shortLevel(v.peaks[i]))
	}
	s.line(plain, "asked %d   started %d   ended %d   stopped %d   stolen %d   rejected %d   limited %d",
		st.Asked, st.Started, st.Ended, st.Stopped, st.Stolen, st.Rejected, st.Limited)
	s.line(dim, "slot  voice  %s  %s  left   right", pad("sound", 14), pad("how loud it is going to be", voiceBar(s.width)+7))
	// A low window is for the voices.
	below := min(keepSteals, s.height/5)
	v.lanes(p, max(s.free()-below-1, 1))
	if s.free() > below {
		s.line(plain, "")
	}
	for i := len(v.steals) - 1; i >= 0; i-- {
		s.line(dim, "%s", tellSteal(&v.steals[i], p.rate))
	}
	// A terminal that is gone is no reason to stop the sound.
	_ = s.end()
}

// lanes draws one line for each slot, or for as many voices as fit.
func (v *liveView) lanes(p picture, fit int) {
	slots := int(p.stats.Voices)
	if n := len(p.voices); n > 0 {
		slots = max(slots, p.voices[n-1].slot+1)
	}
	if slots > fit {
		for i, l := range p.voices {
			if i == fit-1 && len(p.voices) > fit {
				v.screen.line(dim, "... and %d more", len(p.voices)-i)
				return
			}
			v.lane(l, p.rate)
		}
		return
	}
	next := 0
	for slot := range slots {
		if next < len(p.voices) && p.voices[next].slot == slot {
			v.lane(p.voices[next], p.rate)
			next++
			continue
		}
		v.screen.line(dim, "%4d      -", slot)
	}
}

func (v *liveView) lane(l lane, rate int) {
	how, note := plain, ""
	if l.victim != nil && float64(l.age) < flash*float64(rate) {
		how, note = flashed, "  < "+oneLine(l.victim.Sound)
	}
	switch {
	case note != "":
	case l.paused:
		how, note = dim, "  paused"
	case l.loop:
		note = "  loop"
	}
	v.screen.line(how, "%4d %6d  %s  %s %s  %s%s", l.slot, l.number, pad(oneLine(l.sound), 14),
		bar(l.level, voiceBar(v.screen.width)), shortLevel(l.level), place(l.pan), note)
}

// voiceBar is the width of a voice's bar in a window.
func voiceBar(window int) int { return max(window-62, 6) }

// place draws where a voice is between left and right.
func place(pan float64) string {
	const width = 13
	at := int(math.Round((min(max(pan, -1), 1) + 1) / 2 * (width - 1)))
	return strings.Repeat("─", at) + "●" + strings.Repeat("─", width-1-at)
}

func meterStyle(db float64) style {
	switch {
	case db > -1:
		return red
	case db > -9:
		return yellow
	}
	return green
}

func shortLevel(db float64) string {
	if db <= barBottom {
		return "      "
	}
	return fmt.Sprintf("%3.0f dB", db)
}
