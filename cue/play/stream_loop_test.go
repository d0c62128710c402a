package play_test

import (
	"fmt"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestStreamLeavesItsLoopByACue checks that a stream that is released from its loop, kept in it, or limited
// to a number of rounds gives the same bits as the loaded sound.
func TestStreamLeavesItsLoopByACue(t *testing.T) {
	lib := library.NewLibrary(library.Options{Rate: 8000})
	for _, cues := range []string{
		"{at: 0, play: s, id: a, loop: true}, {at: 1s, set: a, loop: false}",
		"{at: 0, play: s, id: a, loop: true}, {at: 1s, set: a, loop: false, gain: -6, over: 100ms}",
		"{at: 0, play: s, id: a, loop: true}, {at: 0, set: a, loop: false}",
		"{at: 0, play: s, id: a}, {at: 500ms, set: a, loop: true}, {at: 3.1s, set: a, loop: false}",
		"{at: 0, play: s, id: a, loop: 3}",
		"{at: 0, play: s, id: a, loop: 2, pitch: -3}, {at: 1s, set: a, loop: 3}",
		"{at: 0, play: s, id: a}, {at: 0.5, set: a, loop: 2}",
		"{at: 0, play: s, id: a, loop: 9}, {at: 1s, set: a, loop: true}, {at: 5s, set: a, loop: 2}",
		"{at: 0, play: s, id: a, loop: true, pitch: 5}, {at: 4s, set: a, loop: false}, {at: 4s, play: s, id: a, loop: true}, {at: 5s, stop: a}",
	} {
		var out [2][]pcm.Frame
		for i, stream := range []bool{false, true} {
			s, err := cue.Parse("s.yaml", fmt.Appendf(nil, "rate: 8000\noverflow: oldest\nquality: cubic\n"+
				"sounds: {s: {file: engine, stream: %v}}\ncues: [%s]", stream, cues))
			if err != nil {
				t.Fatal(err)
			}
			p, err := play.NewPlayer(t.Context(), s, lib, play.Options{})
			if err != nil {
				t.Fatal(err)
			}
			out[i] = readAll(t, p, 777)
		}
		if len(out[0]) < 8000 || len(out[0]) != len(out[1]) {
			t.Errorf("%s: %d frames of the sound, %d of the stream", cues, len(out[0]), len(out[1]))
			continue
		}
		for i, want := range out[0] {
			if out[1][i] != want {
				t.Errorf("%s: frame %d of the stream is %v, want %v", cues, i, out[1][i], want)
				break
			}
		}
	}
}
