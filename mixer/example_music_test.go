package mixer_test

import (
	"fmt"

	"voicepool/mixer"
	"voicepool/pcm"
)

// Gapless music: an intro, then a loop, which is left at its end for an outro.
func ExampleHandle_Then() {
	m, _ := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true})
	intro, loop, outro := tone(250), tone(100), tone(300)
	h, _ := m.Play(intro, mixer.Options{})
	body, _ := h.Then(loop, mixer.Options{Loop: true}, mixer.AtEnd)
	render(m, 480)
	end, _ := body.Then(outro, mixer.Options{}, mixer.AtLoopEnd) // the game was won
	fmt.Println(end.State())
	render(m, 500)
	events := make([]mixer.Event, 16)
	for _, e := range events[:m.Events(events)] {
		fmt.Println(e.Frame, e.Kind, e.Voice)
	}
	// Output:
	// pending
	// 0 started 1
	// 250 ended 1
	// 250 started 2
	// 550 ended 2
	// 550 started 3
	// 850 ended 3
}

// A settings page: volumes of 0 to 1, stored in a file, set the gains of buses.
func ExampleBus_SetGain() {
	m, _ := mixer.New(mixer.Config{Buses: []mixer.BusConfig{{Name: "music"}, {Name: "sfx"}}})
	saved := map[string]float64{"master": 1, "music": 0.5, "sfx": 0}
	for _, name := range []string{"master", "music", "sfx"} {
		bus, err := m.Bus(name)
		if err != nil {
			continue // a bus of an older version of the game
		}
		bus.SetGain(pcm.FromFader(saved[name]))
		fmt.Printf("%s %.1f dB\n", bus.Name(), bus.Gain())
	}
	// Output:
	// master 0.0 dB
	// music -18.1 dB
	// sfx -120.0 dB
}
