package mixer_test

import (
	"fmt"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestStreamLeavesItsLoop releases the loop of a stream, or keeps it, at any time. The bits must be the
// same as with the loaded sound, at any speed and in blocks of any length.
func TestStreamLeavesItsLoop(t *testing.T) {
	frames, next := hiss(5, 3000), longtest.Every(5)
	for _, loop := range []pcm.Loop{{300, 1100}, {500, 540}, {0, 3000}} {
		whole, stream := loaded(t, frames, loop), tape(t, frames, &loop)
		for _, speed := range []float64{1, 0.6, 1.9, 16} {
			for _, starts := range []bool{true, false} {
				for _, at := range []int{0, 10, 290, 700, 1090, 1100, 1500, 2650} {
					for _, block := range []int{1, 97, 4096} {
						if !next() {
							continue
						}
						var out [2][]pcm.Frame
						for i, s := range []*sounds.Sound{whole, stream} {
							m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
							h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Loop: starts, Speed: speed, EngineOptions: mixer.EngineOptions{Quality: sounds.Cubic}})
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

// TestStreamCountsRounds plays a number of rounds of a stream, from its start or from a call on. Bits and
// end must be the same as with the loaded sound, from any position, at any speed and in blocks of any
// length.
func TestStreamCountsRounds(t *testing.T) {
	frames := hiss(6, 2000)
	for _, loop := range []pcm.Loop{{300, 1100}, {500, 540}, {0, 2000}, {700, 712}} {
		whole, stream := loaded(t, frames, loop), tape(t, frames, &loop)
		for _, o := range []mixer.Options{
			{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 1}}, {Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 2}}, {Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 5}}, {Loop: true}, {},
			{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 3}, From: 130 * ms}, {Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 2}, From: 200 * ms},
		} {
			for _, set := range []struct{ at, rounds int }{{0, 0}, {0, 3}, {290, 2}, {1090, 4}, {1500, 2}, {1500, 1}, {2650, 3}} {
				if o.Loop && o.Rounds == 0 && set.rounds == 0 {
					continue
				}
				for _, speed := range []float64{1, 16, 0.6, 1.9} {
					if o.From > 0 && speed != 1 && speed != 16 { // a stream has no frame before its first
						continue
					}
					for _, block := range []int{1, 97, 4096} {
						if (set.at+block+int(loop[0])+o.Rounds)%5 != 0 && (!longtest.Enabled() || block == 1) {
							continue
						}
						o.Speed, o.Quality = speed, sounds.Cubic
						var out [2][]pcm.Frame
						var events [2]string
						for i, s := range []*sounds.Sound{whole, stream} {
							m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
							h := play(t, m.Engine().At(mixer.Now), s, o)
							out[i] = renderIn(m, set.at, block)
							if set.rounds > 0 {
								if err := h.SetLoop(set.rounds); err != nil && err != mixer.ErrGone {
									t.Fatal(err)
								}
							}
							out[i] = append(out[i], renderIn(m, 12000, block)...)
							events[i] = happened(m)
							m.Close()
						}
						what := fmt.Sprintf("loop %v, %+v, at %d %d rounds, blocks of %d", loop, o, set.at, set.rounds, block)
						if events[0] != events[1] {
							t.Fatalf("%s: %s, want %s", what, events[1], events[0])
						}
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

// TestStreamRoundsFollowed checks the start of a successor of a stream with rounds: after its rounds, or
// at the end of the present round.
func TestStreamRoundsFollowed(t *testing.T) {
	frames, loop := hiss(7, 1500), pcm.Loop{300, 1100}
	for _, when := range []mixer.When{mixer.AtEnd, mixer.AtLoopEnd} {
		for _, asked := range []int{10, 1200, 2800, 2950} {
			var events [2]string
			for i, s := range []*sounds.Sound{loaded(t, frames, loop), tape(t, frames, &loop)} {
				m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
				h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 3}})
				renderIn(m, asked, 480)
				_, err := h.Then(loaded(t, hiss(8, 100), pcm.Loop{}), mixer.Options{}, when)
				must(t, err)
				renderIn(m, 6000, 480)
				events[i] = happened(m)
				m.Close()
			}
			if events[0] != events[1] {
				t.Errorf("when %d, asked at %d: %s, want %s", when, asked, events[1], events[0])
			}
		}
	}
}
