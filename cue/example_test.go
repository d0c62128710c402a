package cue_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/voice"
)

// A sheet with three coins is rendered faster than real time.
func Example() {
	sheet, err := cue.Parse("coins.yaml", []byte(`
voices: 2
cues:
  - {at: 500ms, play: coin, every: 100ms, times: 3}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	lib := sounds.NewLibrary(sounds.Options{Rate: sheet.Rate})
	player, err := cue.NewPlayer(context.Background(), sheet, lib, cue.Options{
		Watch: func(e report.Event) {
			if e.Frame < 48000 {
				fmt.Println(e.Frame, e.Kind, e.Sound)
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	block := make([]pcm.Frame, 512)
	for err == nil {
		_, err = player.Read(block)
	}
	fmt.Println(errors.Is(err, io.EOF), player.Report().Totals.Stolen)
	// Output:
	// 24000 started coin
	// 28800 started coin
	// 33600 stolen coin
	// 33600 started coin
	// true 1
}

// Parse returns all errors of a sheet with their places.
func ExampleParse() {
	_, err := cue.Parse("show.yaml", []byte(`
cues:
  - {at: 1.5sec, play: coin}
  - {at: 2s, play: coin, pich: 3}
`))
	fmt.Println(err)
	// Output:
	// show.yaml:3:10: at: "1.5sec" is not a time; write 1.5s, 250ms, 2m3s or a number of seconds
	// show.yaml:4:26: unknown key "pich" in a cue; did you mean "pitch"?
}

// The recording of a game becomes a sheet that renders to the same bits.
func ExampleRecorder() {
	coin, err := embedded.Load(sounds.NewLibrary(sounds.Options{}), "coin")
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
	head, err := cue.SheetOf(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	recorder := cue.NewRecorder(head, func(s *voice.Sound) (rules.Sound, bool) {
		return rules.Sound{Name: s.Name(), Files: []rules.File{{Name: s.Name()}}}, true // embedded
	})

	m.Play(coin, mixer.Options{Gain: -6})
	m.Render(make([]pcm.Frame, 512))
	entries := make([]mixer.Entry, 256)
	for n := m.Journal(entries); n > 0 && err == nil; n = m.Journal(entries) {
		err = recorder.Add(entries[:n])
	}
	if err == nil {
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
