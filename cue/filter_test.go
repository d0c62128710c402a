package cue_test

import (
	"testing"

	"voicepool/cue"
	"voicepool/mixer"
)

// TestCutoffs: a cue's cutoff replaces its sound's, off too; of layers each sound has its own.
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
