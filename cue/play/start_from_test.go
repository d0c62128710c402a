package play_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestBeginning checks that a render from a place equals the end of the complete render, bit for bit and with
// the same events.
func TestBeginning(t *testing.T) {
	f := newFolder(t)
	random := rand.New(rand.NewPCG(17, 1))
	for name, sheet := range map[string]string{
		"by time": busySheet,
		"a long loop, a late start, and silence between": "voices: 2\nvirtual: 2\nsounds: {a: {files: [half.wav, quiet.wav], pick: random, gain: [-9, 0]}}\n" +
			"cues: [{at: 0, play: quiet.wav, id: l, loop: true}, {at: 10ms, play: a, every: 137ms, times: 60}, {at: 9s, stop: l, over: 300ms}, {at: 12s, play: half.wav}]",
		"with the guard against a DC offset": "master: {limiter: true, dc_guard: true}\ncues: [{at: 3s, play: half.wav}, {at: 5s, play: half.wav, loop: true, for: 2s}, {at: 9s, play: short.wav}]",
		"a list": "list: [{cue: 1, play: half.wav, id: a, loop: true}, {cue: 2, play: short.wav, then: follow}, {cue: 3, pre: 7ms, do: [{play: half.wav, id: b}, {at: end of b, stop: a}]}]\n" +
			"goes: [1s, 5s]",
	} {
		want, whole := f.play(sheet)
		for range rounds(10, 40) {
			from := random.IntN(len(want))
			p := f.player(sheet, play.Options{Events: true, From: rules.FrameTime(int64(from), rate)})
			got := readAll(t, p, 1+random.IntN(900))
			if !slices.Equal(got, want[from:]) {
				t.Fatalf("%s from %d: %d frames, which are not the last %d", name, from, len(got), len(want)-from)
			}
			r := p.Report()
			if events(r) != events(whole) || r.Totals != whole.Totals {
				t.Errorf("%s from %d: %+v\n%s\nwant %+v\n%s", name, from, r.Totals, events(r), whole.Totals, events(whole))
			}
			if r.From != int64(from) || r.Frames != int64(len(want)) || p.StartFrame() != int64(from) {
				t.Errorf("%s: from %d to %d, want %d to %d", name, r.From, r.Frames, from, len(want))
			}
		}
	}
}

// TestBeginningAtCue checks that a show can begin with a cue, even if only a render can find the time of that
// cue.
func TestBeginningAtCue(t *testing.T) {
	f := newFolder(t)
	sheet := "cues: [{at: 4s, cue: 20, play: short.wav}]\n" +
		"list: [{cue: 1, play: half.wav, times: 40, every: 100ms, then: follow}, {cue: 2, pre: 7ms, play: short.wav}, {cue: 2.50, play: half.wav, arm: false}, {cue: 3, play: half.wav}, {cue: 4, play: half.wav}]\n" +
		"goes: [1s, 6s]"
	want, _ := f.play(sheet)
	for number, from := range map[string]int{"1": 1000, "1.0": 1000, "20": 4000, "2": 5007, "3": 6000} {
		p := f.player(sheet, play.Options{Cue: number})
		if got := readAll(t, p, 333); !slices.Equal(got, want[from:]) || p.StartFrame() != int64(from) {
			t.Errorf("cue %s begins at %d with %d frames, want %d with %d", number, p.StartFrame(), len(got), from, len(want)-from)
		}
	}
}

// TestBeginningNowhere checks the errors for a beginning after the end of the show and for an unknown cue.
func TestBeginningNowhere(t *testing.T) {
	f := newFolder(t)
	for _, c := range []struct {
		name, sheet string
		options     play.Options
		says        string
	}{
		{name: "after the end", sheet: "cues: [{at: 0, play: half.wav}]", options: play.Options{From: rules.FrameTime(5000, rate)}, says: "it ends at 0.1s"},
		{name: "after the length", sheet: "length: 50ms\ncues: [{at: 0, play: half.wav}]", options: play.Options{From: rules.FrameTime(60, rate)}, says: "it ends at 0.05s"},
		{name: "a number that nobody has", sheet: "list: [{cue: 1, play: half.wav}]\ngoes: [0]", options: play.Options{Cue: "11"}, says: `no cue has the number "11"; the nearest is "1"`},
		{name: "no numbers", sheet: "cues: [{at: 0, play: half.wav}]", options: play.Options{Cue: "11"}, says: "the cues have no numbers and count from 0 to 0; no cue is \"11\""},
		{name: "no GO", sheet: "list: [{cue: 1, play: half.wav}, {cue: 2, play: half.wav}]\ngoes: [0]", options: play.Options{Cue: "2"}, says: `no GO reaches cue "2"`},
	} {
		s, err := cue.Parse(f.path+"/s.yaml", []byte("rate: 1000\n"+c.sheet))
		if err != nil {
			t.Fatal(err)
		}
		p, err := play.NewPlayer(t.Context(), s, library.NewLibrary(library.Options{Rate: rate}), c.options)
		if err == nil { // the error comes when the player has reached the end
			n, block := 0, make([]pcm.Frame, 100)
			for err == nil && n == 0 {
				n, err = p.Read(block)
			}
			p.Close()
		}
		if !errors.Is(err, play.ErrStartPosition) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}
