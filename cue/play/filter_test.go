package play_test

import (
	"slices"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/mixer"
)

// TestCutoffs checks that a cutoff of a cue replaces the sound's, including off, and that layers keep their
// own.
func TestCutoffs(t *testing.T) {
	s, err := cue.Parse("s.yaml", []byte(`
sounds:
  radio: {file: coin, lowpass: 3400, highpass: 300}
  two: {layers: [radio, coin]}
  coin: {file: coin}
cues:
  - {at: 0, play: radio}
  - {at: 0, play: radio, lowpass: off, highpass: 20}
  - {at: 0, play: coin, id: x, lowpass: 20000}
  - {at: 1s, set: x, lowpass: off, highpass: 90.5, over: 2s}
`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]float64{{3400, 300}, {0, 20}, {20000, 0}, {0, 90.5}} {
		got := [2]float64{}
		switch a := s.Cues[i].Action.(type) {
		case *cue.Play:
			got = [2]float64{a.LowPass, a.HighPass}
		case *cue.Set:
			got = [2]float64{a.Change.LowPass, a.Change.HighPass}
		}
		if got != want {
			t.Errorf("cue %d has %v, want %v", i, got, want)
		}
	}
	if c := s.Cues[3].Action.(*cue.Set).Change; c.Fields != mixer.FieldLowPass|mixer.FieldHighPass {
		t.Errorf("the set has the fields %b", c.Fields)
	}
}

// TestBusCutoffs checks that a scene sets bus cutoffs like equivalent cues, for all block lengths, together
// with effects of an output.
func TestBusCutoffs(t *testing.T) {
	f := newFolder(t)
	const head = `outputs: {main: {channels: 1-2, lowpass: 400}, far: {channels: 3-4, effects: [{delay: {time: 30ms, mix: 0.5}}], highpass: 40}}
buses: {hall: {lowpass: 300, output: far}, dry: {}}
scenes:
  deep: {buses: {hall: {lowpass: 90, highpass: 30}, main: {lowpass: 100}, far: {highpass: off, effects: {delay: {mix: 0.9}}}}}
sounds: {x: {file: short.wav, bus: hall}, y: {file: short.wav, bus: dry}}
cues: [{at: 0, play: x, every: 70ms, times: 9}, {at: 0, play: y, every: 60ms, times: 8}, `
	scenes := `{at: 100ms, scene: deep, over: 50ms}, {at: 300ms, scene: ""}`
	apart := `{at: 100ms, set: far, highpass: off, over: 50ms}, {at: 100ms, set: far, effects: {delay: {mix: 0.9}}, over: 50ms},
  {at: 100ms, set: hall, lowpass: 90, highpass: 30, over: 50ms}, {at: 100ms, set: main, lowpass: 100, over: 50ms},
  {at: 300ms, set: far, highpass: 40, effects: {delay: {mix: 0.5}}}, {at: 300ms, set: hall, lowpass: 300, highpass: off}, {at: 300ms, set: master, lowpass: 400}`
	want := readAll(t, f.player(head+apart+"]", play.Options{}), 64)
	if len(want) < 1200 {
		t.Errorf("%d frames", len(want))
	}
	for _, block := range []int{7, 64, 999} {
		if got := readAll(t, f.player(head+scenes+"]", play.Options{}), 2*block); !slices.Equal(got, want) {
			t.Errorf("in blocks of %d: %d frames, which are not those of cues, %d", block, len(got), len(want))
		}
	}
}
