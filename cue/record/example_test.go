package record_test

import (
	"fmt"
	"os"

	"voicepool/bank/rules"
	"voicepool/cue/record"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// The recording of a game becomes a sheet that renders to the same bits.
func ExampleRecorder() {
	coin, err := embedded.Load(library.NewLibrary(library.Options{}), "coin")
	if err != nil {
		fmt.Println(err)
		return
	}
	config := mixer.Config{Rate: 48000, Voices: 2, Journal: 1 << 16} // capacity of the journal
	m, err := mixer.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	head, err := record.RulesOf(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	recorder := record.New(head, func(s *sounds.Sound) (rules.Sound, bool) {
		return rules.Sound{Name: s.Name(), Files: []rules.File{{Name: s.Name()}}}, true // embedded
	})

	m.Play(coin, mixer.Options{Gain: -6})
	m.Render(make([]pcm.Frame, 512))
	if err = recorder.ReadJournal(m); err == nil {
		_, err = recorder.WriteTo(os.Stdout)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// voices: 2
	// overflow: quietest
	// quality: best
	// rate: 48000
	// master: {limiter: true}
	// sounds:
	//   "coin": {file: "coin"}
	// cues:
	//   - {at: 0s, play: "coin", id: "v1", gain: -6}
}
