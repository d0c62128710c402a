package mixer_test

import (
	"fmt"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// TestStreamLeavesItsLoop: a stream that is let go, or that is kept in, has the bits of the
// loaded sound, whenever it is asked, at any speed and in any blocks.
func TestStreamLeavesItsLoop(t *testing.T) {
	frames := hiss(5, 3000)
	for _, loop := range []pcm.Loop{{300, 1100}, {500, 540}, {0, 3000}} {
		whole, stream := loaded(t, frames, loop), tape(t, frames, &loop)
		for _, speed := range []float64{1, 0.6, 1.9, 16} {
			for _, starts := range []bool{true, false} {
				for _, at := range []int{0, 10, 290, 700, 1090, 1100, 1500, 2650} {
					for _, block := range []int{1, 97, 4096} {
						if testing.Short() && (at+block+int(loop[0]))%3 != 0 {
							continue
						}
						var out [2][]pcm.Frame
						for i, s := range []*voice.Sound{whole, stream} {
							m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
							h := play(t, m.At(mixer.Now), s, mixer.Options{Loop: starts, Speed: speed, Quality: voice.Cubic})
							out[i] = renderIn(m, at, block)
							rounds := 1
							if !starts {
								rounds = mixer.Forever
							}
							if err := h.SetLoop(rounds); err != nil && err != mixer.ErrGone {
								t.Fatal(err)
							}
							out[i] = append(out[i], renderIn(m, 9000, block)...)
							m.Close()
						}
						what := fmt.Sprintf("loop %v, speed %v, loops at first %v, asked at %d, blocks of %d", loop, speed, starts, at, block)
						for i, want := range out[0] {
							if got := out[1][i]; got != want {
								t.Fatalf("%s: frame %d of the stream is %v, want %v", what, i, got, want)
							}
						}
					}
				}
			}
		}
	}
}
