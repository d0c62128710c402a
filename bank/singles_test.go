package bank

import (
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestSingles compares singles with a list that is searched as a whole: each playing voice is in the list,
// in the order of their starts, and the list stays short.
func TestSingles(t *testing.T) {
	m, err := mixer.New(mixer.Config{Rate: 48000, Voices: 64})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var all []*sounds.Sound
	for n := range 64 {
		mono := make([]float32, n+1)
		mono[0] = 0.1
		sound, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: mono})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sound)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var list singles
	var model []mixer.Handle
	most := 0 // playing at a time
	block := make([]pcm.Frame, 16)
	for round := range 1500 {
		h, err := m.Play(all[random.IntN(len(all))], mixer.Options{Loop: random.IntN(8) == 0, Gain: pcm.Decibels(-random.IntN(40))})
		if err != nil {
			t.Fatal(err)
		}
		list.add(h)
		model = append(model, h)
		if random.IntN(3) > 0 {
			m.Render(block)
		}
		playing := func(all []mixer.Handle) []mixer.Handle {
			return slices.DeleteFunc(slices.Clone(all), func(h mixer.Handle) bool { return h.State().Over() || h == mixer.Handle{} })
		}
		model = playing(model)
		if got := playing(list.handles); !slices.Equal(got, model) {
			t.Fatalf("round %d: %d plays, want %d, or their order is wrong", round, len(got), len(model))
		}
		most = max(most, len(model))
		if len(list.handles) > 4*most+8 {
			t.Fatalf("round %d: %d elements for at most %d plays at a time", round, len(list.handles), most)
		}
	}
}
