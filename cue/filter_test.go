package cue_test

import (
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/effect"
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
		if c := s.Cues[i].Change; c.LowPass != want[0] || c.HighPass != want[1] {
			t.Errorf("cue %d has %v and %v, want %v", i, c.LowPass, c.HighPass, want)
		}
	}
	if c := s.Cues[3].Change; c.Fields != mixer.FieldLowPass|mixer.FieldHighPass {
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
	want := readAll(t, f.player(head+apart+"]", cue.Options{}), 64)
	if len(want) < 1200 {
		t.Errorf("%d frames", len(want))
	}
	for _, block := range []int{7, 64, 999} {
		if got := readAll(t, f.player(head+scenes+"]", cue.Options{}), 2*block); !slices.Equal(got, want) {
			t.Errorf("in blocks of %d: %d frames, which are not those of cues, %d", block, len(got), len(want))
		}
	}
}

// TestRecordsCutoffs checks the recording of a mixer with cutoffs, output effects and pre-fader sends.
func TestRecordsCutoffs(t *testing.T) {
	delay, err := effect.New("delay", effect.Values{"time": 0.03, "mix": 0.5})
	if err != nil {
		t.Fatal(err)
	}
	c := mixer.Config{
		Rate: 1000, HighPass: 21, Outputs: []mixer.Output{{Name: "main", Channel: 1, LowPass: 400}, {Name: "far", Channel: 3, Effects: []effect.Effect{delay}, HighPass: 40}},
		Buses: []mixer.BusConfig{{Name: "hall", LowPass: 300.5, Output: "far", Sends: []mixer.Send{}}, {Name: "dry", HighPass: 77}},
	}
	head, err := cue.SheetOf(c)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	r := cue.NewRecorder(head, nil)
	if err := r.Add([]mixer.Entry{
		{Frame: 5, Kind: mixer.EntrySet, Bus: "hall", Change: mixer.Change{Fields: mixer.FieldLowPass, LowPass: 90.25}, Frames: 50},
		{Frame: 6, Kind: mixer.EntrySet, Bus: "far", Change: mixer.Change{Fields: mixer.FieldHighPass}},
		{Frame: 7, Kind: mixer.EntryEffect, Bus: "far", Effect: "delay", Values: effect.Values{"mix": 0.25}},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	s, err := cue.Parse("s.yaml", []byte(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	got := s.Config()
	if got.LowPass != 400 || got.HighPass != 21 || got.Outputs[1].HighPass != 40 || !slices.Equal(got.Outputs[1].Effects, c.Outputs[1].Effects) ||
		got.Buses[0].LowPass != 300.5 || got.Buses[1].HighPass != 77 {
		t.Errorf("%s\nis read as %+v", &text, got)
	}
	if a, b := s.Cues[0].Change, s.Cues[1].Change; a.LowPass != 90.25 || b.HighPass != 0 || a.Fields != mixer.FieldLowPass || b.Fields != mixer.FieldHighPass ||
		s.Cues[2].Effects[0].Values["mix"] != 0.25 {
		t.Errorf("the cues are %+v", s.Cues)
	}
}
