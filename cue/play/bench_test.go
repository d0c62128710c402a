package play_test

import (
	"errors"
	"io"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// BenchmarkRender renders ten seconds of a scene with 32 busy voices, pitches, a bus and the limiter. It
// reports the speed relative to real time.
func BenchmarkRender(b *testing.B) {
	s, err := cue.Parse("bench", []byte(`
length: 10s
buses: {sfx: {gain: -9}}
sounds:
  hits: {files: [coin, laser, explosion, marimba, gong, zap, splash], bus: sfx, gain: [-9, 0], pitch: [-3, 3]}
cues:
  - {at: 0, play: rain, loop: true}
  - {at: 0, play: hits, every: 20ms, until: 10s}
`))
	if err != nil {
		b.Fatal(err)
	}
	lib := library.NewLibrary(library.Options{})
	block := make([]pcm.Frame, 512)
	frames := 0
	for b.Loop() {
		p, err := play.NewPlayer(b.Context(), s, lib, play.Options{Events: true})
		if err != nil {
			b.Fatal(err)
		}
		for {
			n, err := p.Read(block)
			if frames += n; errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
		if r := p.Report(); r.Totals.HighWater != 32 {
			b.Fatalf("%+v", r.Totals)
		}
	}
	b.ReportMetric(float64(frames)/48000/b.Elapsed().Seconds(), "x-real-time")
}
