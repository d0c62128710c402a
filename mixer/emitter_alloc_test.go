package mixer_test

import (
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/space"
)

// TestFreshEmittersDoNotAllocate creates an Emitter for each start: it must stay on the stack of the
// caller.
func TestFreshEmittersDoNotAllocate(t *testing.T) {
	for _, stems := range []bool{false, true} {
		m := newMixer(t, mixer.Config{Rate: 1000, Stems: stems})
		sound := level(t, 1000, 5, 0.1)
		lead := play(t, m.Engine().At(0), level(t, 1000, 900, 0.1), mixer.Options{Loop: true})
		x, block := 0.0, make([]pcm.Frame, 20)
		for name, start := range map[string]func() (mixer.Handle, error){
			"Mixer.Play": func() (mixer.Handle, error) {
				return m.Play(sound, mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Position: space.Vector{x, 0, 0}}}})
			},
			"Moment.Play": func() (mixer.Handle, error) {
				return m.Engine().At(m.Now()).Play(sound, mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Position: space.Vector{x, 0, 0}}}})
			},
			"Handle.Then": func() (mixer.Handle, error) {
				return lead.Then(sound, mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Position: space.Vector{x, 0, 0}}}}, mixer.AtEnd)
			},
		} {
			once := func() {
				x++
				if _, err := start(); err != nil {
					t.Fatal(err)
				}
				m.Render(block)
			}
			for range 200 {
				once()
			}
			if n := testing.AllocsPerRun(100, once); n != 0 {
				t.Errorf("%s with a new Emitter, stems %v: %v allocations", name, stems, n)
			}
		}
	}
}
