package cue_test

import (
	"math"
	"slices"
	"testing"

	"voicepool/cue"
)

// TestResize: a cue makes the pool smaller, which takes what plays beyond it, and larger than the
// sheet has it.
func TestResize(t *testing.T) {
	f := newFolder(t)
	for name, c := range map[string]struct{ sheet, events string }{
		"smaller": {
			sheet: "cues: [{at: 0, play: quiet.wav}, {at: 0, play: half.wav}, {at: 20ms, voices: 1}]",
			events: "0 started quiet.wav/0, 0 started half.wav/1, 20 stolen quiet.wav/0, " +
				"100 ended half.wav/1",
		},
		"larger": {
			sheet: "voices: 1\ncues: [{at: 0, play: quiet.wav}, {at: 10ms, voices: 2}, {at: 20ms, play: half.wav}]",
			events: "0 started quiet.wav/0, 20 started half.wav/2, 100 ended quiet.wav/0, " +
				"120 ended half.wav/2",
		},
		"too late": {
			sheet: "voices: 1\ncues: [{at: 0, play: quiet.wav}, {at: 20ms, play: half.wav}, {at: 20ms, voices: 2}]",
			events: "0 started quiet.wav/0, 20 stolen quiet.wav/0, 20 started half.wav/1, " +
				"120 ended half.wav/1",
		},
		"by turns": {
			sheet: "cues: [{at: 0, play: half.wav, every: 20ms, times: 3}, {at: 10ms, voices: 1, every: 15ms, times: 2}]",
			events: "0 started half.wav/0, 20 stolen half.wav/0, 20 started half.wav/0, " +
				"40 stolen half.wav/0, 40 started half.wav/0, 140 ended half.wav/0",
		},
	} {
		if _, r := f.play(c.sheet); events(r) != c.events {
			t.Errorf("%s: %s\nwant %s", name, events(r), c.events)
		}
	}
}

// TestSetDuck: a bus ducks from a cue on, by another depth after another, and no more after the
// last, in blocks of any length.
func TestSetDuck(t *testing.T) {
	f := newFolder(t)
	const sheet = `buses: {a: {}, b: {}}
cues:
  - {at: 0, play: half.wav, bus: b}
  - {at: 0, play: quiet.wav, bus: a, gain: -60}
  - {at: 20ms, duck: b, when: a, by: 20, attack: 10ms, release: 10ms}
  - {at: 50ms, duck: b, when: a, by: 40, attack: 10ms, release: 10ms}
  - {at: 80ms, duck: b, by: 0}
`
	got := readAll(t, f.player(sheet, cue.Options{}), 64)
	for _, w := range []struct {
		frame int
		want  float64
	}{{frame: 19, want: 0.5}, {frame: 45, want: 0.05}, {frame: 75, want: 0.005}, {frame: 95, want: 0.5}} {
		if l := float64(got[w.frame][0]); math.Abs(l-w.want) > 0.001 {
			t.Errorf("frame %d is %v, want %v", w.frame, l, w.want)
		}
	}
	for _, block := range []int{1, 7, 200} {
		if again := readAll(t, f.player(sheet, cue.Options{}), block); !slices.Equal(again, got) {
			t.Errorf("in blocks of %d other frames come", block)
		}
	}
}
