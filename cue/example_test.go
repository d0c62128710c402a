package cue_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/pcm"
	"voicepool/sounds"
)

// A sheet that asks for three coins, played faster than real time.
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
	bank := sounds.NewBank(sounds.Options{Rate: sheet.Rate})
	player, err := cue.NewPlayer(context.Background(), sheet, bank, cue.Options{
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

// What is wrong in a sheet comes all at once, with its place.
func ExampleParse() {
	_, err := cue.Parse("show.yaml", []byte(`
cues:
  - {at: 1.5sec, play: coin}
  - {at: 2s, play: coin, pich: 3}
`))
	fmt.Println(err)
	// Output:
	// show.yaml:3:10: at: "1.5sec" is no time; write 1.5s, 250ms, 2m3s or a number of seconds
	// show.yaml:4:26: unknown key "pich" in a cue; did you mean "pitch"?
}
