package play_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/pcm"
	"voicepool/sounds/library"
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
	lib := library.NewLibrary(library.Options{Rate: sheet.Rate})
	player, err := play.NewPlayer(context.Background(), sheet, lib, play.Options{
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
