package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// playThrough plays a sheet faster than real time, looking at the board between
// blocks.
func playThrough(t *testing.T, sheet *cue.Sheet, look func(picture)) (*board, *report.Report) {
	t.Helper()
	bank := sounds.NewBank(sounds.Options{Rate: sheet.Rate})
	b := newBoard(sheet, bank)
	p, err := cue.NewPlayer(context.Background(), sheet, bank, cue.Options{Watch: b.watch, Events: true})
	if err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, 1200)
	for {
		if _, err := p.Read(block); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		look(b.look(p))
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

// TestDemo holds the show to what it is for: 20 to 40 seconds, 16 voices, 64
// sounds at once, and a board that knows what the mixer knows.
func TestDemo(t *testing.T) {
	sheet := parse(t, string(demoSheet))
	pictures := 0
	b, r := playThrough(t, sheet, func(p picture) {
		pictures++
		if len(p.voices) != int(p.stats.Playing) {
			t.Fatalf("at frame %d the board has %d voices, the mixer %d", p.stats.Frame, len(p.voices), p.stats.Playing)
		}
		for _, v := range p.voices {
			if v.slot < 0 || v.slot > 15 || v.number == 0 || v.sound == "" || v.pan < -1 || v.pan > 1 || v.level > 12 {
				t.Fatalf("at frame %d there is a voice %+v", p.stats.Frame, v)
			}
		}
	})
	if err := sheet.CheckRender(); err != nil {
		t.Error(err)
	}
	if s := float64(r.Frames) / float64(r.Rate); s < 20 || s > 40 {
		t.Errorf("it lasts %v s", s)
	}
	if r.Voices != 16 || r.Totals.HighWater != 16 || r.Totals.Limited == 0 || r.Totals.Late+r.Totals.Missed+r.Totals.Faults+r.Totals.Playing != 0 {
		t.Errorf("%+v", r)
	}
	if b.crowd.asked != 64 || b.crowd.stolen < 48 || b.crowd.frame != 16*48000 {
		t.Errorf("the crowd is %+v, want 64 asked for at 16 s", b.crowd)
	}
	if int64(b.stolen) != r.Totals.Stolen {
		t.Errorf("the history has %d steals, the report %d", b.stolen, r.Totals.Stolen)
	}
	if r.Peak > 0 || r.Loudness < -24 || r.Loudness > -14 {
		t.Errorf("peak %v dB, loudness %v LUFS", r.Peak, r.Loudness)
	}
	var out strings.Builder
	b.summary(&out, r)
	for _, want := range []string{
		"at 16.0 s 64 sounds were asked for at once: ", "\nthe quietest loss: ", " lost its voice to ", "it would have been heard at -", ", the next of ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the summary lacks %q:\n%s", want, &out)
		}
	}
}

// TestBoardFollowsMoves checks what the board makes of a sheet against what the
// laws of cue sheets say.
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
	playThrough(t, sheet, func(p picture) {
		if p.stats.Frame%24000 != 0 || len(p.voices) != 2 {
			return
		}
		theme, clock := p.voices[0], p.voices[1]
		half := p.stats.Frame / 24000
		wantPan := map[int64]float64{1: -0.5, 2: 0, 3: 0.5, 4: 1, 5: 1, 6: 1}[half]
		if diff := theme.pan - wantPan; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("after %d half seconds the theme is at %v, want %v", half, theme.pan, wantPan)
		}
		if clock.paused != (half == 3) {
			t.Errorf("after %d half seconds the clock's pause is %v", half, clock.paused)
		}
		if !theme.loop || theme.sound != "theme" || clock.sound != "clock" {
			t.Errorf("%+v", p.voices)
		}
		seen++
	})
	if seen < 5 {
		t.Errorf("%d pictures were looked at", seen)
	}
}

func TestVoiceMovesOn(t *testing.T) {
	bank := sounds.NewBank(sounds.Options{})
	clock, err := bank.Embedded("clock") // one second, a loop
	if err != nil {
		t.Fatal(err)
	}
	v := playing{data: clock, loop: true, basePace: 2, speed: still(1.5), pitch: still(-12), pan: still(0), gain: still(-6)}
	v.advance(48000)
	if v.position != 24000 {
		t.Errorf("after 1 s at 2 x 1.5 x 1/2 a loop of 1 s is at frame %v, want 24000", v.position)
	}
	v.paused = true
	v.advance(96000)
	if v.position != 24000 || v.level() != barBottom {
		t.Errorf("a pause has moved it to %v, level %v", v.position, v.level())
	}
	m := still(2)
	m.to(4, 100, 50)
	m.to(0, 125, 10)
	for frame, want := range map[int64]float64{0: 3, 125: 3, 130: 1.5, 135: 0, 1000: 0} {
		if got := m.at(frame); got != want {
			t.Errorf("the motion is at %v at frame %d, want %v", got, frame, want)
		}
	}
}

// Of two crowds alike the first one is told, complete with what it cost.
func TestCrowd(t *testing.T) {
	var h history
	for _, frame := range []int64{5, 9} {
		h.note(report.Event{Frame: frame, Kind: mixer.Started, Sound: "a"})
		h.note(report.Event{Frame: frame, Kind: mixer.Stolen, Sound: "a", BySound: "b", By: 2, Audibility: -30})
		h.note(report.Event{Frame: frame, Kind: mixer.Started, Sound: "b"})
		h.note(report.Event{Frame: frame, Kind: mixer.Limited, Sound: "c", Reason: mixer.Cooldown})
	}
	if want := (moment{frame: 5, asked: 3, stolen: 1, limited: 1}); h.crowd != want {
		t.Errorf("the crowd is %+v, want %+v", h.crowd, want)
	}
}

// TestCrowdTells: each of what it has cost by itself.
func TestCrowdTells(t *testing.T) {
	for _, c := range []struct {
		m    moment
		want string
	}{
		{moment{stolen: 1, rejected: 2, limited: 1, coalesced: 3}, "1 voice was taken, 2 starts were rejected, 1 was limited, 3 became a part of others"},
		{moment{rejected: 1}, "1 start was rejected"},
		{moment{limited: 5}, "5 were limited"},
		{moment{stolen: 9, coalesced: 1}, "9 voices were taken, 1 became a part of another"},
	} {
		if got := c.m.tell(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	var h history
	for i, kind := range []mixer.Kind{mixer.Started, mixer.Coalesced, mixer.Rejected, mixer.Limited} {
		h.note(report.Event{Frame: 7, Kind: kind, Voice: uint64(i)})
	}
	if want := (moment{frame: 7, asked: 4, rejected: 1, limited: 1, coalesced: 1}); h.crowd != want {
		t.Errorf("the crowd is %+v, want %+v", h.crowd, want)
	}
}

// TestBoardFollowsFeatures: seeks, rounds, solos and mutes in a tree, and starts
// that became a part of others.
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
	b, r := playThrough(t, sheet, func(p picture) {
		if len(p.voices) != int(p.stats.Playing) {
			t.Fatalf("at frame %d the board has %d voices, the mixer %d", p.stats.Frame, len(p.voices), p.stats.Playing)
		}
		var muted []string
		for _, v := range p.voices {
			muted = append(muted, fmt.Sprint(v.sound, " ", v.mute, " ", v.loop))
		}
		seen[p.stats.Frame*40/48000] = strings.Join(muted, ", ")
	})
	for at, want := range map[int64]string{ // of a fortieth of a second
		5: "theme false true, clock true true", 15: "theme false true, clock false true", 30: "theme false true, clock true true",
		44: "theme false true, clock false false", 62: "clock false false",
	} {
		if seen[at] != want {
			t.Errorf("after %d ms there is %q, want %q", 25*at, seen[at], want)
		}
	}
	if r.Totals.Coalesced != 2 || len(b.asks[6]) != 0 || len(b.voices)+len(b.away) != 0 {
		t.Errorf("%+v, the board still has %d voices and waits for %d starts", r.Totals, len(b.voices)+len(b.away), len(b.asks[6]))
	}
}

// TestBoardSeeks: the place counts at once.
func TestBoardSeeks(t *testing.T) {
	sheet := parse(t, "rate: 48000\ncues: [{at: 0s, play: clock, id: a}, {at: 500ms, seek: a, to: 100ms}]")
	playThrough(t, sheet, func(picture) {})
	b := newBoard(sheet, sounds.NewBank(sounds.Options{}))
	b.watch(report.Event{Kind: mixer.Started, Voice: 1, Sound: "clock"})
	b.watch(report.Event{Frame: 28800, Kind: mixer.Missed}) // 100 ms after the seek
	b.voices[0].advance(28800)
	if got := b.voices[0].position; got != 9600 {
		t.Errorf("it is at frame %v, want 9600", got)
	}
}

// TestBoardKeepsTheAbsent: a voice that has become virtual comes back to a slot.
func TestBoardKeepsTheAbsent(t *testing.T) {
	sheet := parse(t, "cues: [{at: 0s, play: clock, loop: true, for: 9s}, {at: 0s, play: clock, loop: true, for: 9s}]")
	b := newBoard(sheet, sounds.NewBank(sounds.Options{}))
	b.watch(report.Event{Kind: mixer.Started, Voice: 1, Slot: 3, Sound: "clock"})
	b.watch(report.Event{Frame: 9, Kind: mixer.BecameVirtual, Voice: 1, Slot: -1, By: 2, Sound: "clock"})
	b.watch(report.Event{Frame: 9, Kind: mixer.Started, Voice: 2, Slot: 3, Sound: "clock", Cue: 1})
	if v := b.voices[3]; v == nil || v.number != 2 || v.victim == nil || b.away[1] == nil {
		t.Fatalf("the newcomer is %+v, absent are %v", v, b.away)
	}
	b.watch(report.Event{Frame: 20, Kind: mixer.Stopped, Voice: 2, Slot: 3})
	b.watch(report.Event{Frame: 20, Kind: mixer.BecameReal, Voice: 1, Slot: 3})
	if v := b.voices[3]; v == nil || v.number != 1 || v.slot != 3 || len(b.away) != 0 {
		t.Errorf("back is %+v, absent are %v", v, b.away)
	}
}
