package liveview

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// playThrough renders a sheet and looks at the board after each block.
func playThrough(t *testing.T, sheet *cue.Sheet, look func(Picture)) (*Board, *report.Report) {
	t.Helper()
	lib := library.NewLibrary(library.Options{Rate: sheet.Rate})
	b := NewBoard()
	p, err := play.NewPlayer(context.Background(), sheet, lib, play.Options{Watch: b.Watch, Events: true, Meters: true})
	if err != nil {
		t.Fatal(err)
	}
	b.Plan(p)
	block := make([]pcm.Frame, 1200)
	for {
		if _, err := p.Read(block); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		look(b.Snapshot(p))
	}
	return b, p.Report()
}

func parse(t *testing.T, text string) *cue.Sheet {
	t.Helper()
	sheet, err := cue.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return sheet
}

// TestDemo checks the embedded show: 20 to 40 seconds, 16 voices, 64 sounds at once, and a board
// that agrees with the mixer.
func TestDemo(t *testing.T) {
	text, err := os.ReadFile("../../../voicepool/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sheet := parse(t, string(text))
	pictures := 0
	b, r := playThrough(t, sheet, func(p Picture) {
		pictures++
		if len(p.voices) != int(p.Stats.Playing) {
			t.Fatalf("at frame %d the board has %d voices, the mixer %d", p.Stats.Frame, len(p.voices), p.Stats.Playing)
		}
		for _, v := range p.voices {
			if v.slot < 0 || v.slot > 15 || v.number == 0 || v.sound == "" || v.pan < -1 || v.pan > 1 || v.level > 12 {
				t.Fatalf("at frame %d there is a voice %+v", p.Stats.Frame, v)
			}
		}
	})
	if err := play.CheckRender(sheet); err != nil {
		t.Error(err)
	}
	if s := float64(r.Frames) / float64(r.Rate); s < 20 || s > 40 {
		t.Errorf("it lasts %v s", s)
	}
	if r.Voices != 16 || r.Totals.HighWater != 16 || r.Totals.Limited == 0 || r.Totals.Late+r.Totals.Missed+r.Totals.Faults+r.Totals.Playing != 0 {
		t.Errorf("%+v", r)
	}
	if b.busiest.requested() != 64 || b.busiest.eventCounts[mixer.EventStolen] < 48 || b.busiest.frame != 16*48000 {
		t.Errorf("the crowd is %+v, want 64 asked for at 16 s", b.busiest)
	}
	if int64(b.happened[mixer.EventStolen]) != r.Totals.Stolen {
		t.Errorf("the history has %d steals, the report %d", b.happened[mixer.EventStolen], r.Totals.Stolen)
	}
	if r.Peak > 0 || r.Loudness < -24 || r.Loudness > -14 {
		t.Errorf("peak %v dB, loudness %v LUFS", r.Peak, r.Loudness)
	}
	var out strings.Builder
	b.Summary(&out, r)
	for _, want := range []string{
		"at 16.0 s 64 sounds were requested at once: ", "\nthe quietest loss: ", " lost its voice to ", "it would have been heard at -", ", the next of ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, &out)
		}
	}
}

// TestBoardFollowsMoves checks pictures against the positions and gains that the sheet defines.
func TestBoardFollowsMoves(t *testing.T) {
	sheet := parse(t, `
rate: 48000
cues:
- {at: 0s, play: theme, id: theme, loop: true, pan: -1, gain: -6}
- {at: 0s, set: theme, pan: 1, over: 2s}
- {at: 1s, fade: theme, to: -26, over: 1s}
- {at: 0s, play: clock, id: clock, loop: true, speed: 2, pitch: -12}
- {at: 1s, pause: clock}
- {at: 1500ms, resume: clock}
- {at: 3s, stop: all}
`)
	seen := 0
	playThrough(t, sheet, func(p Picture) {
		if p.Stats.Frame%24000 != 0 || len(p.voices) != 2 {
			return
		}
		theme, clock := p.voices[0], p.voices[1]
		half := p.Stats.Frame / 24000
		wantPan := map[int64]float64{1: -0.5, 2: 0, 3: 0.5, 4: 1, 5: 1, 6: 1}[half]
		if diff := theme.pan - wantPan; diff > 0.021 || diff < -0.021 { // there is a picture every 20 ms
			t.Errorf("after %d half seconds the theme is at %v, want %v", half, theme.pan, wantPan)
		}
		if clock.paused != (half == 3) {
			t.Errorf("after %d half seconds the clock's pause is %v", half, clock.paused)
		}
		if !theme.looping || theme.sound != "theme" || clock.sound != "clock" {
			t.Errorf("%+v", p.voices)
		}
		seen++
	})
	if seen < 5 {
		t.Errorf("%d pictures were looked at", seen)
	}
}

func TestTellSteal(t *testing.T) {
	e := report.Event{
		Frame: 595200, Kind: mixer.EventStolen, Sound: "drip", By: 9, BySound: "bell", Reason: mixer.ReasonPoolFull,
		Audibility: -61.2, RunnerUp: -58, HasRunnerUp: true, Candidates: 13,
	}
	for _, c := range []struct {
		change func(*report.Event)
		want   string
	}{
		{func(*report.Event) {}, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 13 counted as -58"},
		{func(e *report.Event) { e.HasRunnerUp = false }, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, as the only candidate"},
		{func(e *report.Event) { e.Audibility = -300 }, "drip lost its voice to bell at 12.4 s: it would have been silent, the next of 13 counted as -58"},
		{func(e *report.Event) { e.Reason = mixer.ReasonGroupLimit }, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 13 counted as -58 (the limit of the sound)"},
		{func(e *report.Event) { e.By = 0 }, "drip lost its voice at 12.4 s, since the pool became smaller"},
	} {
		changed := e
		c.change(&changed)
		if got := explain.Steal(&changed, 48000); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestCrowd checks that of two equal crowds the first is kept, with all its losses.
func TestCrowd(t *testing.T) {
	h := NewBoard().history
	for _, frame := range []int64{5, 9} {
		h.addEvent(report.Event{Frame: frame, Kind: mixer.EventStarted, Sound: "a"})
		h.addEvent(report.Event{Frame: frame, Kind: mixer.EventStolen, Sound: "a", BySound: "b", By: 2, Audibility: -30})
		h.addEvent(report.Event{Frame: frame, Kind: mixer.EventStarted, Sound: "b"})
		h.addEvent(report.Event{Frame: frame, Kind: mixer.EventLimited, Sound: "c", Reason: mixer.ReasonCooldown})
	}
	if want := (frameEvents{5, eventCounts{mixer.EventStarted: 2, mixer.EventStolen: 1, mixer.EventLimited: 1}}); h.busiest != want {
		t.Errorf("the crowd is %+v, want %+v", h.busiest, want)
	}
}

// TestCrowdTells checks the text for each kind of loss.
func TestCrowdTells(t *testing.T) {
	for _, c := range []struct {
		cost eventCounts
		want string
	}{
		{eventCounts{mixer.EventStolen: 1, mixer.EventRejected: 2, mixer.EventLimited: 1, mixer.EventCoalesced: 3}, "1 voice was stolen, 2 starts were rejected, 1 was limited, 3 were coalesced"},
		{eventCounts{mixer.EventRejected: 1}, "1 start was rejected"},
		{eventCounts{mixer.EventLimited: 5}, "5 were limited"},
		{eventCounts{mixer.EventStolen: 9, mixer.EventCoalesced: 1}, "9 voices were stolen, 1 was coalesced"},
	} {
		if got := (&frameEvents{eventCounts: c.cost}).describeLosses(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	h := NewBoard().history
	for i, kind := range []mixer.EventKind{mixer.EventStarted, mixer.EventCoalesced, mixer.EventRejected, mixer.EventLimited} {
		h.addEvent(report.Event{Frame: 7, Kind: kind, Voice: uint64(i)})
	}
	if want := (frameEvents{7, eventCounts{mixer.EventStarted: 1, mixer.EventRejected: 1, mixer.EventLimited: 1, mixer.EventCoalesced: 1}}); h.busiest != want {
		t.Errorf("the crowd is %+v, want %+v", h.busiest, want)
	}
}

// TestBoardFollowsFeatures checks seeks, loop counts, solos and mutes of nested buses, and
// coalesced starts.
func TestBoardFollowsFeatures(t *testing.T) {
	sheet := parse(t, `
rate: 48000
buses: {low: {parent: high}, high: {}, other: {mute: true}}
sounds: {c: {file: click, coalesce: 5ms}}
cues:
- {at: 0s, play: theme, id: theme, loop: true, bus: low}
- {at: 0s, play: clock, id: clock, loop: 2, bus: other}
- {at: 250ms, set: other, mute: false}
- {at: 500ms, set: high, solo: true}
- {at: 1s, seek: theme, to: 250ms}
- {at: 1s, set: high, solo: false}
- {at: 1s, play: c, every: 1ms, times: 3}
- {at: 1500ms, stop: high}
`)
	seen := map[int64]string{}
	b, r := playThrough(t, sheet, func(p Picture) {
		if len(p.voices) != int(p.Stats.Playing) {
			t.Fatalf("at frame %d the board has %d voices, the mixer %d", p.Stats.Frame, len(p.voices), p.Stats.Playing)
		}
		var muted []string
		for _, v := range p.voices {
			muted = append(muted, fmt.Sprint(v.sound, " ", v.silent, " ", v.looping))
		}
		seen[p.Stats.Frame*40/48000] = strings.Join(muted, ", ")
	})
	for at, want := range map[int64]string{ // in units of 25 ms
		5: "theme false true, clock true true", 15: "theme false true, clock false true", 30: "theme false true, clock true true",
		44: "theme false true, clock false false", 62: "clock false false",
	} {
		if seen[at] != want {
			t.Errorf("after %d ms there is %q, want %q", 25*at, seen[at], want)
		}
	}
	if r.Totals.Coalesced != 2 || len(b.voices)+len(b.victimByThief) != 0 {
		t.Errorf("%+v, the board still knows %d voices and %d victims", r.Totals, len(b.voices), len(b.victimByThief))
	}
}

// TestBoardTellsWhoLost checks that a voice shows its victim until it ends or loses the slot
// itself. A voice that lost no slot is not a victim.
func TestBoardTellsWhoLost(t *testing.T) {
	b := NewBoard()
	b.Watch(report.Event{Kind: mixer.EventStarted, Voice: 1, Slot: 3, Sound: "clock"})
	b.Watch(report.Event{Frame: 9, Kind: mixer.EventVirtual, Voice: 1, Slot: -1, By: 2, Sound: "clock"})
	b.Watch(report.Event{Frame: 9, Kind: mixer.EventStarted, Voice: 2, Slot: 3, Sound: "bell"})
	if e := b.victimByThief[2]; e == nil || e.Voice != 1 || b.voices[1] != (voiceInfo{sound: "clock"}) {
		t.Fatalf("the newcomer has taken the slot of %+v, known are %v", e, b.voices)
	}
	b.Watch(report.Event{Frame: 15, Kind: mixer.EventStolen, Voice: 1, Slot: -1, By: 4, Sound: "clock", Reason: mixer.ReasonVirtualFull})
	b.Watch(report.Event{Frame: 15, Kind: mixer.EventStarted, Voice: 4, Slot: -1, Sound: "drip"})
	if len(b.victimByThief) != 1 {
		t.Errorf("there are %d victims, though one voice alone has lost a slot", len(b.victimByThief))
	}
	b.Watch(report.Event{Frame: 20, Kind: mixer.EventVirtual, Voice: 2, Slot: -1, By: 4, Sound: "bell"})
	b.Watch(report.Event{Frame: 20, Kind: mixer.EventReal, Voice: 4, Slot: 3, Sound: "drip"})
	if e := b.victimByThief[4]; e == nil || e.Sound != "bell" || len(b.victimByThief) != 1 || !b.voices[4].real {
		t.Errorf("who came back has taken the slot of %+v, of %d victims", e, len(b.victimByThief))
	}
	b.Watch(report.Event{Frame: 30, Kind: mixer.EventEnded, Voice: 4, Slot: 3, Sound: "drip"})
	b.Watch(report.Event{Frame: 30, Kind: mixer.EventEnded, Voice: 2, Slot: -1, Sound: "bell"})
	if len(b.victimByThief)+len(b.voices) != 0 {
		t.Errorf("nobody lives, known are %v and %v", b.voices, b.victimByThief)
	}
}

// TestSummaryOfPriority checks that the summary counts losses decided by priority and shows the
// loudest. Without such losses the line is missing.
func TestSummaryOfPriority(t *testing.T) {
	for _, c := range []struct{ priority, want string }{
		{"2", "priority decided 2 times; the loudest: coin of priority 0 was replaced by chime of priority 2 at 0.4 s, at -21 dB; the next had priority 2, counted as -77 dB\n"},
		{"0", ""},
	} {
		b, r := playThrough(t, parse(t, `
voices: 2
cues:
- {at: 0s, play: gong, gain: -20}
- {at: 0.1s, play: bell}
- {at: 0.2s, play: coin}
- {at: 0.3s, play: theme, gain: -60, priority: `+c.priority+`}
- {at: 0.4s, play: chime, priority: `+c.priority+`}
- {at: 0.5s, play: drip, gain: -60}
- {at: 1s, stop: all}
`), func(Picture) {})
		var out strings.Builder
		b.Summary(&out, r)
		_, line, _ := strings.Cut(out.String(), "priority decided")
		if line != "" {
			line = "priority decided" + line
		}
		if line != c.want {
			t.Errorf("with priority %s the summary ends %q, want %q", c.priority, line, c.want)
		}
	}
}

// TestBoardLooksAhead checks the next action, the end of the show and the bus levels in pictures.
func TestBoardLooksAhead(t *testing.T) {
	seen := map[int64]Picture{}
	_, r := playThrough(t, parse(t, `
buses: {low: {}, high: {}}
cues:
- {at: 0s, play: theme, id: theme, loop: true, bus: low}
- {at: 200ms, play: coin, every: 400ms, times: 3, gain: -6}
- {at: 1400ms, stop: theme, over: 100ms}
`), func(p Picture) { seen[p.Stats.Frame*40/48000] = p })
	for at, want := range map[int64]string{ // in units of 25 ms
		2: "9600 play coin", 7: "9600 play coin", 9: "28800 play coin", 24: "48000 play coin", 41: "67200 stop theme", 57: "0 ",
	} {
		p := seen[at]
		if got := fmt.Sprint(p.NextAt, " ", p.Next); got != want {
			t.Errorf("after %d ms %q comes next, want %q", 25*at, got, want)
		}
		if p.Ends < 1400*48 || p.Ends > r.Frames+4800 {
			t.Errorf("after %d ms it ends at %d, of %d", 25*at, p.Ends, r.Frames)
		}
	}
	// After a change, the new sheet's actions are shown.
	p := Picture{Rate: 48000, Stats: mixer.Stats{Frame: 48000}}
	l := plan{schedule: play.NewSchedule(parse(t, "cues: []"), 48000, 1)}
	l.addTo(&p, parse(t, "cues: [{at: 0.5s, play: bell}, {at: 2s, play: gong}]"))
	if p.Next != "play gong" || p.NextAt != 96000 || p.Ends != 0 {
		t.Errorf("after a change %q comes next at %d, and it ends at %d", p.Next, p.NextAt, p.Ends)
	}
	if v := seen[10].voices; len(v) != 2 || v[0].colour != 0 || v[1].colour != 1 {
		t.Errorf("the voices are %+v", v)
	}
	if b := seen[20].Buses; len(b) != 2 || b[0].Name != "low" || b[0].Peak < -40 || b[0].Peak > 0 || b[1].Peak > -100 {
		t.Errorf("the buses are %v", b)
	}
}
