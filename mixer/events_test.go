package mixer_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// restless returns a sound at 1000 Hz that alternates between loud and quiet every 20 ms, so that it
// gains and loses a slot all the time.
func restless(t *testing.T, on int) *sounds.Sound {
	return indexed(t, 0.1, func(hop int) float32 {
		if hop%2 == on {
			return 0.1
		}
		return 1e-9
	})
}

// TestEventsOfALongBlock checks that the default Config.Events loses no events in one block of 20 s, with
// the maximum number of exchanges and commands.
func TestEventsOfALongBlock(t *testing.T) {
	sounds := [2]*sounds.Sound{restless(t, 0), restless(t, 1)}
	polled := make([]mixer.Event, 1<<16)
	for _, c := range []mixer.Config{
		{Voices: 8, Virtual: 32}, {Voices: 32, Virtual: 64}, {Voices: 1, Virtual: 1}, {Voices: 4, Virtual: 200, Overflow: mixer.StealMasked},
		{Voices: 8, Virtual: 32, Commands: 3}, {Voices: 8}, {Voices: 300, Commands: 3}, {Voices: 20, Virtual: 300, Commands: 5},
	} {
		for _, seconds := range []int{15, 20}[:longtest.Amount(1, 2)] {
			r := rand.New(rand.NewPCG(1, 2))
			c.Rate, c.NoLimiter = 1000, true
			m := newMixer(t, c)
			block := make([]pcm.Frame, seconds*1000)
			for i := range c.Voices + c.Virtual {
				play(t, m.Engine().At(mixer.Now), sounds[i%2], mixer.Options{Loop: i/2%2 == 0}) // each kind has its own places
				m.Render(nil)
			}
			m.Render(block[:1])
			m.Events(polled)
			m.Engine().At(5000).Resize(1)
			m.Engine().At(7000).Resize(c.Voices)
			for range 4096 {
				m.Engine().At(1+r.Int64N(int64(len(block)-1))).Play(sounds[r.IntN(2)], mixer.Options{Loop: r.IntN(2) == 0})
			}
			before := m.Stats()
			m.Render(block)
			kinds := map[mixer.EventKind]int{}
			for _, e := range polled[:m.Events(polled)] {
				kinds[e.Kind]++
			}
			what := fmt.Sprintf("%d voices, %d virtual, %d commands, %d s: %v", c.Voices, c.Virtual, before.Pending, seconds, kinds)
			if lost := m.Stats().EventsLost; lost != 0 {
				t.Errorf("%s, and %d events are lost", what, lost)
			}
			if heavy := seconds * 50 * 3; c.Voices >= 8 && c.Virtual > 0 && kinds[mixer.EventReal] < heavy {
				t.Errorf("%s: voices come back less than %d times: it proves too little", what, heavy)
			}
		}
	}
}
