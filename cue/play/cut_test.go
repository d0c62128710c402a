package play_test

import (
	"context"
	"io"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// reportOf renders a sheet to its end and returns its report.
func reportOf(t *testing.T, sheet string) *report.Report {
	t.Helper()
	s, err := cue.Parse("s.yaml", []byte(sheet))
	if err != nil {
		t.Fatal(err)
	}
	p, err := play.NewPlayer(context.Background(), s, library.NewLibrary(library.Options{Rate: s.Rate}), play.Options{Events: true})
	if err != nil {
		t.Fatal(err)
	}
	for block := make([]pcm.Frame, 512); ; {
		if _, err := p.Read(block); err == io.EOF {
			return p.Report()
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCutIsTheEnd checks that events while the limiter is flushed after the cut are not in the report.
func TestCutIsTheEnd(t *testing.T) {
	for _, limiter := range []string{"true", "false"} {
		r := reportOf(t, "length: 1s\nmaster: {limiter: "+limiter+"}\ncues: [{at: 0s, play: wind, loop: true, for: 1.001s}]")
		if r.Frames != 48000 || r.Totals.Playing != 1 || r.Totals.Ended != 0 || len(r.Events) != 1 {
			t.Errorf("with limiter %s: %d frames, %+v, %d events", limiter, r.Frames, r.Totals, len(r.Events))
		}
	}
}

// TestTheRestIsBounded checks that actions after the last sound take bounded time, however often they repeat.
func TestTheRestIsBounded(t *testing.T) {
	r := reportOf(t, `
buses: {sfx: {}}
cues:
  - {at: 0s, play: click, id: a}
  - {at: 0s, set: sfx, gain: 0, every: 1ms, times: 1000000000000}
  - {at: 5s, stop: a, every: 1ms, times: 1000000000000}
`)
	if r.Totals.Missed != 100000 || r.Totals.Ended != 1 || r.Frames > 48000 {
		t.Errorf("%+v, %d frames", r.Totals, r.Frames)
	}
}
