package play_test

import (
	"context"
	"testing"

	"voicepool/cue/play"
	"voicepool/sounds/library"
)

// TestEnds checks that a show without pauses, pitches and stops ends with its last sound.
func TestEnds(t *testing.T) {
	for _, text := range []string{
		"length: 300ms\ncues: [{at: 0s, play: rain, loop: true}]",
		"cues: [{at: 250ms, play: coin}, {at: 100ms, play: click, every: 20ms, times: 4}]",
		"cues: [{at: 0s, play: rain, for: 700ms}, {at: 900ms, stop: all}]",
		"cues: [{at: 0s, play: rain, id: r, loop: true}, {at: 900ms, stop: r}, {at: 10ms, play: coin, from: 300ms}]",
	} {
		s := parse(t, text)
		p, err := play.NewPlayer(context.Background(), s, library.NewLibrary(library.Options{Rate: s.Rate}), play.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ends := p.EstimatedEnd()
		readAll(t, p, 480)
		if frames := p.Report().Frames; ends < frames-480 || ends > frames {
			t.Errorf("%s\nlasts %d frames, and %d are foretold", text, frames, ends)
		}
	}
}

// TestPreparing checks the progress of resampling for pitched sounds.
func TestPreparing(t *testing.T) {
	s := parse(t, "quality: best\ncues: [{at: 0s, play: coin, pitch: 5}, {at: 0s, play: click, pitch: 14}, {at: 0s, play: bell}]")
	var told []int
	count := func(done, total int) { told = append(told, done, total) }
	p, err := play.NewPlayer(context.Background(), s, library.NewLibrary(library.Options{Rate: s.Rate}), play.Options{Preparing: count})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if len(told) < 4 || told[0] != 0 || told[len(told)-2] != told[1] || told[1] != len(told)/2-1 {
		t.Errorf("it is told %v, want each from 0 to all", told)
	}
}
