package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// playThrough plays a sheet faster than real time, looking at the board between
// blocks.
func playThrough(t *testing.T, sheet *cue.Sheet, look func(picture)) (*board, *cue.Report) {
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

func TestTellSteal(t *testing.T) {
	e := cue.Event{
		Frame: 595200, Kind: mixer.Stolen, Sound: "drip", By: 9, BySound: "bell", Reason: mixer.PoolFull,
		Audibility: -61.2, RunnerUp: -58, HasRunnerUp: true, Candidates: 13,
	}
	for _, c := range []struct {
		change func(*cue.Event)
		want   string
	}{
		{func(*cue.Event) {}, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 13 at -58"},
		{func(e *cue.Event) { e.HasRunnerUp = false }, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, and there was no other choice"},
		{func(e *cue.Event) { e.Audibility = -300 }, "drip lost its voice to bell at 12.4 s: nothing of it would have been heard, the next of 13 at -58"},
		{func(e *cue.Event) { e.Reason = mixer.GroupLimit }, "drip lost its voice to bell at 12.4 s: it would have been heard at -61 dB, the next of 13 at -58 (the limit of the sound)"},
		{func(e *cue.Event) { e.By = 0 }, "drip lost its voice at 12.4 s, since the pool became smaller"},
	} {
		changed := e
		c.change(&changed)
		if got := tellSteal(&changed, 48000); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Of two crowds alike the first one is told, complete with what it cost.
func TestCrowd(t *testing.T) {
	var h history
	for _, frame := range []int64{5, 9} {
		h.note(cue.Event{Frame: frame, Kind: mixer.Started, Sound: "a"})
		h.note(cue.Event{Frame: frame, Kind: mixer.Stolen, Sound: "a", BySound: "b", By: 2, Audibility: -30})
		h.note(cue.Event{Frame: frame, Kind: mixer.Started, Sound: "b"})
		h.note(cue.Event{Frame: frame, Kind: mixer.Limited, Sound: "c", Reason: mixer.Cooldown})
	}
	if want := (moment{frame: 5, asked: 3, stolen: 1, refused: 1}); h.crowd != want {
		t.Errorf("the crowd is %+v, want %+v", h.crowd, want)
	}
}
