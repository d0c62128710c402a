package play_test

import (
	"fmt"
	"slices"
	"testing"

	"voicepool/cue/play"
	"voicepool/internal/longtest"
)

// TestLengthOfSoundlessStarts checks a start after the end of its sound: it ends as it begins, and the render
// lasts until then, for all block lengths, with and without the limiter.
func TestLengthOfSoundlessStarts(t *testing.T) {
	f := newFolder(t)
	for _, limiter := range []bool{false, true} {
		text := fmt.Sprintf(`master: {limiter: %v}
cues:
  - {at: 0, play: short.wav}
  - {at: 64ms, play: short.wav, from: 500ms}
  - {at: 100ms, play: none.wav}
`, limiter)
		want := readAll(t, f.player(text, play.Options{}), 1000)
		if len(want) != 100 {
			t.Errorf("limiter %v: in one block the render has %d frames, want 100", limiter, len(want))
		}
		for block := 1; block <= 101; block++ {
			few := block < 5 || block%8 == 3 || block >= 63 && block <= 65 || block >= 99
			if !few && !longtest.Enabled() {
				continue
			}
			if got := readAll(t, f.player(text, play.Options{}), block); !slices.Equal(got, want) {
				t.Errorf("limiter %v: in blocks of %d the render has %d frames, want %d", limiter, block, len(got), len(want))
			}
		}
	}
}
