package play_test

import (
	"slices"
	"testing"

	"voicepool/cue/play"
	"voicepool/pcm"
)

// TestEffectCues checks that a scene sets effect values like equivalent cues, for all block lengths, and that
// other values return to the sheet's.
func TestEffectCues(t *testing.T) {
	f := newFolder(t)
	const head = `buses: {hall: {effects: [{delay: {time: 40ms, feedback: 0.5}}, {delay: {id: far, time: 90ms, mix: 0.1}}], sends: {well: -20}}, well: {effects: [delay]}}
scenes:
  cave: {buses: {hall: {effects: {delay: {feedback: 0.8, lowpass: 200}, far: {mix: 0.7}}, sends: {well: -3}}}}
  dry:  {buses: {hall: {effects: {delay: {bypass: true}}}}}
sounds: {x: {file: short.wav, bus: hall}}
cues: [{at: 0, play: x, every: 70ms, times: 9}, `
	for scenes, apart := range map[string]string{
		"{at: 100ms, scene: cave, over: 50ms}": "{at: 100ms, set: hall, effects: {delay: {feedback: 0.8, lowpass: 200}, far: {mix: 0.7}}, over: 50ms}, {at: 100ms, set: hall, sends: {well: -3}, over: 50ms}",
		"{at: 100ms, scene: cave}, {at: 300ms, scene: dry, over: 100ms}, {at: 500ms, scene: \"\"}": "{at: 100ms, set: hall, effects: {delay: {lowpass: 200, feedback: 0.8}, far: {mix: 0.7}}, sends: {well: -3}}, " +
			"{at: 300ms, set: hall, effects: {delay: {bypass: true, feedback: 0.5, lowpass: off}, far: {mix: 0.1}}, sends: {well: -20}, over: 100ms}, " +
			"{at: 500ms, set: hall, effects: {delay: {bypass: false}}}",
	} {
		want := readAll(t, f.player(head+apart+"]", play.Options{}), 64)
		if last := want[len(want)-1]; len(want) < 700 || last == (pcm.Frame{}) {
			t.Errorf("%s: %d frames, the last %v", apart, len(want), last)
		}
		for _, block := range []int{7, 64, 999} {
			if got := readAll(t, f.player(head+scenes+"]", play.Options{}), block); !slices.Equal(got, want) {
				t.Errorf("%s, in blocks of %d: %d frames, which are not those of %s, %d", scenes, block, len(got), apart, len(want))
			}
		}
	}
}

// TestQuietRingIsKept checks that a tail below -90 dBFS is kept if sound follows, also after a pause of the
// player, and is cut at the end.
func TestQuietRingIsKept(t *testing.T) {
	f := newFolder(t)
	const sheet = `buses: {hall: {effects: [{delay: {time: 40ms, feedback: 0.5, lowpass: 100}}]}}
sounds: {x: {file: short.wav, bus: hall}}
cues: [{at: 0, play: x}, {at: 1200ms, play: x}]`
	got := readAll(t, f.player(sheet, play.Options{}), 64)
	quiet := 0
	for _, x := range got[:1200] {
		if a := max(x[0], -x[0]); a > 0 && a < 3e-5 {
			quiet++
		}
	}
	if quiet < 200 {
		t.Errorf("%d frames are below -90 dBFS and not silent, before the second sound", quiet)
	}
	if n := len(got); got[n-1][0] < 3.1e-5 || n < 1700 || n > 2200 {
		t.Errorf("it ends with %v after %d frames", got[n-1], n)
	}
}
