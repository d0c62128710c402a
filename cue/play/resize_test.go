package play_test

import (
	"math"
	"slices"
	"testing"

	"voicepool/cue/play"
	"voicepool/pcm"
)

// TestResize checks a cue that shrinks the pool, which steals voices, and another cue that enlarges it beyond
// the sheet's size.
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

// TestSetDuck checks cues that start, change and end the duck of a bus, for all block lengths.
func TestSetDuck(t *testing.T) {
	f := newFolder(t)
	const sheet = `buses: {a: {}, b: {}}
cues:
  - {at: 0, play: half.wav, bus: b}
  - {at: 0, play: quiet.wav, bus: a, gain: -60}
  - {at: 20ms, duck: b, when: a, by: 20, above: -101, attack: 10ms, release: 10ms}
  - {at: 50ms, duck: b, when: a, by: 40, above: -101, attack: 10ms, release: 10ms}
  - {at: 80ms, duck: b, when: a, by: 40, above: -99}
  - {at: 110ms, duck: b, by: 0}
`
	got := readAll(t, f.player(sheet, play.Options{}), 64)
	for _, w := range []struct {
		frame int
		want  float64
	}{{frame: 19, want: 0.5}, {frame: 45, want: 0.05}, {frame: 75, want: 0.005}, {frame: 95, want: 0.5}} {
		if l := float64(got[w.frame][0]); math.Abs(l-w.want) > 0.001 {
			t.Errorf("frame %d is %v, want %v", w.frame, l, w.want)
		}
	}
	for _, block := range []int{1, 7, 200} {
		if again := readAll(t, f.player(sheet, play.Options{}), block); !slices.Equal(again, got) {
			t.Errorf("in blocks of %d other frames come", block)
		}
	}
}

// TestSceneCues checks that a scene sets the pool, gains, mutes and ducks like equivalent cues, and that
// other values return to the sheet's.
func TestSceneCues(t *testing.T) {
	f := newFolder(t)
	const head = `voices: 3
buses: {a: {gain: -3}, b: {duck: {when: a, by: 6, attack: 10ms, release: 10ms}}, c: {}}
sounds: {x: {file: half.wav, bus: a}, y: {file: half.wav, bus: b, loop: 9}, z: {file: quiet.wav, bus: c, loop: 9}}
scenes:
  menu:  {voices: 1, buses: {a: {gain: -20}, c: {mute: true}}}
  fight: {voices: 5, buses: {b: {gain: -9, duck: {when: c, by: 20, attack: 5ms, release: 5ms}}, master: {gain: -6}}}
`
	const plays = "{at: 0, play: x}, {at: 0, play: y}, {at: 0, play: z}, {at: 300ms, play: x}, {at: 500ms, play: x}, {at: 510ms, play: x}"
	for name, c := range map[string]struct{ scenes, apart string }{
		"smaller": {
			scenes: "{at: 20ms, scene: menu, over: 50ms}",
			apart:  "{at: 20ms, set: a, gain: -20, over: 50ms}, {at: 20ms, set: c, mute: true, over: 50ms}, {at: 70ms, voices: 1}",
		},
		"larger": {
			scenes: "{at: 20ms, scene: fight, over: 50ms}",
			apart: "{at: 20ms, voices: 5}, {at: 20ms, set: b, gain: -9, over: 50ms}, " +
				"{at: 20ms, duck: b, when: c, by: 20, attack: 5ms, release: 5ms}, {at: 20ms, set: master, gain: -6, over: 50ms}",
		},
		"one after the other": {
			scenes: "{at: 20ms, scene: menu, over: 50ms}, {at: 200ms, scene: fight}",
			apart: "{at: 20ms, set: a, gain: -20, over: 50ms}, {at: 20ms, set: c, mute: true, over: 50ms}, {at: 70ms, voices: 1}, " +
				"{at: 200ms, voices: 5}, {at: 200ms, set: a, gain: -3}, {at: 200ms, set: c, mute: false}, {at: 200ms, set: b, gain: -9}, " +
				"{at: 200ms, duck: b, when: c, by: 20, attack: 5ms, release: 5ms}, {at: 200ms, set: master, gain: -6}",
		},
		"back before it was over": {
			scenes: `{at: 20ms, scene: menu, over: 500ms}, {at: 200ms, scene: ""}`,
			apart: "{at: 20ms, set: a, gain: -20, over: 500ms}, {at: 20ms, set: c, mute: true, over: 500ms}, " +
				"{at: 200ms, set: a, gain: -3}, {at: 200ms, set: c, mute: false}",
		},
		"other cues between": {
			scenes: "{at: 20ms, scene: menu, over: 500ms}, {at: 100ms, voices: 2}, {at: 150ms, set: b, gain: -30}, " +
				"{at: 200ms, scene: menu}",
			apart: "{at: 20ms, set: a, gain: -20, over: 500ms}, {at: 20ms, set: c, mute: true, over: 500ms}, " +
				"{at: 100ms, voices: 2}, {at: 150ms, set: b, gain: -30}, {at: 200ms, voices: 1}",
		},
	} {
		play := func(cues string, block int) []pcm.Frame {
			return readAll(t, f.player(head+"length: 1s\ncues: ["+plays+", "+cues+"]", play.Options{}), block)
		}
		got := play(c.scenes, 64)
		if !slices.Equal(got, play(c.apart, 64)) {
			t.Errorf("%s: other frames come than by cues that say the same", name)
		}
		for _, block := range []int{1, 7, 2000} {
			if !slices.Equal(got, play(c.scenes, block)) {
				t.Errorf("%s: in blocks of %d other frames come", name, block)
			}
		}
	}
}
