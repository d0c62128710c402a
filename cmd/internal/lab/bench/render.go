package bench

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"time"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/device/wav"
	"voicepool/internal/dsp"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// renderScene is the sheet that is rendered. It uses the embedded sounds.
//
//go:embed scene.yaml
var renderScene []byte

// The render cases: the whole command, and the part after the sounds are loaded.
const (
	wholeRender  = "render"
	loadedRender = "render-loaded"
)

// renders measures how many times faster than real time the embedded scene is rendered to a WAV file. It uses
// processor time. One case is the whole work, the other begins after the sounds are loaded. pick reports whether the
// case with a name is measured. If the system does not report processor time, renders returns no rows. If it measures,
// it calls next once.
func renders(pick func(string) bool, next Progress) ([]Row, error) {
	return renderRuns(Runs, pick, next)
}

// renderRuns measures how many times faster than real time the embedded scene is rendered to a WAV file, by processor
// time. One case is the whole work, the other begins after the sounds are loaded. The figure of each row is the median
// of the given number of runs. pick reports whether the case with a name is measured. If the system does not report
// processor time, renderRuns returns no rows. If it measures, it calls next once.
func renderRuns(runs int, pick func(string) bool, next Progress) ([]Row, error) {
	if !pick(wholeRender) && !pick(loadedRender) {
		return nil, nil
	}
	if _, counts := processorTime(); !counts {
		return nil, nil
	}
	next("measuring a render")
	var whole, loaded []float64
	voices := 0
	for range runs {
		start, _ := processorTime()
		sheet, err := cue.Parse("scene.yaml", renderScene)
		if err != nil {
			return nil, err
		}
		voices = sheet.Voices
		player, err := play.NewPlayer(context.Background(), sheet, library.NewLibrary(library.Options{Rate: sheet.Rate}), play.Options{})
		if err != nil {
			return nil, err
		}
		ready, _ := processorTime()
		frames, err := render(player)
		if err != nil {
			return nil, err
		}
		end, _ := processorTime()
		seconds := float64(frames) / float64(sheet.Rate)
		times := func(elapsed time.Duration) float64 { return seconds / max(elapsed, time.Microsecond).Seconds() }
		whole, loaded = append(whole, times(end-start)), append(loaded, times(end-ready))
	}
	var rows []Row
	for _, r := range []Row{
		{Case: wholeRender, Voices: voices, TimesRealtime: new(Median(whole)), Samples: whole, Kernel: dsp.Kernel()},
		{Case: loadedRender, Voices: voices, TimesRealtime: new(Median(loaded)), Samples: loaded, Kernel: dsp.Kernel()},
	} {
		if pick(r.Case) {
			rows = append(rows, r)
		}
	}
	return rows, nil
}

// render plays player to its end and encodes the frames as a WAV file, which it discards. It returns the number of
// frames. It closes player even after an error.
func render(player *play.Player) (frames int64, err error) {
	defer player.Close()
	out, err := wav.NewWriter(io.Discard, wav.Config{Rate: player.Sheet().Rate})
	if err != nil {
		return 0, err
	}
	block := make([]pcm.Frame, Block)
	for {
		n, err := player.Read(block)
		if errors.Is(err, io.EOF) {
			return out.Frames(), out.Close()
		}
		if err == nil {
			err = out.Write(block[:n])
		}
		if err != nil {
			return 0, err
		}
	}
}
