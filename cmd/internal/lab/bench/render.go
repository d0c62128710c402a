package bench

import (
	"context"
	_ "embed"
	"errors"
	"io"
	"time"

	"voicepool/cue"
	"voicepool/device/wav"
	"voicepool/internal/dsp"
	"voicepool/pcm"
	soundlib "voicepool/sounds"
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

// renders measures, by processor time, how many times faster than real time the embedded scene is rendered to a WAV
// file of 24 bits: the whole work, and the part after loading the sounds. pick selects the cases by name. If the
// system does not report processor time, it returns no rows. renders calls next once.
func renders(pick func(string) bool, next Progress) ([]Row, error) {
	return renderRuns(Runs, pick, next)
}

// renderRuns is renders with the number of runs whose median is the result.
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
		player, err := cue.NewPlayer(context.Background(), sheet, soundlib.NewLibrary(soundlib.Options{Rate: sheet.Rate}), cue.Options{})
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

// render renders player to its end as a WAV file, discards the output and returns the number of frames. It always
// closes player.
func render(player *cue.Player) (frames int64, err error) {
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
